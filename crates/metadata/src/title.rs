//! The title: the heading that agrees with the head, or the head's title without the site's name.
//!
//! `<title>` and Open Graph's title hold the page's title with the site's name, a slogan, sections;
//! a page's first heading is often its title, and often the site's name. Where a heading is what
//! the head gives, or as much of it as stands between separators, both agree on what the title is.
//! Where the head has a [placeholder](PLACEHOLDERS) or the site's name alone, the only heading is the title.

use std::borrow::Cow;
use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// Minimum similarity of a heading and the head's title (Dice's coefficient of their words).
const AGREEMENT: f64 = 0.7;
/// The same where it is the only heading.
const AGREEMENT_ALONE: f64 = 0.4;
/// Headings of more bytes are no titles.
const LONGEST: usize = 400;
/// Maximum names per site.
const NAMES: usize = 20;
/// Characters between quotation marks.
const LONGEST_QUOTATION: usize = 200;

/// Titles that editors and frameworks write until authors do, and those of front pages.
static PLACEHOLDERS: LazyLock<FxHashSet<String>> = LazyLock::new(|| {
    let lines = include_str!("title/placeholders.txt").lines();
    lines.filter(|line| !line.starts_with('#')).map(words).collect()
});

/// What a site may be called.
pub(super) struct Site<'a> {
    /// The names that the page gives, their words without spaces.
    names: Vec<String>,
    /// The labels of its host, but for the last.
    host: Vec<&'a str>,
    /// The page is the front page of the site: its title is that of the site.
    is_front: bool,
}

impl<'a> Site<'a> {
    pub(super) fn new<'n>(names: impl Iterator<Item = &'n str>, url: &'a str) -> Site<'a> {
        let host = url.split_once("://").map_or("", |(_, rest)| {
            rest.split(['/', '?', '#', ':']).next().unwrap_or_default()
        });
        let host = host.strip_prefix("www.").unwrap_or(host);
        let labels = host.rsplit_once('.').map_or("", |(labels, _)| labels);
        Site {
            names: names
                .take(NAMES)
                .map(|name| words(name).replace(' ', ""))
                .collect(),
            host: labels.split('.').filter(|label| !label.is_empty()).collect(),
            is_front: is_front(url),
        }
    }

    /// Whether a text is the site's name and no version or number beside it.
    fn is_name(&self, text: &str) -> bool {
        self.is_called(text) && !text.contains(|letter: char| letter.is_numeric())
    }

    /// Whether a part of a title is the site's name.
    fn is_called(&self, part: &str) -> bool {
        let own = words(part);
        let letters = own.replace(' ', "");
        if letters.is_empty() {
            return false;
        }
        let in_host = |label: &str| {
            let label = label.replace('-', "").to_lowercase();
            letters.len() > 2 && label.contains(&letters)
                || label.len() > 3 && letters.contains(&label) && label.len() * 2 >= letters.len()
        };
        self.names.contains(&letters) || self.host.iter().any(|label| in_host(label))
    }
}

/// What a title is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TitleFrom {
    Heading,
    /// The title of this number among those that the head gives.
    Given(usize),
}

/// The title, of what the head gives (the best first) and of the page's headings in their order. `lesser` are the headings of
/// the second rank, for a page that has none of the first.
pub(super) fn choose<'t>(
    given: &[&str],
    headings: &[String],
    site: &Site<'_>,
    lesser: &dyn Fn() -> Vec<String>,
) -> Option<(Cow<'t, str>, TitleFrom)> {
    let own = |text: &str, from| Some((Cow::Owned(text.to_owned()), from));
    let given = given.iter().enumerate();
    let all: Vec<GivenTitle> = given
        .map(|(place, title)| GivenTitle::new(place, title, site))
        .collect();
    let (empty, meaningful): (Vec<GivenTitle>, Vec<GivenTitle>) =
        all.into_iter().partition(|title| title.is_empty);
    if meaningful.is_empty()
        && !empty.is_empty()
        && let Some(heading) = only_heading(headings, site, lesser)
    {
        return own(&heading, TitleFrom::Heading);
    }
    // The head often adds the site's name, and its marks cannot be parted from those of the title; a heading has none. So
    // the heading that agrees best with the head is the title, and the head decides only where no heading agrees.
    let known = if meaningful.is_empty() { empty } else { meaningful };
    let headings: Vec<&str> = headings.iter().filter_map(|heading| as_title(heading)).collect();
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
        let is_alone = headings.len() == 1 && known.iter().all(|title| is_placeholder(&title.words));
        if agreement >= enough || known.is_empty() || is_alone {
            return own(heading, TitleFrom::Heading);
        }
    }
    let title = known.first()?;
    own(title.cut, TitleFrom::Given(title.place))
}

/// A heading without the marks of links to it; nothing where it is no title.
fn as_title(heading: &str) -> Option<&str> {
    let bare = heading.trim_end_matches(['¶', '#', ' ']);
    (bare.len() <= LONGEST && !words(bare).is_empty()).then_some(bare)
}

/// The only heading that is neither a placeholder nor the site's name: of the first rank, else of the second.
fn only_heading(headings: &[String], site: &Site<'_>, lesser: &dyn Fn() -> Vec<String>) -> Option<String> {
    let only = |headings: &[String]| {
        let titles = headings.iter().filter_map(|heading| as_title(heading));
        let mut own = titles.filter(|heading| !site.is_name(heading) && !is_placeholder(&words(heading)));
        own.next()
            .map(|first| own.next().is_none().then(|| first.to_owned()))
    };
    only(headings).or_else(|| only(&lesser())).flatten()
}

/// Whether words are what stands where a title is missing.
fn is_placeholder(words: &str) -> bool {
    let unnumbered = words.trim_end_matches(|letter: char| letter.is_ascii_digit());
    PLACEHOLDERS.contains(unnumbered.trim_end())
}

/// Whether an address has no path: it is that of a front page.
pub(super) fn is_front(address: &str) -> bool {
    let address = address.split(['?', '#']).next().unwrap_or_default().trim();
    match address.split_once("//") {
        Some((_, rest)) => rest.find('/').is_none_or(|at| &rest[at..] == "/"),
        None => address == "/",
    }
}

/// A title that the head gives.
struct GivenTitle<'a> {
    place: usize,
    /// Without the site's name.
    cut: &'a str,
    /// The words of all of it, of the cut, and of each of its parts.
    all: String,
    words: String,
    parts: Vec<String>,
    /// It says nothing about the page: it is a placeholder, the site's name, or both.
    is_empty: bool,
}

impl<'a> GivenTitle<'a> {
    fn new(place: usize, title: &'a str, site: &Site<'_>) -> GivenTitle<'a> {
        let parts = parts(title);
        let cut = without_site(title, &parts, site);
        let parts: Vec<String> = parts.iter().map(|part| words(&title[part.clone()])).collect();
        // What stands beside a placeholder is the site's name.
        let of_cut = words(cut);
        let is_beside =
            matches!(parts.as_slice(), [one, other] if is_placeholder(one) || is_placeholder(other));
        let is_of_site = || is_beside || site.is_name(cut);
        let is_empty = is_placeholder(&of_cut) || (!site.is_front && is_of_site());
        GivenTitle {
            place,
            cut,
            all: words(title),
            words: of_cut,
            parts,
            is_empty,
        }
    }
}

/// How far a heading agrees with what the head gives, from 0 to 2 and more where it is a whole part.
fn agreement(heading: &str, known: &[GivenTitle<'_>]) -> f64 {
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
    let mut is_apart = false;
    for letter in text.chars() {
        if !letter.is_alphanumeric() {
            is_apart = !out.is_empty();
            continue;
        }
        if std::mem::take(&mut is_apart) {
            out.push(' ');
        }
        match letter.is_ascii() {
            true => out.push(letter.to_ascii_lowercase()),
            false => out.extend(letter.to_lowercase()),
        }
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
        let first = at + usize::from(letters[at].1.is_whitespace());
        if let Some(close) = quotation_end(&letters, first) {
            at = close + 1;
            continue;
        }
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

/// The place of the mark that closes the quotation which a letter opens; `None` where it opens none. Marks that are separators,
/// too, are quotation marks in pairs. Those whose shape does not say which of two they are stand close to the quotation.
fn quotation_end(letters: &[(usize, char)], open: usize) -> Option<usize> {
    let letter = |at: usize| letters.get(at).map_or(' ', |letter| letter.1);
    let (closing, is_tight): (&[char], bool) = match letter(open) {
        '«' => (&['»'], false),
        '‹' => (&['›'], false),
        '„' => (&['“', '”', '"'], false),
        '“' => (&['”'], false),
        '「' => (&['」'], false),
        '『' => (&['』'], false),
        '《' => (&['》'], false),
        '〈' => (&['〉'], false),
        '»' => (&['«', '»'], true),
        '›' => (&['‹', '›'], true),
        '”' => (&['”'], true),
        '"' => (&['"'], true),
        _ => return None,
    };
    let is_outside = |letter: char| !letter.is_alphanumeric();
    let begins = !is_tight
        || (!letter(open + 1).is_whitespace() && open.checked_sub(1).is_none_or(|at| is_outside(letter(at))));
    let ends = |at: usize| !is_tight || (!letter(at - 1).is_whitespace() && is_outside(letter(at + 1)));
    let places = open + 1..letters.len().min(open + LONGEST_QUOTATION);
    let mut closing = places.filter(|&at| closing.contains(&letter(at)) && ends(at));
    closing.next().filter(|_| begins)
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
