//! What is found on a page.

use serde::Serialize;

use crate::Day;

/// A page's posts, and what it was made by.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Found {
    /// The program that makes the site, by its name in the rules.
    pub platform: Option<String>,
    /// The posts in their order on the page.
    pub posts: Vec<Post>,
}

/// A post.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Post {
    /// Its title.
    pub title: Option<String>,
    /// When it was published.
    pub published: Option<Dated>,
    /// Who wrote it.
    pub author: Option<String>,
    /// Its text, a line a paragraph.
    pub text: String,
}

/// A date as found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Dated {
    /// The day; `None` for a text that is no date that is understood.
    #[serde(rename = "date")]
    pub day: Option<Day>,
    /// As printed on the page.
    pub text: String,
}
