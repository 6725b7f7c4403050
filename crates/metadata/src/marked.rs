//! Elements that the page marks as a heading, a byline or a date, with their texts.

use memchr::memmem;

use gleaner_page::{Attr, Page, Tag};

/// The elements of a page that say what they hold. Hidden ones are left out, and those that stand
/// among comments, teasers of other pages, menus and footers.
pub(super) struct Marked<'a> {
    pub(super) page: &'a Page,
    /// Texts of the first headings of the first rank.
    pub(super) headings: Vec<String>,
    /// The element of the first of them that is not hidden.
    pub(super) heading: Option<u32>,
}

/// How many headings are looked at.
const HEADINGS: usize = 8;
/// How many blocks before and behind the heading are beside it.
const BEFORE: usize = 3;
const BEHIND: usize = 8;
/// How often a word is looked for in a page's attributes.
const PLACES: usize = 2000;
/// How many elements that are marked are asked where they stand.
const CANDIDATES: usize = 200;
/// How many elements above one are asked what they are for.
const LEVELS: usize = 12;
/// Words of classes and ids around what is not about the page itself.
const ASIDE: &[&str] = &[
    "comment",
    "comments",
    "reply",
    "replies",
    "related",
    "recommended",
    "sidebar",
    "footer",
    "teaser",
    "teasers",
    "widget",
    "newsletter",
    "menu",
    "nav",
    "popular",
    "trending",
    "carousel",
    "card",
    "cards",
];

impl<'a> Marked<'a> {
    pub(super) fn new(page: &'a Page) -> Marked<'a> {
        let elements = page.elements.iter().enumerate();
        let first_rank = elements.filter(|(_, element)| element.tag == Tag::H1 && !element.hidden);
        let places: Vec<u32> = first_rank.take(HEADINGS).map(|(at, _)| at as u32).collect();
        Marked {
            page,
            headings: places.iter().map(|&at| text(page, at)).collect(),
            heading: places.first().copied(),
        }
    }

    /// The elements of a name, at most `most`, in their order.
    pub(super) fn of_tag(&self, tag: Tag, most: usize) -> Vec<u32> {
        let elements = self.page.elements.iter().enumerate();
        let own = elements.filter(|(_, element)| element.tag == tag);
        self.shown(own.map(|(at, _)| at as u32), most)
    }

    /// The elements with an attribute that has one of some words in its value, and of which a test
    /// holds; at most `most`, in their order. Finding the words first is what makes this cheap.
    pub(super) fn with_value(
        &self,
        words: &[&str],
        most: usize,
        test: impl Fn(Attr, &str) -> bool,
    ) -> Vec<u32> {
        let Page {
            attributes, values, ..
        } = self.page;
        let places = words
            .iter()
            .flat_map(|word| memmem::find_iter(values.as_bytes(), word).take(PLACES));
        let mut own: Vec<usize> = places
            .map(|place| attributes.partition_point(|(_, value)| value.end as usize <= place))
            .filter(|&at| {
                attributes.get(at).is_some_and(|(name, value)| {
                    test(*name, &values[value.start as usize..value.end as usize])
                })
            })
            .collect();
        own.sort_unstable();
        let element = |at: usize| {
            let elements = &self.page.elements;
            elements.partition_point(|element| element.attributes.end as usize <= at) as u32
        };
        let mut elements: Vec<u32> = own.into_iter().map(element).collect();
        elements.dedup();
        self.shown(elements.into_iter(), most)
    }

    /// Those of some elements that are visible and about the page itself.
    fn shown(&self, elements: impl Iterator<Item = u32>, most: usize) -> Vec<u32> {
        let is_visible = |&at: &u32| {
            self.page
                .elements
                .get(at as usize)
                .is_some_and(|element| !element.hidden)
        };
        elements
            .filter(is_visible)
            .take(CANDIDATES)
            .filter(|&at| !self.is_aside(at))
            .take(most)
            .collect()
    }

    /// The text of an element.
    pub(super) fn text(&self, element: u32) -> String {
        text(self.page, element)
    }

    /// The texts of the visible blocks around the first heading.
    pub(super) fn beside_heading(&self) -> impl Iterator<Item = &'a str> {
        let page = self.page;
        let within = self.heading.map(|heading| {
            let place = page.blocks.partition_point(|block| block.element < heading);
            place.saturating_sub(BEFORE)..(place + BEHIND + 1).min(page.blocks.len())
        });
        let blocks = &page.blocks[within.unwrap_or(0..0)];
        let shown = blocks.iter().filter(|block| !block.hidden);
        shown.map(move |block| page.text(block))
    }

    /// How many blocks lie between an element and the first heading; none without a heading.
    pub(super) fn blocks_from_heading(&self, element: u32) -> Option<usize> {
        let place = |element: u32| self.page.blocks.partition_point(|block| block.element < element);
        Some(place(self.heading?).abs_diff(place(element)))
    }

    /// Whether an element stands in one that is not about the page itself. What the heading stands in
    /// is, whatever it is called.
    fn is_aside(&self, element: u32) -> bool {
        let page = self.page;
        let holds_heading = |up: &u32| {
            let within = *up..page.elements[*up as usize].end;
            self.heading.is_some_and(|heading| within.contains(&heading))
        };
        page.ancestors(element)
            .take(LEVELS)
            .take_while(|up| !holds_heading(up))
            .any(|up| match page.elements[up as usize].tag {
                Tag::Nav | Tag::Aside | Tag::Footer => true,
                Tag::Body | Tag::Html | Tag::Main => false,
                _ => [Attr::Class, Attr::Id]
                    .into_iter()
                    .filter_map(|name| page.attribute(up, name))
                    .any(|value| has_word(value, |word| ASIDE.contains(&word))),
            })
    }

    /// The element's first descendant with text that is a link; its first line of text where there is
    /// none.
    pub(super) fn first_text(&self, element: u32) -> String {
        let within = element..self.page.elements[element as usize].end;
        let links = within
            .clone()
            .filter(|&at| self.page.elements[at as usize].tag == Tag::A);
        let mut texts = links.take(LINKS).map(|at| self.text(at));
        if let Some(text) = texts.find(|text| text.chars().any(char::is_alphabetic)) {
            return text;
        }
        lines(self.page, element).next().unwrap_or_default().to_owned()
    }
}

/// Links that are looked at within an element.
const LINKS: usize = 3;

/// The text of an element and of all that it holds, a space between blocks.
fn text(page: &Page, element: u32) -> String {
    let mut out = String::new();
    for line in lines(page, element) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(line);
        if out.len() > LONGEST_TEXT {
            break;
        }
    }
    out
}

/// The text of an element, a part of a block each.
fn lines(page: &Page, element: u32) -> impl Iterator<Item = &str> {
    let within = element..page.elements[element as usize].end;
    page.blocks.iter().filter_map(move |block| {
        let runs = page
            .runs(block)
            .iter()
            .filter(|run| within.contains(&run.element));
        let mut places = runs.map(|run| run.text.clone());
        let first = places.next()?;
        let to = places.next_back().map_or(first.end, |last| last.end);
        Some(&page.text[first.start as usize..to as usize])
    })
}

/// Whether one of the words of a class or id is as asked: `post-author`, `postAuthor` and
/// `post_author` are of two words.
pub(super) fn has_word(names: &str, test: impl Fn(&str) -> bool) -> bool {
    let mut word = String::new();
    let mut before = ' ';
    for letter in names.chars().take(LONGEST_NAMES).chain([' ']) {
        let ends =
            !letter.is_ascii_alphabetic() || (letter.is_ascii_uppercase() && before.is_ascii_lowercase());
        if ends {
            if !word.is_empty() && test(&word) {
                return true;
            }
            word.clear();
        }
        if letter.is_ascii_alphabetic() {
            word.push(letter.to_ascii_lowercase());
        }
        before = letter;
    }
    false
}

/// Text of an element beyond the line that ends after so many bytes is not looked at.
const LONGEST_TEXT: usize = 1000;

/// Letters of a class attribute that are looked at.
const LONGEST_NAMES: usize = 300;
