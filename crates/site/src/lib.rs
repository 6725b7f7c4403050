//! Evidence of a site for its pages: what repeats from page to page, and the scores of each place on all pages.
//!
//! In: for each page of a site its [`PageNotes`]: for each block a [fingerprint](Fingerprinter) of its text, a
//! [key](PathKeys) of its place, its number of words, and the labeller's logit. Out: [adjusted](adjust) logits. Evidence
//! changes scores; it never decides alone.
//!
//! # The idea
//!
//! The pages of a site have the same things in the same places. The labeller's mean score of a place over all pages is more
//! reliable than its score of one block; and a text that repeats from page to page is probably a menu. So a site has three
//! collections:
//!
//! - by fingerprint: the number of pages with the text. Case, punctuation and numbers are ignored.
//! - by key (the last elements of a block's path with their classes): [`PathSums`], that is the number of pages and blocks,
//!   the sum of logits, and the words by the number of pages that have their text.
//!
//! - by the shape of the address: the kinds of the pages ([`KindSums`]), which correct the kind of each page
//!   ([`KindNote::beside`]).
//!
//! All are sums of integers: pages are added and removed in any order, and the result depends only on the pages that
//! remain. [`SiteSums`] holds the sums of one site in memory; a dataflow holds them by key, made of the same parts:
//! [`PageNotes::sums_with`], [`PathSums`].
//!
//! Of a large site a sample of its pages is enough: the collections have those, and any page gets evidence from them.
//! A page gets no evidence, and keeps its logits bit by bit, if the sample has fewer than [`EvidenceConfig::min_pages`] other
//! pages.
//!
//! # The cost
//!
//! Fingerprints of 4 million blocks (of 48 bytes) a CPU-second. A site has a few hundred keys with 144 bytes each, and a
//! number for each different text.
//!
//! ```
//! use gleaner_site::{EvidenceConfig, Noter, PageKind, PageNotes, SiteSums, adjust};
//!
//! let mut parser = gleaner_page::Parser::new(gleaner_page::PageConfig::default());
//! let mut noter = Noter::default();
//! let mut site = SiteSums::default();
//! let mut pages = Vec::new();
//! for post in ["The first of all posts", "Another one, about boats", "More boats", "No more boats"] {
//!     let html = format!("<ul class=menu><li>Home of 20 boats</ul><div class=post><p>{post}</div>");
//!     let page = parser.parse(html.as_bytes(), None)?;
//!     let words: Vec<u32> = page.blocks.iter().map(|block| page.text(block).split(' ').count() as u32).collect();
//!     let mut notes = PageNotes::default();
//!     noter.note(page, &words, None, &mut notes);
//!     notes.logits = vec![1.0, if post == "More boats" { -1.0 } else { 3.0 }];
//!     site.add(&notes);
//!     pages.push(notes);
//! }
//! // From the third page alone the labeller would drop the post and keep the menu.
//! let evidence = site.evidence(&pages[2], true);
//! let adjusted = adjust(&pages[2], &evidence, PageKind::Single, &EvidenceConfig::default());
//! assert!(adjusted[0] < 0.5 && adjusted[1] > -0.5, "{adjusted:?}");
//! # Ok::<(), gleaner_html::PageError>(())
//! ```

mod adjust;
pub mod calendar;
mod chunk;
mod fingerprint;
mod fold;
mod kinds;
mod notes;
mod numbering;
mod path;
mod pattern;
mod site;
mod sums;

pub use adjust::{EvidenceConfig, PageKind, RepetitionPenalty, adjust, page_class};
pub use fingerprint::Fingerprinter;
pub use kinds::{KindNote, KindShares, KindSums, MAX_KINDS};
pub use notes::{BlockNote, NO_TEXT, Noter, PageNotes};
pub use path::PathKeys;
pub use site::{Evidence, SiteSums};
pub use sums::{PathSums, REPEAT_CLASSES, fixed_point};
