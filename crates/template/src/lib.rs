//! What the pages of a site repeat, mined from the pages themselves: L. Foschini, "A fast and
//! parameter-free template detection method for web pages and online newspapers".
//!
//! In: the pages of a site ([`Page`]), as text or as HTML. Out: a [`SiteTemplate`]: regular
//! expressions, the pages each is on, the histogram they were chosen by and its cut-off; and an
//! [`Applier`], which tells what of a text they match. Nothing is known of archives, tables or
//! dataflows here.
//!
//! # The idea
//!
//! Tokens of all pages become numbers; tokens that a [mutable pattern](BUILT_IN) matches, such as
//! dates, become that pattern's. A suffix array and its common prefixes give every string that
//! repeats, with the pages it is on, in one pass. The histogram of maximal strings over pages has
//! two modes, and the cut-off between them minimises an energy. What is above it is the template;
//! what many sites share is taken away again ([`drop_common`]). Only strings that cover something
//! of their own become expressions.
//!
//! Expressions are matched all at once by an automaton over tokens; the union of the matches is
//! tidied up ([`CleanConfig`]) and is what a page repeats.
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
pub use share::page_share;
pub use sites::{Pages, Site, drop_common};
pub use tokenizer::{Tokenizer, Tokens};
