//! The repeated strings of a site's pages as expressions, after L. Foschini, "A fast and parameter-free template detection
//! method for web pages and online newspapers".
//!
//! In: the pages of a site ([`Page`]), as text or as HTML. Out: a [`SiteTemplate`]: regular
//! expressions, the number of pages of each, the histogram and the cut-off that select them; and an [`Applier`], which
//! matches them in a text. The crate depends on no archives, tables or dataflows.
//!
//! # The idea
//!
//! Tokens of all pages become numbers; tokens that a [mutable pattern](BUILT_IN) matches, such as dates, become the number of
//! the pattern. A suffix array and its common prefixes give every repeated string with its number of pages in one pass. The
//! histogram of maximal strings by number of pages has two modes; the cut-off between them minimises an energy. Strings
//! above it are the template; strings that many sites share are dropped ([`Miner::mine_all`]). Only strings that cover text that
//! no other string covers become expressions.
//!
//! An automaton over tokens matches all expressions at once. Heuristics ([`CleanConfig`]) turn the union of the matches into
//! the ranges to remove.
//!
//! # The cost
//!
//! Linear in the text, 8 bytes a token beside the tokens at the peak: a CPU-second for 130 MB of
//! HTML, and one for applying expressions to 300 MB. A site has a sample of [`DEFAULT_SAMPLE`] pages,
//! and everything that is read is bounded ([`Limits`]). The result depends neither on the order of
//! the pages nor on threads.
//!
//! ```
//! use gleaner_template::{Applier, CleanConfig, MineConfig, Miner, Page, without};
//!
//! let page = |day: u32, post: &str| format!("Home | About us\nPosted on May {day}, 2007\n{post}\nRead more");
//! let pages = [page(1, "One post."), page(2, "Another one!"), page(3, "And a third")];
//! let pages: Vec<Page<'_>> =
//!     pages.iter().zip(["/1", "/2", "/3"]).map(|(text, url)| Page { url, text }).collect();
//!
//! let miner = Miner::new(MineConfig::default())?;
//! let template = miner.mine("blog.example", &pages);
//! assert_eq!(template.expressions[1].expression, r"([\t-\r ]+|^)Read[\t-\r ]+more([\t-\r ]+|$)");
//!
//! let applier = Applier::new(&template, &miner.config().tokens)?;
//! let text = page(29, "A page that was not mined.");
//! let removed = applier.removed(&text, &CleanConfig::default());
//! assert_eq!(without(&text, &removed), "A page that was not mined.\n");
//! # Ok::<(), gleaner_template::Error>(())
//! ```

mod apply;
mod automaton;
mod collection;
mod config;
mod error;
mod expression;
mod free;
mod frequency;
mod histogram;
mod idioms;
mod locality;
mod mine;
mod mutable;
mod portable;
mod read;
mod share;
mod sites;
mod suffix;
mod tokenizer;
mod vocabulary;

pub use apply::Applier;
pub use config::{
    CleanConfig, DEFAULT_MANY_SITES, DEFAULT_MIN_PAGES, DEFAULT_SAMPLE, DEFAULT_TOKEN, Limits, MineConfig,
    TokenConfig,
};
pub use error::Error;
pub use histogram::{BINS, CutOff, Histogram};
pub use locality::{share_within, without};
pub use mine::{Expression, Miner, Page, SiteTemplate, page_key};
pub use mutable::{BUILT_IN, Patterns};
pub use portable::is_portable;
pub use sites::Site;
pub use tokenizer::{Tokenizer, Tokens};
