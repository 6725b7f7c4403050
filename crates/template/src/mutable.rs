//! Mutable patterns (sections 3.3 and 5.2): tokens that change from page to page in the same place.
//!
//! A token that a pattern matches as a whole is replaced by the pattern's expression before the
//! suffix array is built. If several match, the first in the order of [`Patterns`] replaces it.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};
use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind};

use crate::portable::{self, PatternForms};
use crate::{Error, TokenConfig, Tokenizer};

/// An expression, followed by any number of ASCII punctuation characters.
macro_rules! with_signs {
    ($expression:literal) => {
        concat!($expression, r"[!-/:-@\[-`{-~]*")
    };
}

/// The built-in patterns, the strictest first: name and expression. Those of section 5.2, some of
/// them a little wider, and times, timestamps and hexadecimal numbers beside them. They are written for
/// any engine: only with what Perl, Python and RE2 read alike.
pub const BUILT_IN: [(&str, &str); 18] = [
    (
        "month",
        with_signs!(
            r"(January|February|March|April|May|June|July|August|September|October|November|December)"
        ),
    ),
    (
        "weekday",
        with_signs!(r"(Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)"),
    ),
    (
        "short month",
        with_signs!(r"(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"),
    ),
    ("short weekday", with_signs!(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun)")),
    ("by", r"[bB]y"),
    ("unit of time", r"(hr|hour|day|minute|second|week|month|year)s*"),
    ("ordinal", r"[0-9]+(st|nd|rd|th),?"),
    ("number", r"[,.]*[0-9][0-9,.]*"),
    ("date", r"[/:\-]*[0-9][0-9/:\-]*"),
    ("amount", r"[$%#+,.()\[\]/:\-]*[0-9][0-9$%#+,.()\[\]/:\-]*"),
    ("dashes", r"-+"),
    ("time", with_signs!(r"[0-9]{1,2}(:[0-9]{2}){0,2}(am|pm|AM|PM)")),
    (
        "timestamp",
        r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+\-][0-9:]+)?",
    ),
    ("initials", r"([A-Z]\.){2,}"),
    ("abbreviation", r"[A-Z][0-9A-Za-z_]{1,4}\."),
    ("capitals", with_signs!(r"[A-Z][A-Z_\-]+")),
    ("hexadecimal", r"[0-9a-fA-F\-]{16,}"),
    ("address", r"[!-~]+@[!-~]+|https?://[^\t-\r ]*"),
];

/// The built-in patterns that also match words of the language. Such a token is not replaced if
/// most pages have it: `HOME` in a menu.
const WORDS: [&str; 3] = ["by", "abbreviation", "capitals"];

/// Patterns without words in them.
const WORDLESS: [&str; 7] = [
    "number",
    "date",
    "amount",
    "dashes",
    "capitals",
    "hexadecimal",
    "address",
];

/// The built-in patterns, each for whole tokens. One pass over a token finds all that match it.
static BUILT_IN_SET: LazyLock<RegexSet> = LazyLock::new(|| {
    let whole = BUILT_IN.iter().map(|(_, source)| whole(source));
    RegexSet::new(whole).expect("the built-in patterns are regular expressions")
});

/// A set of patterns, a bit each.
pub(crate) type Set = u64;

/// The largest number of patterns.
pub(crate) const MOST: usize = Set::BITS as usize;

/// The mutable patterns of tokens.
#[derive(Clone, Debug)]
pub struct Patterns {
    /// All expressions: those of the user, then the built-in ones that are used.
    sources: Vec<String>,
    /// For the user's, in their order.
    regexes: Vec<Regex>,
    /// For every built-in pattern, its bit; 0 where it is not used.
    built_in: [Set; BUILT_IN.len()],
    /// Those that match words of the language.
    words: Set,
    /// Those that match no words.
    wordless: Set,
}

impl Patterns {
    /// The patterns of a user, in their order and written out for any engine, and after them the built-in ones.
    ///
    /// # Errors
    ///
    /// A pattern is no valid regular expression, or matches more than single tokens.
    pub fn new(config: &TokenConfig, tokenizer: &Tokenizer) -> Result<Patterns, Error> {
        let written = |source: &String| {
            let read = whole_token(source, tokenizer)?;
            Ok(read.portable.unwrap_or_else(|| source.clone()))
        };
        let own: Vec<String> = config.patterns.iter().map(written).collect::<Result<_, _>>()?;
        let built_in = BUILT_IN.iter().filter(|_| config.default_patterns);
        let built_in = built_in.map(|(_, source)| *source);
        Patterns::of(own.iter().map(String::as_str).chain(built_in), tokenizer)
    }

    /// Whether an expression can be a pattern.
    pub(crate) fn is_usable(source: &str, tokenizer: &Tokenizer) -> bool {
        BUILT_IN.iter().any(|(_, built_in)| *built_in == source) || whole_token(source, tokenizer).is_ok()
    }

    /// Patterns in order, built-in ones recognised by their expressions.
    pub(crate) fn of<'a>(
        sources: impl IntoIterator<Item = &'a str>,
        tokenizer: &Tokenizer,
    ) -> Result<Patterns, Error> {
        let known = |source: &str| BUILT_IN.iter().position(|(_, expression)| *expression == source);
        let (built_in, own): (Vec<&str>, Vec<&str>) =
            sources.into_iter().partition(|source| known(source).is_some());
        let most = MOST - built_in.len();
        if own.len() > most {
            return Err(Error::ManyPatterns {
                count: own.len(),
                most,
            });
        }
        let mut patterns = Patterns {
            sources: own.iter().map(|source| (*source).to_owned()).collect(),
            regexes: Vec::new(),
            built_in: [0; BUILT_IN.len()],
            words: 0,
            wordless: 0,
        };
        for (bit, source) in own.iter().enumerate() {
            let read = whole_token(source, tokenizer)?;
            patterns.wordless |= Set::from(!has_letter(&read.hir)) << bit;
            patterns.regexes.push(anchored(source, &read.source)?);
        }
        for source in built_in {
            let place = known(source).expect("it was recognised above");
            if patterns.built_in[place] == 0 {
                let (name, bit) = (BUILT_IN[place].0, 1 << patterns.sources.len());
                patterns.built_in[place] = bit;
                patterns.words |= if WORDS.contains(&name) { bit } else { 0 };
                patterns.wordless |= if WORDLESS.contains(&name) { bit } else { 0 };
                patterns.sources.push(source.to_owned());
            }
        }
        Ok(patterns)
    }

    /// The expressions; the first that matches replaces a token.
    pub fn sources(&self) -> &[String] {
        &self.sources
    }

    /// All patterns that match a token as a whole.
    pub(crate) fn matching(&self, token: &str) -> Set {
        let mut set = 0;
        for (bit, regex) in self.regexes.iter().enumerate() {
            set |= Set::from(regex.is_match(token)) << bit;
        }
        if self.sources.len() > self.regexes.len() {
            let found = BUILT_IN_SET.matches(token);
            set |= found.iter().fold(0, |set, place| set | self.built_in[place]);
        }
        set
    }

    /// Whether a token that only these patterns match may be a word of a menu.
    pub(crate) fn may_be_word(&self, set: Set) -> bool {
        set != 0 && set & !self.words == 0
    }

    /// Whether a pattern matches no words: a string of such tokens only is no template.
    pub(crate) fn is_wordless(&self, pattern: usize) -> bool {
        self.wordless >> pattern & 1 == 1
    }
}

/// A pattern, if it stands for whole tokens.
fn whole_token(source: &str, tokenizer: &Tokenizer) -> Result<PatternForms, Error> {
    let read = portable::read(source).map_err(|detail| Error::Pattern(source.to_owned(), detail))?;
    let properties = read.hir.properties();
    let problem = if properties.minimum_len().is_none_or(|length| length == 0) {
        "matches the empty text"
    } else if !properties.look_set().is_empty() {
        "looks at what is around a token"
    } else if !of_tokens(&read.hir, tokenizer) {
        "matches what lies between tokens"
    } else {
        return Ok(read);
    };
    Err(Error::NoToken(source.to_owned(), problem))
}

/// A pattern for whole tokens.
fn whole(source: &str) -> String {
    format!("^(?:{source})$")
}

/// The same as a regular expression.
fn anchored(source: &str, read: &str) -> Result<Regex, Error> {
    Regex::new(&whole(read))
        .map_err(|error| Error::Pattern(source.to_owned(), portable::last_line(&error.to_string())))
}

/// Whether an expression can match a letter.
fn has_letter(hir: &Hir) -> bool {
    let of_class = |class: &ClassUnicode| {
        let mut common = class.clone();
        common.intersect(&letters());
        !common.ranges().is_empty()
    };
    any(hir, &mut |part| match part.kind() {
        HirKind::Literal(literal) => {
            std::str::from_utf8(&literal.0).is_ok_and(|text| text.chars().any(char::is_alphabetic))
        }
        HirKind::Class(Class::Unicode(class)) => of_class(class),
        HirKind::Class(Class::Bytes(class)) => class.to_unicode_class().is_some_and(|class| of_class(&class)),
        _ => false,
    })
}

/// All letters.
fn letters() -> ClassUnicode {
    match regex_syntax::parse(r"\p{Alphabetic}").map(Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(class))) => class,
        _ => ClassUnicode::empty(),
    }
}

/// Whether all that an expression matches consists of characters of tokens.
fn of_tokens(hir: &Hir, tokenizer: &Tokenizer) -> bool {
    !any(hir, &mut |part| match part.kind() {
        HirKind::Literal(literal) => !std::str::from_utf8(&literal.0)
            .is_ok_and(|text| text.chars().all(|letter| tokenizer.holds(letter))),
        HirKind::Class(Class::Unicode(class)) => !tokenizer.holds_all(class),
        HirKind::Class(Class::Bytes(class)) => !class
            .to_unicode_class()
            .is_some_and(|class| tokenizer.holds_all(&class)),
        _ => false,
    })
}

/// Whether something is true of an expression or of a part of it.
fn any(hir: &Hir, is_true: &mut impl FnMut(&Hir) -> bool) -> bool {
    is_true(hir)
        || match hir.kind() {
            HirKind::Repetition(repetition) => any(&repetition.sub, is_true),
            HirKind::Capture(capture) => any(&capture.sub, is_true),
            HirKind::Concat(parts) | HirKind::Alternation(parts) => {
                parts.iter().any(|part| any(part, is_true))
            }
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(own: &[&str]) -> Result<Patterns, Error> {
        let config = TokenConfig {
            patterns: own.iter().map(|source| (*source).to_owned()).collect(),
            ..TokenConfig::default()
        };
        Patterns::new(&config, &Tokenizer::new(r"\S+")?)
    }

    fn names(token: &str) -> Vec<&'static str> {
        let found = BUILT_IN_SET.matches(token);
        found.iter().map(|place| BUILT_IN[place].0).collect()
    }

    /// Section 5.2: what its patterns are there to match, and the first name it gets here.
    #[test]
    fn the_patterns_of_section_5_2() {
        let cases = [
            ("Prof.", "abbreviation"),
            ("27th", "ordinal"),
            ("2007", "number"),
            ("12,345.67", "number"),
            ("14/02/2007", "date"),
            ("10:30", "date"),
            ("2007-05-29", "date"),
            ("(050)883-111", "amount"),
            ("$1,000", "amount"),
            ("---", "dashes"),
            ("BUSINESS_WEEK:", "capitals"),
            ("Jan-", "short month"),
            ("February", "month"),
            ("Tuesday,", "weekday"),
            ("Thu,", "short weekday"),
            ("hrs", "unit of time"),
            ("minutes", "unit of time"),
            ("gulli@di.unipi.it", "address"),
            ("http://www.sevendaysvt.com/", "address"),
            ("U.S.A.", "initials"),
            ("by", "by"),
            ("By", "by"),
        ];
        for (token, name) in cases {
            assert_eq!(names(token).first(), Some(&name), "{token}");
        }
        for token in [
            "read",
            "more",
            "I'm",
            "Bye",
            "a.b",
            "#",
            "x@",
            "@x",
            "second-hand",
            "",
            "日本",
        ] {
            assert!(names(token).is_empty(), "{token}: {:?}", names(token));
        }
    }

    #[test]
    fn the_strictest_is_first_and_a_user_comes_before() {
        let patterns = patterns(&["[0-9]+"]).unwrap();
        assert_eq!(patterns.sources()[0], "[0-9]+");
        assert_eq!(patterns.matching("24").trailing_zeros(), 0);
        assert_eq!(patterns.matching("May") & 1, 0);
    }

    #[test]
    fn patterns_that_are_no_tokens_are_refused() {
        let problem = |source: &str| patterns(&[source]).unwrap_err().to_string();
        assert_eq!(
            problem("[0-9"),
            "the mutable pattern '[0-9' is no regular expression: unclosed character class"
        );
        assert!(problem("[0-9]*").contains("matches the empty text"));
        assert!(problem("a b").contains("matches what lies between tokens"));
        assert!(problem("a.b").contains("matches what lies between tokens"));
        assert!(problem(r"\bid").contains("looks at what is around a token"));
        assert!(patterns(&[r"id=\S+", "[a-f]{8}"]).is_ok());
        let many = vec!["x+"; 60];
        assert!(matches!(
            patterns(&many),
            Err(Error::ManyPatterns { count: 60, .. })
        ));
    }
}
