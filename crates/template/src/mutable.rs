//! Mutable patterns (sections 3.3 and 5.2): tokens that change from page to page in the same place.
//!
//! A token that a pattern matches as a whole is replaced by the pattern's expression before the
//! suffix array is built. If several match, the first in the order of [`Patterns`] replaces it. The built-in patterns are
//! matched by code, in one pass over the token's bytes; tests compare it with their expressions.

use gleaner_site::calendar::{MONTHS, WEEKDAYS};
use regex::Regex;
use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind};

use crate::portable::{self, Reading};
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

const MONTH: u32 = 0;
const WEEKDAY: u32 = 1;
const SHORT_MONTH: u32 = 2;
const SHORT_WEEKDAY: u32 = 3;
const BY: u32 = 4;
const UNIT: u32 = 5;
const ORDINAL: u32 = 6;
const NUMBER: u32 = 7;
const DATE: u32 = 8;
const AMOUNT: u32 = 9;
const DASHES: u32 = 10;
const TIME: u32 = 11;
const TIMESTAMP: u32 = 12;
const INITIALS: u32 = 13;
const ABBREVIATION: u32 = 14;
const CAPITALS: u32 = 15;
const HEXADECIMAL: u32 = 16;
const ADDRESS: u32 = 17;

/// The built-in patterns that also match words of the language. Such a token is not replaced if
/// most pages have it: `HOME` in a menu.
const WORDS: u64 = 1 << BY | 1 << ABBREVIATION | 1 << CAPITALS;

/// Patterns without words in them.
const WORDLESS: u64 =
    1 << NUMBER | 1 << DATE | 1 << AMOUNT | 1 << DASHES | 1 << CAPITALS | 1 << HEXADECIMAL | 1 << ADDRESS;

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
    /// Of the user's, those that match no letter.
    wordless: Set,
    /// For every built-in pattern, its bit; 0 where it is not used.
    built_in: [Set; BUILT_IN.len()],
    /// The built-in ones that are used, a bit each.
    used: u32,
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
            wordless: 0,
            built_in: [0; BUILT_IN.len()],
            used: 0,
        };
        for (bit, source) in own.iter().enumerate() {
            let read = whole_token(source, tokenizer)?;
            patterns.wordless |= Set::from(!has_letter(&read.hir)) << bit;
            patterns.regexes.push(anchored(source, &read.source)?);
        }
        for source in built_in {
            let place = known(source).expect("it was recognised above");
            if patterns.built_in[place] == 0 {
                patterns.built_in[place] = 1 << patterns.sources.len();
                patterns.used |= 1 << place;
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
        let mut found = match self.used {
            0 => 0,
            used => built_in(token, used),
        };
        while found != 0 {
            set |= self.built_in[found.trailing_zeros() as usize];
            found &= found - 1;
        }
        set
    }

    /// Whether a token that only these patterns match may be a word of a menu.
    pub(crate) fn may_be_word(&self, set: Set) -> bool {
        set != 0 && set & !self.of_built_in(WORDS) == 0
    }

    /// Whether a pattern matches no words: a string of such tokens only is no template.
    pub(crate) fn is_wordless(&self, pattern: usize) -> bool {
        (self.wordless | self.of_built_in(WORDLESS)) >> pattern & 1 == 1
    }

    fn of_built_in(&self, wanted: Set) -> Set {
        let bits = self.built_in.iter().enumerate();
        bits.filter(|(place, _)| wanted >> place & 1 == 1)
            .fold(0, |set, (_, bit)| set | bit)
    }
}

/// A pattern, if it stands for whole tokens.
fn whole_token(source: &str, tokenizer: &Tokenizer) -> Result<Reading, Error> {
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

/// A pattern as a regular expression that matches whole tokens.
fn anchored(source: &str, read: &str) -> Result<Regex, Error> {
    Regex::new(&format!("^(?:{read})$"))
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

/// The built-in patterns that match a token as a whole, a bit each; of those that are not used some may be left
/// out.
fn built_in(token: &str, used: u32) -> u32 {
    const OF_CAPITALS: u32 = 1 << MONTH
        | 1 << SHORT_MONTH
        | 1 << WEEKDAY
        | 1 << SHORT_WEEKDAY
        | 1 << INITIALS
        | 1 << ABBREVIATION
        | 1 << CAPITALS;
    let bytes = token.as_bytes();
    let Some(&first) = bytes.first() else { return 0 };
    let mut found = 0;
    if used & 1 << ADDRESS != 0 {
        found |= u32::from(is_address(token)) << ADDRESS;
    }
    if first.is_ascii_uppercase() && used & OF_CAPITALS != 0 {
        found |= capitalised(bytes);
    }
    found |= u32::from(token == "by" || token == "By") << BY;
    if b"hdmswy".contains(&first) {
        found |= u32::from(is_unit(token)) << UNIT;
    }
    if !first.is_ascii_alphabetic() && first.is_ascii() {
        found |= numeric(token);
    }
    if bytes.len() >= 16 {
        let hexadecimal = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b'-';
        found |= u32::from(bytes.iter().all(hexadecimal)) << HEXADECIMAL;
    }
    found
}

/// Of a token that begins with a capital letter.
fn capitalised(bytes: &[u8]) -> u32 {
    let name = &bytes[..run(bytes, |byte| byte.is_ascii_alphabetic())];
    let short = |whole: &&[u8]| name == &whole[..3];
    let mut found = 0;
    if (3..=9).contains(&name.len()) && all(&bytes[name.len()..], |byte| byte.is_ascii_punctuation()) {
        found |= u32::from(MONTHS.contains(&name)) << MONTH;
        found |= u32::from(MONTHS.iter().any(short)) << SHORT_MONTH;
        found |= u32::from(WEEKDAYS.contains(&name)) << WEEKDAY;
        found |= u32::from(WEEKDAYS.iter().any(short)) << SHORT_WEEKDAY;
    }
    let capitals = run(bytes, |byte| byte.is_ascii_uppercase() || b"_-".contains(&byte));
    let is_capitals = capitals >= 2 && all(&bytes[capitals..], |byte| byte.is_ascii_punctuation());
    found |= u32::from(is_capitals) << CAPITALS;
    let initials = bytes.len() >= 4
        && bytes.len().is_multiple_of(2)
        && bytes
            .chunks(2)
            .all(|pair| pair[0].is_ascii_uppercase() && pair[1] == b'.');
    found |= u32::from(initials) << INITIALS;
    let abbreviation = (3..=6).contains(&bytes.len())
        && bytes.ends_with(b".")
        && all(&bytes[..bytes.len() - 1], |byte| {
            byte.is_ascii_alphanumeric() || byte == b'_'
        });
    found | u32::from(abbreviation) << ABBREVIATION
}

/// Of a token that begins with a digit or a sign.
fn numeric(token: &str) -> u32 {
    let bytes = token.as_bytes();
    let digits = run(bytes, |byte| byte.is_ascii_digit());
    let made_of = |signs: &[u8]| all(bytes, |byte| byte.is_ascii_digit() || signs.contains(&byte));
    let mut found = u32::from(all(bytes, |byte| byte == b'-')) << DASHES;
    if bytes.iter().any(u8::is_ascii_digit) {
        found |= u32::from(made_of(b",.")) << NUMBER;
        found |= u32::from(made_of(b"/:-")) << DATE;
        found |= u32::from(made_of(b"$%#+,.()[]/:-")) << AMOUNT;
    }
    if digits > 0 {
        let rest = &token[digits..];
        let ordinal = ["st", "nd", "rd", "th", "st,", "nd,", "rd,", "th,"].contains(&rest);
        found |= u32::from(ordinal) << ORDINAL;
        found |= u32::from(is_time(bytes, digits)) << TIME;
        found |= u32::from(is_timestamp(bytes)) << TIMESTAMP;
    }
    found
}

fn is_unit(token: &str) -> bool {
    let stem = token.trim_end_matches('s');
    ["hr", "hour", "day", "minute", "second", "week", "month", "year"].contains(&stem)
}

/// `[!-~]+@[!-~]+|https?://[^\t-\r ]*`
fn is_address(token: &str) -> bool {
    let bytes = token.as_bytes();
    let inner = bytes.get(1..bytes.len().saturating_sub(1)).unwrap_or_default();
    let has_scheme = bytes.starts_with(b"http") && {
        let rest = &bytes[b"http".len()..];
        rest.strip_prefix(b"s").unwrap_or(rest).starts_with(b"://")
    };
    (inner.contains(&b'@') && all(bytes, |byte| byte.is_ascii_graphic()))
        || (has_scheme && !bytes.iter().any(|byte| matches!(byte, b'\t'..=b'\r' | b' ')))
}

/// `[0-9]{1,2}(:[0-9]{2}){0,2}(am|pm|AM|PM)`, and signs
fn is_time(bytes: &[u8], digits: usize) -> bool {
    if digits > 2 {
        return false;
    }
    let mut rest = &bytes[digits..];
    for _ in 0..2 {
        match rest {
            [b':', ten, one, after @ ..] if ten.is_ascii_digit() && one.is_ascii_digit() => rest = after,
            _ => break,
        }
    }
    let half = [&b"am"[..], b"pm", b"AM", b"PM"];
    half.iter().any(|half| rest.starts_with(half)) && all(&rest[2..], |byte| byte.is_ascii_punctuation())
}

/// `[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+\-][0-9:]+)?`
fn is_timestamp(bytes: &[u8]) -> bool {
    let Some((date, rest)) = bytes.split_at_checked(11) else {
        return false;
    };
    let shape = date
        .iter()
        .zip(b"dddd-dd-ddT")
        .all(|(byte, wanted)| match wanted {
            b'd' => byte.is_ascii_digit(),
            wanted => byte == wanted,
        });
    let time = run(rest, |byte| byte.is_ascii_digit() || b":.".contains(&byte));
    let zone_is_right = match &rest[time..] {
        [] | [b'Z'] => true,
        [b'+' | b'-', zone @ ..] => {
            !zone.is_empty() && all(zone, |byte| byte.is_ascii_digit() || byte == b':')
        }
        _ => false,
    };
    shape && time > 0 && zone_is_right
}

/// How many bytes from the first on are of a kind.
fn run(bytes: &[u8], kind: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| kind(**byte)).count()
}

fn all(bytes: &[u8], kind: impl Fn(u8) -> bool) -> bool {
    run(bytes, kind) == bytes.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn patterns(own: &[&str]) -> Result<Patterns, Error> {
        let config = TokenConfig {
            patterns: own.iter().map(|source| (*source).to_owned()).collect(),
            ..TokenConfig::default()
        };
        Patterns::new(&config, &Tokenizer::new(r"\S+")?)
    }

    fn names(token: &str) -> Vec<&'static str> {
        let found = built_in(token, u32::MAX);
        let named = BUILT_IN.iter().enumerate();
        named
            .filter(|(place, _)| found >> place & 1 == 1)
            .map(|(_, (name, _))| *name)
            .collect()
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

    proptest! {
        /// What is matched by hand is what the expressions say.
        #[test]
        fn by_hand_is_by_expression(token in prop_oneof![
            "[ -~]{1,6}",
            "[0-9$%#+,.()\\[\\]/:-]{1,8}",
            "[0-9]{1,2}(:[0-9]{2}){0,3}(am|pm|AM)?[.)]?",
            "2007-05-29[T ]?[0-9:.]{0,5}(Z|[+-][0-9:]{0,3})?x?",
            "[A-C._-]{1,6}[a.)]?",
            "(January|Jan|May|Monday|Mon|hr|day|weeks)s*[.,)s]{0,3}",
            "[0-9]{1,3}(st|nd|rd|th),{0,2}",
            "[a-c@.]{1,5}",
            "https?:/{1,2}[a-z日@/]{0,4}",
            "[0-9a-fA-Fg-]{14,18}",
        ], used in 0u32..1 << BUILT_IN.len()) {
            let expected = BUILT_IN.iter().enumerate().fold(0u32, |set, (place, (_, source))| {
                let regex = Regex::new(&format!("^(?:{source})$")).unwrap();
                set | u32::from(regex.is_match(&token)) << place
            });
            prop_assert_eq!(built_in(&token, u32::MAX), expected, "{:?}", names(&token));
            prop_assert_eq!(built_in(&token, used) & used, expected & used);
        }
    }
}
