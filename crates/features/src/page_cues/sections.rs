//! Cues for the kind of a page in its sections: where their headings lead, whether they are dated, and how they are counted.

use gleaner_html::{Attr, Tag};
use gleaner_page::{Block, Page};

use super::signals::Marked;
use super::structure::is_linked;
use super::{eighths, level};
use crate::chars::words;
use crate::facts::{Around, BlockFacts, Facts, heading_level};
use crate::words::to_lowercase;

/// Minimum words outside of links of a section that has some text, and of a long one.
const SOME: u32 = 15;
const LONG: u32 = 40;
/// Blocks before a heading, and behind it, searched for its date.
const DATE_BEFORE: usize = 2;
const DATE_BEHIND: usize = 4;
/// Maximum elements around a heading searched for a link, its own among them.
const NEAR: usize = 4;

/// Gives each cue.
pub(super) fn each(
    page: &Page,
    facts: &Facts,
    marked: &[Marked],
    heading: Option<usize>,
    url: &str,
    take: &mut dyn FnMut(&'static str, u8),
) {
    let leads = leads(page, facts, url, heading);
    let sections = Sections::new(facts, &leads);
    let with = |least, starts: &dyn Fn(usize, Leads) -> bool| level(sections.count(least, starts));
    let is_linked = |_: usize, leads: Leads| leads != Leads::Nowhere;
    let is_elsewhere = |_: usize, leads: Leads| leads == Leads::Elsewhere;
    let is_dated = |at: usize, _: Leads| is_dated(marked, at);
    take("long", with(LONG, &|_, _| true));
    take("linked", with(SOME, &is_linked));
    take("long-linked", with(LONG, &is_linked));
    take("elsewhere", with(SOME, &is_elsewhere));
    take("long-elsewhere", with(LONG, &is_elsewhere));
    take("dated", with(SOME, &is_dated));
    take("long-dated", with(LONG, &is_dated));
    take("first", first(facts, &leads));
    take("words-elsewhere", words_elsewhere(page, facts, &leads));
    let headings = || sections.headings.iter();
    let here = headings().filter(|heading| heading.leads == Leads::Here);
    take("here", level(here.count() as u32));
    let numbered = headings().filter(|heading| is_numbered(page.text(&page.blocks[heading.at])));
    take("numbered", level(numbered.count() as u32));
    let starts = |block: &&Block| page.text.as_bytes().get(block.text.start as usize) == Some(&b'>');
    let quoted = page
        .blocks
        .iter()
        .filter(|block| !block.text.is_empty())
        .filter(starts);
    take("quoted", level(quoted.count() as u32));
    take("anchors", level(anchors(page)));
    take("address-words", address_words(page, url));
}

/// Where the headings among the blocks lead. The main heading is that of the page, whatever its address.
fn leads(page: &Page, facts: &Facts, url: &str, main: Option<usize>) -> Vec<Option<Leads>> {
    let of = |(at, (facts, block)): (usize, (&BlockFacts, &Block))| {
        let leads = is_heading(facts).then(|| Leads::new(page, block, facts, url))?;
        Some(match leads {
            Leads::Elsewhere if main == Some(at) => Leads::Here,
            _ => leads,
        })
    };
    facts
        .blocks
        .iter()
        .zip(&page.blocks)
        .enumerate()
        .map(of)
        .collect()
}

/// The headings of a page, and how many words outside of links there are.
struct Sections {
    headings: Vec<Heading>,
    words: u32,
}

/// A heading: its block, where it leads, and how many such words are before it and in it.
struct Heading {
    at: usize,
    leads: Leads,
    before: u32,
    own: u32,
}

impl Sections {
    fn new(facts: &Facts, leads: &[Option<Leads>]) -> Sections {
        let (mut headings, mut words) = (Vec::new(), 0);
        for (at, (block, leads)) in facts.blocks.iter().zip(leads).enumerate() {
            let own = plain_words(block);
            headings.extend(leads.map(|leads| Heading {
                at,
                leads,
                before: words,
                own,
            }));
            words += own;
        }
        Sections { headings, words }
    }

    /// How many of the headings that start a section have this many words outside of links before the next of those.
    fn count(&self, least: u32, starts: &dyn Fn(usize, Leads) -> bool) -> u32 {
        let (mut found, mut end) = (0, self.words);
        for heading in self.headings.iter().rev() {
            if starts(heading.at, heading.leads) {
                found += u32::from(end - heading.before - heading.own >= least);
                end = heading.before;
            }
        }
        found
    }
}

/// Where the first heading with a long text leads: 1 to the page itself, 2 nowhere, 3 elsewhere.
fn first(facts: &Facts, leads: &[Option<Leads>]) -> u8 {
    let mut open = None;
    let mut words = 0;
    for (block, leads) in facts.blocks.iter().zip(leads) {
        if leads.is_some() {
            (open, words) = (*leads, 0);
        } else {
            words += plain_words(block);
        }
        if words >= LONG
            && let Some(leads) = open
        {
            return match leads {
                Leads::Here => 1,
                Leads::Nowhere => 2,
                Leads::Elsewhere => 3,
            };
        }
    }
    0
}

/// The share of the words in sections whose headings lead elsewhere, with the sections below.
fn words_elsewhere(page: &Page, facts: &Facts, leads: &[Option<Leads>]) -> u8 {
    let (mut inside, mut all) = (0, 0);
    let mut open: Option<u8> = None;
    for ((block, place), leads) in facts.blocks.iter().zip(&page.blocks).zip(leads) {
        let level = heading_level(page, &facts.elements, place.element);
        let rank = leads.map(|_| level).filter(|&level| level > 0);
        match (leads, rank) {
            (Some(Leads::Elsewhere), Some(rank)) => open = Some(open.map_or(rank, |open| open.min(rank))),
            (_, Some(rank)) if open.is_some_and(|open| rank <= open) => open = None,
            (_, Some(_)) => {}
            (_, None) => {
                all += plain_words(block);
                inside += if open.is_some() { plain_words(block) } else { 0 };
            }
        }
    }
    eighths(inside, all)
}

/// Words that are no links.
fn plain_words(block: &BlockFacts) -> u32 {
    block.text.words - block.text.link_words.min(block.text.words)
}

/// How many links lead to places on the page.
fn anchors(page: &Page) -> u32 {
    let links = (0..page.elements.len() as u32).filter(|&at| page.elements[at as usize].tag == Tag::A);
    let hrefs = links.filter_map(|link| page.attribute(link, Attr::Href));
    hrefs
        .filter(|href| href.len() > 1 && href.starts_with('#'))
        .count() as u32
}

/// Where the link of a heading leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leads {
    /// It is no link, or leads to a place on the page.
    Nowhere,
    /// To the page itself.
    Here,
    Elsewhere,
}

impl Leads {
    fn new(page: &Page, block: &Block, facts: &BlockFacts, url: &str) -> Leads {
        if !is_linked(facts) {
            return Leads::Nowhere;
        }
        let mut runs = block.runs.clone();
        let link = runs.find_map(|run| {
            let mut around = page.ancestors(page.runs[run as usize].element).take(NEAR);
            around.find(|&up| page.elements[up as usize].tag == Tag::A)
        });
        match link.and_then(|link| page.attribute(link, Attr::Href)) {
            None => Leads::Nowhere,
            Some(href) if href.trim_start().starts_with('#') => Leads::Nowhere,
            Some(href) if is_same(href, url) => Leads::Here,
            Some(_) => Leads::Elsewhere,
        }
    }
}

/// Whether a link on the page at `url` leads to it. Only the end of the path is compared: the same page has several hosts.
fn is_same(href: &str, url: &str) -> bool {
    let own = path(url);
    let href = path(href.trim());
    let href = href
        .trim_start_matches("../")
        .trim_start_matches("./")
        .trim_matches('/');
    match own.trim_matches('/') {
        "" => href.is_empty(),
        own => {
            !href.is_empty()
                && own
                    .strip_suffix(href)
                    .is_some_and(|before| before.is_empty() || before.ends_with('/'))
        }
    }
}

/// What stands behind the host, without a fragment.
fn path(url: &str) -> &str {
    let url = url.split('#').next().unwrap_or_default();
    let Some((_, rest)) = url.split_once("//") else {
        return url;
    };
    rest.split_once('/').map_or("", |(_, path)| path)
}

fn is_heading(block: &BlockFacts) -> bool {
    block.around.has(Around::HEADER)
}

fn is_dated(marked: &[Marked], heading: usize) -> bool {
    let near = heading.saturating_sub(DATE_BEFORE)..marked.len().min(heading + 1 + DATE_BEHIND);
    marked[near].iter().any(|block| block.has(Marked::DATE))
}

/// Whether a heading has a number before it: `2.1 Types`, `A.4 Names`, `Chapter 3`.
fn is_numbered(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let mut parts = first.trim_end_matches('.').split('.');
    let head = parts.next().unwrap_or_default();
    let is_number =
        |part: &str| !part.is_empty() && part.len() <= 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    let has_more = first.contains('.');
    has_more
        && (is_number(head) || head.len() == 1 && head.as_bytes()[0].is_ascii_uppercase())
        && parts.all(is_number)
}

/// How many words of the end of the address the title has: addresses of articles are made of their titles.
fn address_words(page: &Page, url: &str) -> u8 {
    let mut small = String::new();
    to_lowercase(&page.title, &mut small);
    let last = path(url)
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let stem = last.split('.').next().unwrap_or_default();
    let known = stem
        .split(['-', '_', '+'])
        .filter(|part| part.len() > 1 && words(&small).any(|word| word == *part));
    level(known.count() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_the_page_itself_are_known_by_the_end_of_their_path() {
        let own = "https://a.example/2021/05/a-storm/";
        for href in [
            own,
            "http://www.a.example/2021/05/a-storm",
            "/2021/05/a-storm/#more",
            "../a-storm/",
            "a-storm",
        ] {
            assert!(is_same(href, own), "{href}");
        }
        for href in ["/2021/05/the-calm/", "storm", "/", "http://b.example/"] {
            assert!(!is_same(href, own), "{href}");
        }
        assert!(is_same("/", "https://a.example/") && !is_same("/a", "https://a.example/"));
    }

    #[test]
    fn numbers_of_sections_are_no_words() {
        for text in ["2.1 Types", "A.4 Names", "1. Introduction", "3.10.2. Ropes"] {
            assert!(is_numbered(text), "{text}");
        }
        for text in [
            "2021 in books",
            "e.g. ropes",
            "Types",
            "10 ropes",
            "3.14159 is pi",
            "",
        ] {
            assert!(!is_numbered(text), "{text}");
        }
    }
}
