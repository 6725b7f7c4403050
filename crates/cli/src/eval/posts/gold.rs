//! Gold files of blogs: JSON lines, a page a line, with the posts that it shows.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

/// A page and its posts. Fields that are not named here are passed over.
#[derive(Deserialize)]
pub(super) struct GoldPage {
    pub(super) url: String,
    /// listing, one-post or single.
    pub(super) page_kind: String,
    /// In their order on the page.
    pub(super) posts: Vec<GoldPost>,
}

/// A post as its blog's feed has it.
#[derive(Deserialize)]
pub(super) struct GoldPost {
    pub(super) title: Option<String>,
    /// ISO 8601; the feed's time zone need not be the page's.
    pub(super) date: Option<String>,
    display: Option<String>,
    #[serde(default)]
    text: String,
    shown_text: Option<String>,
}

impl GoldPost {
    /// What of the text is on the page.
    pub(super) fn shown(&self) -> &str {
        match (&self.shown_text, self.display.as_deref()) {
            (Some(shown), Some("excerpt")) => shown,
            _ => &self.text,
        }
    }

    /// Whether the feed has only a part of what the page shows.
    pub(super) fn is_part(&self) -> bool {
        self.display.as_deref() == Some("feed-excerpt-shown")
    }
}

/// The pages of a gold file, by address.
pub(super) fn read(path: &Path) -> Result<BTreeMap<String, GoldPage>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("could not read {}", path.display()))?;
    let mut pages = BTreeMap::new();
    for (number, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let page: GoldPage = serde_json::from_str(line)
            .with_context(|| format!("{}, line {}: no page with posts", path.display(), number + 1))?;
        pages.insert(page.url.clone(), page);
    }
    Ok(pages)
}
