//! What is found on a page.

use serde::Serialize;

use gleaner_metadata::date::Day;

use crate::Truncation;

/// A page's posts, and what it was made by.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Found {
    /// The program that makes the site, by its name in the rules.
    pub platform: Option<String>,
    /// The posts in their order on the page.
    pub posts: Vec<Post>,
    /// Limits that cut what was looked at.
    #[serde(skip)]
    pub truncated: Truncation,
}

/// A post.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Post {
    /// Its title.
    pub title: Option<String>,
    /// When it was published.
    pub published: Option<Dated>,
    /// Who wrote it.
    pub author: Option<String>,
    /// The address of its own page.
    pub link: Option<String>,
    /// Its text, a line a paragraph or row of a table, tabs between the cells of a row.
    pub text: String,
    /// What others wrote under it, on its own page; no part of its text.
    pub comments: Vec<Comment>,
}

/// A comment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Comment {
    /// Who wrote it.
    pub author: Option<String>,
    /// When it was written.
    pub published: Option<Dated>,
    /// Its text, a line a paragraph or row of a table, tabs between the cells of a row.
    pub text: String,
}

/// A date as found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Dated {
    /// The day; `None` for a text that is no date that is understood.
    #[serde(rename = "date")]
    pub day: Option<Day>,
    /// As printed on the page; empty where it is not.
    pub text: String,
    /// Where the day is from, as far as it is not printed.
    pub completed: Option<Completed>,
}

/// What made a date whole that is not printed, or not as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Completed {
    /// The address of the post.
    Address,
    /// The posts beside it on the page.
    Neighbours,
}

impl Completed {
    /// Its name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Completed::Address => "address",
            Completed::Neighbours => "neighbours",
        }
    }
}
