//! What the head of a page states about it, and the heading that agrees with it.

use gleaner_html::{Attr, Tag};
use gleaner_metadata::Language;
use gleaner_page::Page;

use crate::outline::Outline;
use crate::text::line;

/// What the head of a page states.
#[derive(Debug, Default)]
pub(crate) struct Head {
    /// Letters and digits of titles that are of the page alone: Open Graph's.
    exact: Vec<String>,
    /// Those of `<title>`, with the site's name in them.
    title: String,
    /// Places in them where a mark parts the title from the site's name.
    parted: Vec<usize>,
    /// Those of the site's name.
    site: String,
    /// The page's own address as it gives it.
    pub(crate) canonical: Option<String>,
    /// The page says that it is one article, a post or not: Open Graph calls lists so, too.
    pub(crate) is_article: bool,
    /// The page says that it is the page of one post: by its day, or by its class.
    pub(crate) is_single: bool,
    /// The class of `<body>` says that the page is a list of posts.
    pub(crate) is_listing: bool,
    pub(crate) language: Option<Language>,
}

/// Maximum headings examined per page.
pub(crate) const MOST_HEADINGS: usize = 300;
/// Headings with fewer letters are not compared.
const SHORTEST: usize = 3;

impl Head {
    pub(crate) fn read(page: &Page) -> Head {
        let mut head = Head {
            title: letters(&page.title),
            parted: parted(&page.title),
            is_single: is_one_article(&page.structured_data),
            language: Language::from_page(page),
            ..Head::default()
        };
        for (at, element) in page.elements.iter().enumerate() {
            match element.tag {
                Tag::Meta => head.meta(page, at as u32),
                Tag::Link => head.link(page, at as u32),
                Tag::Body => {
                    head.is_single |= has_word(page, at as u32, SINGLE);
                    head.is_listing |= has_word(page, at as u32, LISTING);
                }
                _ => {}
            }
        }
        head.is_listing &= !head.is_single;
        head.is_article = head.is_single || (head.is_article && !head.is_listing);
        head
    }

    fn meta(&mut self, page: &Page, element: u32) {
        let attribute = |name| page.attribute(element, name);
        let name = attribute(Attr::Property).or_else(|| attribute(Attr::Name));
        let (Some(name), Some(content)) = (name, attribute(Attr::Content)) else {
            return;
        };
        match name.to_ascii_lowercase().as_str() {
            "og:title" | "twitter:title" => self.exact.push(letters(content)),
            "og:site_name" => self.site = letters(content),
            "og:type" => self.is_article |= content.trim().eq_ignore_ascii_case("article"),
            "article:published_time" => self.is_single = true,
            "og:url" if self.canonical.is_none() => self.canonical = Some(content.trim().to_owned()),
            _ => {}
        }
    }

    fn link(&mut self, page: &Page, element: u32) {
        let is_canonical = page
            .attribute(element, Attr::Rel)
            .is_some_and(|rel| rel.eq_ignore_ascii_case("canonical"));
        if let Some(href) = page.attribute(element, Attr::Href).filter(|_| is_canonical) {
            self.canonical = Some(href.trim().to_owned());
        }
    }

    /// The heading that has the page's title: the one that agrees best with the head; of several the
    /// one of the highest rank, and the first of those.
    pub(crate) fn heading(&self, page: &Page, outline: &Outline) -> Option<u32> {
        let rank = |tag| HEADINGS.iter().position(|&heading| heading == tag);
        let elements = page.elements.iter().enumerate();
        let headings = elements.filter_map(|(at, element)| {
            let rank = rank(element.tag).filter(|_| !element.hidden)?;
            Some((at as u32, rank))
        });
        let looked_at = outline
            .work
            .at_most(MOST_HEADINGS, headings, |met| met.headings = true);
        let agreeing = looked_at.filter_map(|(at, rank)| {
            let own = letters(&line(page, outline, at));
            let agreement = self.agreement(&own)?;
            (!leads_home(page, at)).then_some((agreement, HEADINGS.len() - rank, at))
        });
        // The first of equals is the greatest with its place turned around.
        let best = agreeing.max_by_key(|&(agreement, rank, at)| (agreement, rank, u32::MAX - at));
        best.map(|(_, _, at)| at)
    }

    /// Whether a heading is the title that the head gives for the page alone, or a part of `<title>`: what is all of
    /// `<title>` may be the name of the site.
    pub(crate) fn is_exact(&self, page: &Page, heading: Option<u32>, outline: &Outline) -> bool {
        let agreement = heading.and_then(|at| self.agreement(&letters(&line(page, outline, at))));
        matches!(agreement, Some(1 | 2 | 4))
    }

    /// Whether a title agrees with that of the head.
    pub(crate) fn agrees_with(&self, title: &str) -> bool {
        self.agreement(&letters(title)).is_some()
    }

    /// How well a heading agrees with the head: the more the better.
    fn agreement(&self, own: &str) -> Option<u8> {
        if own.chars().count() < SHORTEST || own == self.site {
            return None;
        }
        if self.exact.iter().any(|title| title == own) {
            Some(4)
        } else if self.title == own {
            Some(3)
        } else if self.title.starts_with(own) && self.is_whole(own, own.len()) {
            Some(2)
        } else {
            let is_end = self.title.ends_with(own) && self.is_whole(own, self.title.len() - own.len());
            is_end.then_some(1)
        }
    }

    /// Whether a beginning or an end of the title is more than some of its words: it has half of the
    /// letters, or a mark parts it from the rest.
    fn is_whole(&self, own: &str, place: usize) -> bool {
        own.len() * 2 >= self.title.len() || self.parted.contains(&place)
    }
}

/// From the highest rank to the lowest.
pub(crate) const HEADINGS: [Tag; 6] = [Tag::H1, Tag::H2, Tag::H3, Tag::H4, Tag::H5, Tag::H6];

/// Words in the class of `<body>` that platforms give to the page of one post.
const SINGLE: &[&str] = &[
    "single",
    "single-post",
    "post-template",
    "item-page",
    "item-view",
    "postid",
];

/// Words that they give to lists: of a category, a tag, an author, a month, or of what a search found.
const LISTING: &[&str] = &[
    "archive",
    "category",
    "tag",
    "author",
    "search-results",
    "tag-template",
    "author-template",
    "home-template",
    "archive-view",
    "search-view",
    "label-view",
    "index-view",
];

/// Whether structured data is of one text that was published: a listing has none, or several.
fn is_one_article(scripts: &[String]) -> bool {
    let count = |word: &str| -> usize { scripts.iter().map(|script| script.matches(word).count()).sum() };
    count("\"datePublished\"") == 1 && count("Article\"") + count("Posting\"") > 0
}

fn has_word(page: &Page, element: u32, words: &[&str]) -> bool {
    let class = page.attribute(element, Attr::Class).unwrap_or_default();
    class.split_ascii_whitespace().any(|word| words.contains(&word))
}

/// The letters and digits of a text, in lower case.
pub(crate) fn letters(text: &str) -> String {
    let own = text.chars().filter(|letter| letter.is_alphanumeric());
    own.flat_map(char::to_lowercase).collect()
}

/// Whether a heading is a link to the front page: the site's name.
fn leads_home(page: &Page, heading: u32) -> bool {
    let below = heading..page.elements[heading as usize].end;
    let around = page.elements[heading as usize].parent;
    let link = below
        .chain([around])
        .filter(|&at| {
            page.elements
                .get(at as usize)
                .is_some_and(|element| element.tag == Tag::A)
        })
        .find_map(|at| page.attribute(at, Attr::Href));
    link.is_some_and(is_home)
}

/// The places in the letters of a title where a mark stands between words.
fn parted(title: &str) -> Vec<usize> {
    let mut places = Vec::new();
    let (mut place, mut is_after_space) = (0, false);
    let mut rest = title.chars().peekable();
    while let Some(letter) = rest.next() {
        let is_before_space = rest.peek().is_some_and(|next| next.is_whitespace());
        let is_mark = match letter {
            '|' | ':' | '»' | '«' | '·' | '•' | '—' | '–' | '｜' | '：' | '・' | '】' | '【' => {
                true
            }
            // Within a word these part nothing.
            '-' | '/' | '~' | '_' | '<' | '>' | ',' | '@' => is_after_space || is_before_space,
            _ => false,
        };
        if is_mark {
            places.push(place);
        }
        if letter.is_alphanumeric() {
            place += letter.to_lowercase().map(char::len_utf8).sum::<usize>();
        }
        is_after_space = letter.is_whitespace();
    }
    places
}

/// Whether an address is that of a front page: nothing is left of its path but steps up.
pub(crate) fn is_home(href: &str) -> bool {
    let path = match href.split_once("://") {
        Some((_, rest)) => rest.split_once('/').map_or("/", |(_, path)| path),
        None => href,
    };
    let path = path.trim();
    let path = ["index.html", "index.htm", "index.php"]
        .iter()
        .find_map(|end| path.strip_suffix(end))
        .unwrap_or(path);
    (!href.trim().is_empty()) && path.chars().all(|letter| matches!(letter, '/' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_pages_are_known_by_their_addresses() {
        for href in [
            "/",
            "./",
            "../../index.html",
            "http://a.example",
            "https://a.example/",
        ] {
            assert!(is_home(href), "{href}");
        }
        for href in ["", "#top", "/about", "2013/a.html", "https://a.example/b"] {
            assert!(!is_home(href), "{href}");
        }
    }
}
