//! What is left out of a corpus: sites, domains, URLs, records and texts, by rules that are kept beside it.
//!
//! In: what a user names, as [`Selector`]s. Out: [`Rule`]s, which are kept as lines of JSON; and, compiled to [`Rules`], which
//! capture is left out by which rule.
//!
//! # The idea
//!
//! A selector becomes a name, `domain:org,example`. A capture has names too: one for its host, one for each domain above it, one
//! for each prefix of its URL that ends at a `/` or a `?`, one for its URL, its record and its texts. A capture is left out if
//! one of them is in a rule. So a rule can have any number of names, and names can be kept as digests: a corpus does not
//! keep the address of what was taken down. A digest hides an address only from readers who do not know it.
//! A rule may also be the robots.txt of a host: of the captures that have the host's name, it leaves out those that it forbids.
//!
//! # The cost
//!
//! A name costs a hash of its bytes and a look-up. Only the kinds of names that rules have are made, and no URL has more than 64
//! domains and 64 prefixes. No test allocates.

mod compiled;
mod form;
mod name;
mod rule;
mod selector;
mod text;

pub use compiled::{ArchiveRules, Rules};
pub use name::{RuleCapture, SelectorKind};
pub use rule::{BadRules, Matcher, Names, RobotsMatcher, Rule, RuleKind, read_rules, rules_file};
pub use selector::{BadList, BadSelector, Selector};
pub use text::text_digest;
