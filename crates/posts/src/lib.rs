//! From blog pages to posts: each with its title, its date, its author and its text.
//!
//! In: a [`Page`](gleaner_page::Page). Out: [`Found`], the posts in their order on
//! the page and the platform that made it.
//!
//! What a post looks like stands in rule files ([`Rules`]), so that a platform is added without
//! code: paths through the tree, by names of elements and patterns for their attributes. The rules
//! of Petasis and Petasis, "BlogBuster: A tool for extracting corpora from the blogosphere" (LREC
//! 2010), are there as printed ([`Rules::blogbuster`]). The default rules ([`Rules::default_rules`])
//! know more names and platforms, and also find posts where nothing is named: a text is where most letters are that
//! stand in no link, the page of one post is known by its heading, and what a date lacks is taken from
//! an address or the posts beside it, and marked.
//!
//! The cost: two passes over the elements, one look into a table for each attribute that rules
//! ask for, and what is found is copied. All of it is bounded, and a limit that was met is in [`Found::truncated`].
//!
//! ```
//! use gleaner_page::{PageConfig, Parser};
//! use gleaner_metadata::date::Day;
//! use gleaner_posts::{About, Extractor, Rules};
//!
//! let html = b"<div class='post hentry'><h2 class=entry-title>On lamps</h2>\
//!     <p class=date>8 July 2016</p><div class=entry-content><p>They burn.</div></div>";
//! let mut parser = Parser::new(PageConfig::default());
//! let page = parser.parse(html, None)?;
//! let found = Extractor::new(Rules::default_rules()).extract(page, About::default());
//! let post = &found.posts[0];
//! assert_eq!((post.title.as_deref(), post.text.as_str()), (Some("On lamps"), "They burn."));
//! assert_eq!(post.published.as_ref().and_then(|date| date.day), Day::new(2016, 7, 8));
//! # Ok::<(), gleaner_html::PageError>(())
//! ```

mod author_box;
mod body;
mod comments;
mod error;
mod extract;
mod find;
mod glob;
mod head;
mod lines;
mod link;
mod local;
mod marks;
mod outline;
mod platform;
mod post;
mod printed;
mod repeated;
mod rules;
mod scene;
mod select;
mod text;
mod weights;
mod when;
mod work;
mod written;

pub use error::Error;
pub use extract::{About, Extractor};
pub use post::{Comment, Completed, Dated, Found, Post};
pub use rules::Rules;
pub use work::Truncation;
pub use written::{Posted, XML_BEGIN, XML_END};
