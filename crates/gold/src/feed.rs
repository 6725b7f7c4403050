//! Gold files of blogs: JSON lines, a page a line, with the posts that it shows and what the feed has of them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::Deserialize;

use crate::Error;

/// A page and its posts. Other fields are skipped.
#[derive(Clone, Debug, Deserialize)]
pub struct FeedPage {
    /// Its address.
    pub url: String,
    /// listing, one-post or single.
    pub page_kind: String,
    /// In their order on the page.
    pub posts: Vec<FeedPost>,
}

/// A post as its blog's feed has it.
#[derive(Clone, Debug, Deserialize)]
pub struct FeedPost {
    /// Its title.
    pub title: Option<String>,
    /// ISO 8601; the feed's time zone need not be the page's.
    pub date: Option<String>,
    display: Option<String>,
    #[serde(default)]
    text: String,
    shown_text: Option<String>,
    /// The share of the text that is on the page.
    #[serde(default)]
    coverage: f64,
}

impl FeedPage {
    /// The text of the post whose own page it is, without its title; none of other pages, and where the feed or the page
    /// has only a part of it.
    pub fn own_text(&self) -> Option<&str> {
        match self.posts.as_slice() {
            [post] if self.page_kind == "single" => post.whole(),
            _ => None,
        }
    }

    /// The texts of all posts as the page shows them, with their titles or without; none where the feed
    /// has only parts of them.
    pub fn text(&self, titles: bool) -> Option<String> {
        let mut text = String::new();
        for post in &self.posts {
            if titles && let Some(title) = &post.title {
                text = text + title + "\n";
            }
            text = text + post.shown() + "\n";
        }
        let whole = !self.posts.iter().any(FeedPost::is_part);
        whole.then_some(text)
    }
}

impl FeedPost {
    fn whole(&self) -> Option<&str> {
        let is_whole = self.display.as_deref() == Some("full") && self.coverage >= WHOLE;
        (is_whole && !self.text.trim().is_empty()).then_some(&*self.text)
    }

    /// What of the text is on the page.
    pub fn shown(&self) -> &str {
        match (&self.shown_text, self.display.as_deref()) {
            (Some(shown), Some("excerpt")) => shown,
            _ => &self.text,
        }
    }

    /// Whether the feed has only a part of what the page shows.
    pub fn is_part(&self) -> bool {
        self.display.as_deref() == Some("feed-excerpt-shown")
    }
}

/// Minimum share of a post's text that must be on its page.
const WHOLE: f64 = 0.95;

/// The pages of a gold file, by address.
///
/// # Errors
/// When the file cannot be read, or a line is not a page with posts.
pub fn read_feed(path: &Path) -> Result<BTreeMap<String, FeedPage>, Error> {
    let failed = |source| Error::Read(path.to_owned(), source);
    let mut pages = BTreeMap::new();
    for (number, line) in BufReader::new(File::open(path).map_err(failed)?)
        .lines()
        .enumerate()
    {
        let line = line.map_err(failed)?;
        if line.trim().is_empty() {
            continue;
        }
        let page: FeedPage = serde_json::from_str(&line).map_err(|source| Error::FeedLine {
            path: path.to_owned(),
            line: number + 1,
            source,
        })?;
        pages.insert(page.url.clone(), page);
    }
    Ok(pages)
}
