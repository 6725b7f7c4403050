//! Settings, each with a default.

use serde::{Deserialize, Serialize};

/// Number of pages of a site that are mined: those with the smallest keys, if there are more.
pub const DEFAULT_SAMPLE: usize = 1024;
/// A string on fewer pages than this is no template.
pub const DEFAULT_MIN_PAGES: u32 = 3;
/// The expression of a token: the example of section 3.4. White space (`\s`) is `[\t-\r ]`.
pub const DEFAULT_TOKEN: &str = r"\S+";
/// Share of the sites above which an expression belongs to the language, not to a site.
pub const DEFAULT_MANY_SITES: f64 = 0.1;

/// How the templates of a site are mined.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MineConfig {
    /// Pages of a site that are mined.
    pub sample: usize,
    /// A string on fewer pages is left out (section 3.2, step 7). One on fewer than one page in a
    /// hundred, the width of a bin, is left out too.
    pub min_pages: u32,
    /// A string of fewer tokens is left out (section 3.2, step 7). A long token of a script without
    /// spaces counts as several.
    pub min_tokens: u32,
    /// Tokens and mutable patterns.
    pub tokens: TokenConfig,
    /// Share of the sites, three at least, from which on an expression is left out (section 3.3).
    pub many_sites: f64,
    /// Limits.
    pub limits: Limits,
}

impl Default for MineConfig {
    fn default() -> Self {
        MineConfig {
            sample: DEFAULT_SAMPLE,
            min_pages: DEFAULT_MIN_PAGES,
            min_tokens: 2,
            tokens: TokenConfig::default(),
            many_sites: DEFAULT_MANY_SITES,
            limits: Limits::default(),
        }
    }
}

/// The settings of tokens. Expressions must be applied with the settings that they were mined with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TokenConfig {
    /// One class of characters with a plus: `\S+`, `[^\-\s]+`.
    pub token: String,
    /// Mutable patterns beside the built-in ones, each for whole tokens. They come before those.
    pub patterns: Vec<String>,
    /// Whether the built-in mutable patterns are used.
    pub default_patterns: bool,
}

impl Default for TokenConfig {
    fn default() -> Self {
        TokenConfig {
            token: DEFAULT_TOKEN.to_owned(),
            patterns: Vec::new(),
            default_patterns: true,
        }
    }
}

/// Limits that bound the memory of any page and any site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Bytes of a page; the rest is not mined.
    pub page_bytes: usize,
    /// Bytes of a token; a longer one is never part of a template.
    pub token_bytes: usize,
    /// Tokens of a site, 2^31 - 2 at most; the pages after the one that reaches it are not read.
    pub site_tokens: usize,
    /// Bytes of the pages of a site that are mined; where there are more, the longest pages are cut.
    pub site_bytes: usize,
    /// Expressions of a site; those on the most pages are kept.
    pub expressions: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            page_bytes: 1 << 20,
            token_bytes: 4096,
            site_tokens: 1 << 23,
            site_bytes: 32 << 20,
            expressions: 20_000,
        }
    }
}

/// How matches become removed ranges: section 3.4.1 and the locality heuristics of section 6.1.
/// All are counted in characters that are not white space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CleanConfig {
    /// Matches with fewer characters than this between them are merged.
    pub gap: usize,
    /// A removed piece shorter than this, in the middle of a line that is otherwise kept, is kept.
    pub island: usize,
    /// A kept piece shorter than this between two long removed ones is removed.
    pub remainder: usize,
    /// The smallest number of characters of a long removed piece.
    pub long: usize,
}

impl Default for CleanConfig {
    fn default() -> Self {
        CleanConfig {
            gap: 4,
            island: 24,
            remainder: 16,
            long: 40,
        }
    }
}
