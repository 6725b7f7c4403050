//! The title: the heading that agrees with the head, or the head's title without the site's name.
//!
//! `<title>` and Open Graph's title hold the page's title with the site's name, a slogan, sections;
//! a page's first heading is often its title, and often the site's name. Where a heading is what
//! the head gives, or as much of it as stands between separators, both agree on what the title is.
//! Where the head has a [placeholder](PLACEHOLDERS), the only heading is the title.

use std::borrow::Cow;

/// A heading has to share this much with the head's title (Dice's coefficient of their words)...
const AGREEMENT: f64 = 0.7;
/// ... or this much, where it is the only one.
const AGREEMENT_ALONE: f64 = 0.4;
/// Headings of more bytes are no titles.
const LONGEST: usize = 400;

/// Titles that editors and frameworks write until somebody else does: a line of words each.
const PLACEHOLDERS: &str = include_str!("title/placeholders.txt");

/// What a site may be called.
pub(super) struct Site<'a> {
    /// The name that the page gives, its words alone.
    name: Option<String>,
    /// The labels of its host, but for the last.
    host: Vec<&'a str>,
}

impl<'a> Site<'a> {
    pub(super) fn new(name: Option<&str>, url: &'a str) -> Site<'a> {
        let host = url.split_once("://").map_or("", |(_, rest)| {
            rest.split(['/', '?', '#', ':']).next().unwrap_or_default()
        });
        let host = host.strip_prefix("www.").unwrap_or(host);
        let labels = host.rsplit_once('.').map_or("", |(labels, _)| labels);
        Site {
            name: name.map(words).filter(|name| !name.is_empty()),
            host: labels.split('.').filter(|label| !label.is_empty()).collect(),
        }
    }

    /// Whether a part of a title is the site's name.
    fn is_called(&self, part: &str) -> bool {
        let own = words(part);
        let letters = own.replace(' ', "");
        if letters.is_empty() {
            return false;
        }
        let named = self.name.as_ref();
        let in_host = |label: &str| {
            let label = label.replace('-', "").to_lowercase();
            letters.len() > 2 && label.contains(&letters)
                || label.len() > 3 && letters.contains(&label) && label.len() * 2 >= letters.len()
        };
        named.is_some_and(|name| name.replace(' ', "") == letters)
            || self.host.iter().any(|label| in_host(label))
    }
}

/// The title, of what the head gives (the best first) and of the page's headings in their order.
pub(super) fn choose<'t>(given: &[&str], headings: &[String], site: &Site<'_>) -> Option<Cow<'t, str>> {
    let own = |text: &str| Some(Cow::Owned(text.to_owned()));
    let known: Vec<Given> = given.iter().map(|title| Given::new(title, site)).collect();
    let headings = headings
        .iter()
        .map(|heading| heading.trim_end_matches(['¶', '#', ' ']));
    let headings: Vec<&str> = headings
        .filter(|heading| heading.len() <= LONGEST && !words(heading).is_empty())
        .collect();
    let mut best: Option<(f64, &str)> = None;
    for heading in &headings {
        let agreement = agreement(heading, &known);
        if best.is_none_or(|(most, _)| agreement > most) {
            best = Some((agreement, heading));
        }
    }
    if let Some((agreement, heading)) = best {
        let enough = match headings.len() {
            1 => AGREEMENT_ALONE,
            _ => AGREEMENT,
        };
        let is_alone = known.is_empty() || headings.len() == 1 && known.iter().all(Given::is_placeholder);
        if agreement >= enough || is_alone {
            return own(heading);
        }
    }
    known.first().and_then(|title| own(title.cut))
}

/// A title that the head gives.
struct Given<'a> {
    /// Without the site's name.
    cut: &'a str,
    /// The words of all of it, of the cut, and of each of its parts.
    all: String,
    words: String,
    parts: Vec<String>,
}

impl<'a> Given<'a> {
    fn new(title: &'a str, site: &Site<'_>) -> Given<'a> {
        let parts = parts(title);
        let cut = without_site(title, &parts, site);
        Given {
            cut,
            all: words(title),
            words: words(cut),
            parts: parts.iter().map(|part| words(&title[part.clone()])).collect(),
        }
    }

    fn is_placeholder(&self) -> bool {
        let unnumbered = self
            .words
            .trim_end_matches(|letter: char| letter.is_ascii_digit());
        PLACEHOLDERS.lines().any(|line| line == unnumbered.trim_end())
    }
}

/// How far a heading agrees with what the head gives, from 0 to 2 and more where it is a whole part.
fn agreement(heading: &str, known: &[Given<'_>]) -> f64 {
    let own = words(heading);
    let mut most = 0.0f64;
    let mut is_last = false;
    for title in known {
        if own == title.all {
            return 4.0;
        }
        for count in 1..=title.parts.len() {
            if own == title.parts[..count].join(" ") {
                most = most.max(3.5);
            }
        }
        let (inner, last) = title.parts.split_at(title.parts.len().saturating_sub(1));
        if inner.iter().skip(1).any(|part| *part == own) {
            most = most.max(3.0);
        }
        is_last |= !inner.is_empty() && last.first() == Some(&own);
    }
    if most > 0.0 {
        return most;
    }
    if is_last {
        // Where titles end, sites have their names.
        return 0.15;
    }
    known
        .iter()
        .map(|title| dice(&own, &title.words))
        .fold(0.0, f64::max)
}

/// Dice's coefficient of two texts' words, each once.
fn dice(a: &str, b: &str) -> f64 {
    let set = |text: &str| -> Vec<String> {
        let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        words.sort_unstable();
        words.dedup();
        words
    };
    let (a, b) = (set(a), set(b));
    let common = a.iter().filter(|word| b.binary_search(word).is_ok()).count();
    2.0 * common as f64 / (a.len() + b.len()) as f64
}

/// The words of a text in lower case, a space between them.
pub(super) fn words(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split(|letter: char| !letter.is_alphanumeric()) {
        if word.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
    out
}

/// A title without the site's name at its ends. Where none is found, a last part that is short
/// beside the others is taken for one.
fn without_site<'t>(title: &'t str, parts: &[std::ops::Range<usize>], site: &Site<'_>) -> &'t str {
    let (mut from, mut to) = (0, parts.len());
    while to - from > 1 && site.is_called(&title[parts[to - 1].clone()]) {
        to -= 1;
    }
    while to - from > 1 && site.is_called(&title[parts[from].clone()]) {
        from += 1;
    }
    if to - from == parts.len() && to > 1 {
        let count = |text: &str| text.split_whitespace().count();
        let (rest, last) = (&title[..parts[to - 2].end], &title[parts[to - 1].clone()]);
        let is_short = count(last) <= 4 && count(last) < count(rest);
        to -= usize::from(is_short && !ends_with_number(last));
    }
    &title[parts[from].start..parts[to - 1].end]
}

/// Whether a part ends with a number, as parts of a series and ranges of years do: sites' names seldom end so.
fn ends_with_number(part: &str) -> bool {
    let last = part
        .split(|letter: char| !letter.is_alphanumeric())
        .rfind(|word| !word.is_empty());
    last.is_some_and(|word| {
        word.chars().all(char::is_numeric) || word.bytes().all(|letter| matches!(letter, b'I' | b'V' | b'X'))
    })
}

/// The parts of a title between separators; at least one.
fn parts(title: &str) -> Vec<std::ops::Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    let letters: Vec<(usize, char)> = title.char_indices().collect();
    let mut at = 0;
    while at < letters.len() {
        let end = separator(&letters, at);
        if end == at {
            at += 1;
            continue;
        }
        let (from, to) = (
            letters[at].0,
            letters.get(end).map_or(title.len(), |letter| letter.0),
        );
        push_part(&mut parts, title, start..from);
        start = to;
        at = end;
    }
    push_part(&mut parts, title, start..title.len());
    if parts.is_empty() {
        parts.push(0..title.len());
    }
    parts
}

fn push_part(parts: &mut Vec<std::ops::Range<usize>>, title: &str, part: std::ops::Range<usize>) {
    let text = &title[part.clone()];
    let from = part.start + (text.len() - text.trim_start().len());
    let to = from + text.trim().len();
    if from < to {
        parts.push(from..to);
    }
}

/// One past the separator that begins at a letter; the letter itself where there is none.
fn separator(letters: &[(usize, char)], at: usize) -> usize {
    let white = |at: usize| letters.get(at).is_some_and(|letter| letter.1.is_whitespace());
    let first = at + usize::from(white(at));
    let mut end = first;
    while letters.get(end).is_some_and(|letter| is_separator(letter.1)) {
        end += 1;
    }
    if end == first {
        return at;
    }
    let own = &letters[first..end];
    let spaced = white(at) && white(end);
    // Scripts that are written without spaces have none around separators either.
    let dense = |at: Option<usize>| {
        at.and_then(|at| letters.get(at))
            .is_some_and(|l| l.1 >= '\u{2e80}')
    };
    let unspaced = own.len() == 1
        && matches!(own[0].1, '-' | '_' | '–' | '—')
        && (dense(first.checked_sub(1)) || dense(Some(end)));
    match spaced || unspaced || own.iter().any(|letter| is_strong(letter.1)) {
        true => end,
        false => at,
    }
}

fn is_separator(letter: char) -> bool {
    is_strong(letter) || matches!(letter, '-' | '–' | '—' | '·' | '~' | '/' | ':' | '_')
}

/// Separators that need no space around them.
fn is_strong(letter: char) -> bool {
    matches!(letter, '|' | '｜' | '»' | '«' | '•' | '│')
}
