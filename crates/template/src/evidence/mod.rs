//! What a site's pages say together of each block: evidence for the labeller, never a rule.
//!
//! In: of every page of a site a [`BlockNote`] a block (a [fingerprint](Fingerprinter) of its text, a
//! [key](PathKeys) of its place, its words) and the labeller's first logits. Out: logits moved by what the
//! site's other pages are like ([`adjust`]).
//!
//! # The idea
//!
//! The pages of a site put the same things in the same places. What the labeller thinks of a place on
//! all pages says more of it than what it thinks of it on one; and where the text repeats from page to
//! page, it is a menu, not what the page is about. So two collections of small things are kept a site:
//!
//! - by fingerprint: how many pages have the text. Letters and digits count, case and numbers do not.
//! - by key (the last elements of a block's path with their classes): [`PathSums`], its pages, its mean
//!   logit, and its words by the number of pages that have their text.
//!
//! Both are sums of integers: pages come and go in any order, and what is left is as if only the pages
//! that stayed had ever been there. [`SiteSums`] keeps them for one site in memory; a dataflow keeps
//! them by key, from the same pieces: [`PageNotes::sums_with`], [`PathSums`].
//!
//! What nobody else has is no evidence: a page on its own, or of a site of which fewer than
//! [`EvidenceConfig::least_pages`] others are known, keeps its logits bit by bit.
//!
//! # The cost
//!
//! Fingerprints of 4 million blocks (of 48 bytes) a CPU-second; a site has some hundred keys of 144 bytes, and a
//! number for each different text.
//!
//! ```
//! use gleaner_template::evidence::{EvidenceConfig, Noter, PageKind, PageNotes, SiteSums, adjust};
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
//! // Of the third page alone the labeller would drop the post and keep the menu.
//! let evidence = site.evidence(&pages[2]);
//! let moved = adjust(&pages[2], &evidence, PageKind::Single, &EvidenceConfig::default());
//! assert!(moved[0] < 0.5 && moved[1] > -0.5, "{moved:?}");
//! # Ok::<(), gleaner_html::PageError>(())
//! ```

mod adjust;
mod chunk;
mod fingerprint;
mod fold;
mod notes;
mod numbers;
mod path;
mod pattern;
mod site;
mod sums;

pub use adjust::{EvidenceConfig, PageKind, Repetition, adjust, adjust_content, logit, probability};
pub use fingerprint::Fingerprinter;
pub use notes::{BlockNote, NO_TEXT, Noter, PageNotes};
pub use path::PathKeys;
pub use site::{Evidence, SiteSums};
pub use sums::{PathSums, REPEAT_CLASSES, fixed};
