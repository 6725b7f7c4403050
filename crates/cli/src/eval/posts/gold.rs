//! Gold files of blogs: JSON lines, a page a line, with the posts that it shows.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

/// A page and its posts. Fields that are not named here are passed over.
#[derive(Deserialize)]
pub(in crate::eval) struct GoldPage {
    pub(in crate::eval) url: String,
    /// listing, one-post or single.
    pub(in crate::eval) page_kind: String,
    /// In their order on the page.
    pub(in crate::eval) posts: Vec<GoldPost>,
}

/// A post as its blog's feed has it.
#[derive(Deserialize)]
pub(in crate::eval) struct GoldPost {
    pub(in crate::eval) title: Option<String>,
    /// ISO 8601; the feed's time zone need not be the page's.
    pub(in crate::eval) date: Option<String>,
    display: Option<String>,
    #[serde(default)]
    text: String,
    shown_text: Option<String>,
}

impl GoldPage {
    /// The texts of all posts as the page shows them, with their titles or without; none where the feed
    /// has only parts of them.
    pub(in crate::eval) fn text(&self, titles: bool) -> Option<String> {
        let mut text = String::new();
        for post in &self.posts {
            if titles && let Some(title) = &post.title {
                text = text + title + "\n";
            }
            text = text + post.shown() + "\n";
        }
        let whole = !self.posts.iter().any(GoldPost::is_part);
        whole.then_some(text)
    }
}

impl GoldPost {
    /// What of the text is on the page.
    pub(in crate::eval) fn shown(&self) -> &str {
        match (&self.shown_text, self.display.as_deref()) {
            (Some(shown), Some("excerpt")) => shown,
            _ => &self.text,
        }
    }

    /// Whether the feed has only a part of what the page shows.
    pub(in crate::eval) fn is_part(&self) -> bool {
        self.display.as_deref() == Some("feed-excerpt-shown")
    }
}

/// The pages of a gold file, by address.
pub(in crate::eval) fn read(path: &Path) -> Result<BTreeMap<String, GoldPage>> {
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
