//! Kinds of pages by those of the pages of the site whose addresses are alike.
//!
//! The threads of a forum have one template and addresses of one shape. So what most of them are says more of each than its
//! own cues: a thread without an answer is a thread, too.

use std::ops::{AddAssign, Neg, Sub};

use gleaner_columns::{ln, softmax};
use xxhash_rust::xxh3::xxh3_64;

/// Maximum kinds of pages.
pub const MAX_KINDS: usize = 8;

/// The probability of each kind; zeros behind the last.
pub type KindShares = [f32; MAX_KINDS];

/// Minimum other pages per group that gives evidence.
const LEAST_PAGES: i64 = 4;

/// Weight of the mean of the others beside a page's own log probabilities.
const WEIGHT: f64 = 2.0;

/// Denominator of log probabilities, and their minimum.
const UNIT: f64 = 256.0;
const LOWEST: f64 = -14.0;

/// Denominator to which the mean of the others is rounded, so that one page more changes few means.
const CLASSES: f64 = 8.0;

/// What the sums of kinds are made of: the kinds of one page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindNote {
    /// A hash of the shape of its address.
    pub address: u64,
    /// The log probability of each kind, in parts of 1/256; zeros where nothing is known of the page's kind.
    pub logs: [i16; MAX_KINDS],
}

/// The sums over pages whose addresses have one shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindSums {
    pages: i64,
    logs: [i64; MAX_KINDS],
}

impl KindNote {
    /// The note of a page at an address.
    pub fn of(url: &str, shares: &KindShares) -> KindNote {
        let log = |share: f32| match share > 0.0 {
            true => (ln(f64::from(share)).max(LOWEST) * UNIT).round() as i16,
            false => (LOWEST * UNIT) as i16,
        };
        KindNote {
            address: xxh3_64(shape(url).as_bytes()),
            logs: shares.map(log),
        }
    }

    fn is_known(&self) -> bool {
        self.logs.iter().any(|&log| log != 0)
    }

    /// What the page adds to the sums.
    pub fn sums(&self) -> KindSums {
        if !self.is_known() {
            return KindSums::default();
        }
        KindSums {
            pages: 1,
            logs: self.logs.map(i64::from),
        }
    }

    /// The probabilities of the page's kinds beside those of other pages: its log probabilities and twice the mean of theirs,
    /// rounded to eighths.
    /// None where fewer than four others have such an address.
    pub fn beside(&self, others: &KindSums) -> Option<KindShares> {
        if others.pages < LEAST_PAGES || !self.is_known() {
            return None;
        }
        let mean = |kind: usize| others.logs[kind] as f64 / others.pages as f64 / UNIT;
        let rounded = |mean: f64| (mean * CLASSES).round() / CLASSES;
        let mut scores: [f64; MAX_KINDS] =
            std::array::from_fn(|kind| f64::from(self.logs[kind]) / UNIT + WEIGHT * rounded(mean(kind)));
        softmax(&mut scores);
        Some(scores.map(|share| share as f32))
    }
}

impl KindSums {
    pub(crate) fn is_zero(&self) -> bool {
        *self == KindSums::default()
    }
}

impl AddAssign for KindSums {
    fn add_assign(&mut self, other: KindSums) {
        self.pages += other.pages;
        for kind in 0..MAX_KINDS {
            self.logs[kind] += other.logs[kind];
        }
    }
}

impl Neg for KindSums {
    type Output = KindSums;

    fn neg(self) -> KindSums {
        KindSums {
            pages: -self.pages,
            logs: self.logs.map(|log| -log),
        }
    }
}

impl Sub for KindSums {
    type Output = KindSums;

    fn sub(mut self, other: KindSums) -> KindSums {
        self += -other;
        self
    }
}

/// The shape of an address: its host, its folders, and the names of its parameters. Digits are one zero, and its last name is
/// a star, but for its end: `forum.example/t/0.html`, `shop.example/lamps/*?page`.
fn shape(url: &str) -> String {
    let rest = url.split_once("//").map_or(url, |(_, rest)| rest);
    let rest = rest.split('#').next().unwrap_or_default();
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let mut parts: Vec<&str> = path.split('/').collect();
    let last = if parts.len() > 1 { parts.pop() } else { None }.unwrap_or_default();
    let end = match last {
        "" if parts.len() > 1 => format!("{}/", name(parts.pop().unwrap_or_default())),
        "" => String::new(),
        _ => file(last),
    };
    let mut shape: Vec<String> = parts.into_iter().map(without_digits).collect();
    shape.push(end);
    let mut names: Vec<&str> = query
        .split('&')
        .filter_map(|pair| pair.split('=').next())
        .collect();
    names.sort_unstable();
    names.dedup();
    shape.join("/") + "?" + &names.join("&")
}

/// The shape of the last name of an address that may have an end, such as `.html`.
fn file(last: &str) -> String {
    let is_end =
        |end: &str| (2..=5).contains(&end.len()) && end.bytes().all(|byte| byte.is_ascii_alphanumeric());
    match last.rsplit_once('.').filter(|(_, end)| is_end(end)) {
        Some((stem, end)) => format!("{}.{end}", name(stem)),
        None => name(last).to_owned(),
    }
}

fn name(last: &str) -> &str {
    match last {
        "index" => "index",
        _ if last.bytes().all(|byte| byte.is_ascii_digit()) => "0",
        _ => "*",
    }
}

/// A part of an address with a zero for each run of digits.
fn without_digits(part: &str) -> String {
    let mut folded = String::with_capacity(part.len());
    for letter in part.chars() {
        match letter.is_ascii_digit() {
            true if folded.ends_with('0') => {}
            true => folded.push('0'),
            false => folded.push(letter),
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_template_have_one_shape() {
        for (url, expected) in [
            ("https://forum.example/t/4711.html", "forum.example/t/0.html?"),
            ("https://a.example/2021/05/12/a-storm/", "a.example/0/0/0/*/?"),
            ("https://a.example/2021/05/", "a.example/0/0/?"),
            ("https://a.example/", "a.example/?"),
            ("https://a.example", "a.example/?"),
            (
                "https://shop.example/lamps/oak?page=2&sort=price#top",
                "shop.example/lamps/*?page&sort",
            ),
            ("https://a.example/docs/index.html", "a.example/docs/index.html?"),
        ] {
            assert_eq!(shape(url), expected, "{url}");
        }
    }

    /// A page that is of its first kind with a probability, else of its second.
    fn page(share: f32) -> KindNote {
        let mut shares = KindShares::default();
        (shares[0], shares[1]) = (share, 1.0 - share);
        KindNote::of("http://a.example/t/1.html", &shares)
    }

    fn sums(pages: &[KindNote]) -> KindSums {
        pages.iter().fold(KindSums::default(), |mut all, page| {
            all += page.sums();
            all
        })
    }

    #[test]
    fn a_page_is_what_most_pages_with_such_an_address_are_unless_it_is_sure() {
        let forum = sums(&[page(0.9), page(0.8), page(0.9), page(0.95), page(0.4)]);
        let doubtful = page(0.3).beside(&forum).unwrap();
        assert!(doubtful[0] > 0.5, "{doubtful:?}");
        let sure = page(0.001).beside(&forum).unwrap();
        assert!(sure[0] < 0.5, "{sure:?}");
        assert!((doubtful.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn pages_of_several_kinds_say_little_and_few_pages_nothing() {
        let mixed = sums(&[page(0.9), page(0.9), page(0.9), page(0.1), page(0.1)]);
        let beside = |share: f32| page(share).beside(&mixed).unwrap()[0];
        assert!(beside(0.45) > 0.5 && beside(0.2) < 0.5);
        assert_eq!(page(0.3).beside(&sums(&[page(0.9); 3])), None);
        assert_eq!(KindNote::default().beside(&sums(&[page(0.9); 6])), None);
    }
}
