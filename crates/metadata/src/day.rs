//! The day of first publication.
//!
//! In the order in which they are trusted: what the head states, structured data, elements that are marked as the
//! publication's, times near the heading, the address, lines of dates near the heading or at the end of the text, and what
//! stands in the masthead. A date whose label is a change, an event, a deadline or a visit is never used, nor one among
//! comments, teasers and footers.

use std::cell::{Cell, OnceCell};
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use gleaner_html::{Attr, Tag};

use crate::author::is_byline_line;
use crate::date::{Dates, Day, Partial, digit, of_url, read_all};
use crate::label::{self, LONGEST_LABEL, Label, published_in};
use crate::marked::{Line, Marked, finder, has_word};
use crate::{Context, Language};

/// A day of publication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// The day.
    pub day: Day,
    /// Where it was found.
    pub source: DaySource,
    /// The element that states it; none for structured data and the address.
    pub element: Option<u32>,
}

/// Where a page states its day of publication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DaySource {
    /// `<meta>` elements.
    Head,
    /// Structured data: JSON-LD.
    Structured,
    /// Attributes of elements: `<time datetime>`, `itemprop`, `<abbr title>`.
    Marked,
    /// The address.
    Address,
    /// Printed text.
    Printed,
}

/// Maximum marked elements examined per page.
const ELEMENTS: usize = 12;
/// Maximum blocks between the heading and a date that belongs to the page.
const NEAR: usize = 25;
/// Characters of a marked text that may hold a date, and of a line without a mark.
const LONGEST: usize = 120;
const LONGEST_LINE: usize = 80;
/// Bytes beside a date that stands alone: the day of the week, a time of day.
const BESIDE: usize = 16;
/// Maximum lines with digits examined per page.
const LINES: usize = 200;
/// Elements around a date whose class, id and property may label it.
const LEVELS: usize = 3;
/// Elements around a date that may declare its language.
const LANGUAGES: usize = 40;

/// What the head and the structured data state, the most trusted first.
pub(crate) struct Stated<'a> {
    pub(crate) values: Vec<StatedDay<'a>>,
    pub(crate) language: Option<&'a Language>,
}

/// A text that states a day.
pub(crate) struct StatedDay<'a> {
    pub(crate) text: &'a str,
    pub(crate) source: DaySource,
    pub(crate) element: Option<u32>,
}

/// A day, and the element that states it.
type Seen = (Day, u32);

/// The day of a page.
pub(crate) fn of_page(marked: &Marked<'_>, stated: &Stated<'_>, context: &Context<'_>) -> Option<Published> {
    let finder = Finder {
        marked,
        language: stated.language,
        named: OnceCell::new(),
        beside_heading: OnceCell::new(),
    };
    let is_possible = |day: &Day| {
        context
            .captured
            .is_none_or(|captured| day.number() <= captured.number() + 1)
    };
    let address = of_url(context.url);
    let of_address = address.and_then(Partial::whole).filter(is_possible);
    // What a page states may be of its last change: an address with another month has the first day.
    let agrees = |day: Day| {
        let month = |day: Day| (day.parts().0, day.parts().1);
        of_address
            .is_none_or(|other| month(other) == month(day) || (other.number() - day.number()).abs() <= 1)
    };
    let published = |day: Option<Day>, source, element| {
        let day = day.filter(is_possible);
        day.map(|day| Published { day, source, element })
    };
    let found = |seen: Option<Seen>, source| {
        let (day, element) = seen.unzip();
        published(day, source, element)
    };
    let language = || finder.language();
    let head = || {
        let values = stated.values.iter();
        let mut days = values.filter_map(|stated| {
            let day = Day::stated(stated.text, &language);
            published(day, stated.source, stated.element)
        });
        days.find(|published| agrees(published.day))
    };
    let marked = || found(finder.marked(), DaySource::Marked).filter(|published| agrees(published.day));
    let by_address = || published(of_address, DaySource::Address, None);
    let printed = || {
        let near = finder.near_heading(address, false);
        let near = near.filter(|(day, _)| is_possible(day));
        let day = near.or_else(|| finder.at_end()).or_else(|| finder.labelled());
        found(day, DaySource::Printed)
    };
    let masthead = || {
        let time = found(finder.time(true), DaySource::Marked);
        time.or_else(|| found(finder.near_heading(address, true), DaySource::Printed))
    };
    head()
        .or_else(marked)
        .or_else(by_address)
        .or_else(printed)
        .or_else(masthead)
}

/// A page whose dates are looked for.
struct Finder<'a> {
    marked: &'a Marked<'a>,
    language: Option<&'a Language>,
    /// The elements whose class, id or property names a date.
    named: OnceCell<Vec<u32>>,
    beside_heading: OnceCell<Vec<Line<'a>>>,
}

impl Finder<'_> {
    /// The day by elements that carry one for machines: those that schema.org, a microformat or a class mark as the
    /// publication's, else the first `<time>` near the heading.
    fn marked(&self) -> Option<Seen> {
        let values = self.marked.values_with(&PUBLISHED_PARTS);
        let published = self.marked.with_value(&values, ELEMENTS, |name, value| {
            let is_published = |token: &str| {
                let own = token.rsplit(':').next().unwrap_or(token);
                PUBLISHED.contains(&own)
            };
            matches!(name, Attr::Itemprop | Attr::Class | Attr::Property)
                && value.split_ascii_whitespace().any(is_published)
        });
        let is_first = |element: &&u32| !is_of_other(self.label(**element));
        let by_mark = published
            .iter()
            .filter(is_first)
            .find_map(|&element| self.carried_by(element));
        // A `<time>` that is marked so, even if its words are those of a change.
        let is_time = |&element: &u32| {
            let tag = self.marked.page.elements[element as usize].tag;
            tag == Tag::Time && self.label(element) == Some(Label::Updated)
        };
        let by_time = || {
            let mut times = published.iter().copied().filter(is_time);
            times.find_map(|element| self.carried_by(element))
        };
        by_mark.or_else(|| self.time(false)).or_else(by_time)
    }

    /// The first day of publication by times near the heading, in the masthead or elsewhere.
    fn time(&self, in_masthead: bool) -> Option<Seen> {
        let mut times = self.marked.of_tag(Tag::Time, ELEMENTS);
        times.extend(self.marked.of_tag(Tag::Abbr, ELEMENTS));
        times.sort_unstable();
        let near = times.into_iter().filter(|&element| self.is_near(element));
        let own = near.filter(|&element| self.marked.is_in_masthead(element) == in_masthead);
        let labelled: Vec<(u32, Option<Label>)> = own.map(|element| (element, self.label(element))).collect();
        let first = |wanted: Option<Label>| {
            let mut own = labelled.iter().filter(|(_, label)| *label == wanted);
            own.find_map(|&(element, _)| self.carried_by(element))
        };
        let (day, element) = first(Some(Label::Published)).or_else(|| first(None))?;
        // A byline counts before what stands above the title.
        let is_above = self.marked.heading.is_some_and(|heading| element < heading);
        (!is_above || in_masthead || self.byline(None).is_none()).then_some((day, element))
    }

    /// An element with the day in its attributes.
    fn carried_by(&self, element: u32) -> Option<Seen> {
        Some((self.carried(element)?, element))
    }

    /// The day in the attributes of an element, or of an `<abbr>` that it holds.
    fn carried(&self, element: u32) -> Option<Day> {
        let page = self.marked.page;
        let language = || self.language_at(element);
        let value = |at: u32, name| {
            let value = page.attribute(at, name)?;
            Day::stated(value, &language)
        };
        let titled = (element..page.elements[element as usize].end)
            .take(ELEMENTS)
            .find_map(|at| value(at, Attr::Title));
        value(element, Attr::Datetime)
            .or_else(|| value(element, Attr::Content))
            .or(titled)
    }

    /// The day that is printed near the heading, in the masthead or elsewhere: in a byline, in an element whose class, id or
    /// property names a date, else in a short line before the text. What it lacks is taken from the address.
    fn near_heading(&self, address: Option<Partial>, in_masthead: bool) -> Option<Seen> {
        let is_there = |element: u32| self.marked.is_in_masthead(element) == in_masthead;
        self.byline(address)
            .filter(|_| !in_masthead)
            .or_else(|| {
                let mut elements = self.marked.of_tag(Tag::Time, ELEMENTS);
                elements.extend_from_slice(self.date_elements());
                elements.sort_unstable();
                elements.dedup();
                let near = elements
                    .into_iter()
                    .filter(|&element| self.is_near(element) && is_there(element));
                let of_elements = near.filter(|&element| !is_of_other(self.label(element)));
                let texts = of_elements.map(|element| (element, self.marked.text(element)));
                let mut short = texts.filter(|(_, text)| text.chars().count() <= LONGEST);
                short.find_map(|(element, text)| {
                    let printed = || self.printed(&text, element, address);
                    Some((self.carried(element).or_else(printed)?, element))
                })
            })
            .or_else(|| {
                let mut lines = self.beside_heading().iter();
                lines.find_map(|line| self.line(line, address).filter(|_| is_there(line.element)))
            })
    }

    /// The day in a line beside the heading that begins as bylines do.
    fn byline(&self, address: Option<Partial>) -> Option<Seen> {
        let lines = self.beside_heading().iter();
        let mut bylines = lines.filter(|line| is_byline_line(line.text, self.language));
        bylines.find_map(|line| self.line(line, address))
    }

    fn beside_heading(&self) -> &[Line<'_>] {
        self.beside_heading
            .get_or_init(|| self.marked.beside_heading().collect())
    }

    /// The elements whose class, id or property names a date.
    fn date_elements(&self) -> &[u32] {
        self.named.get_or_init(|| {
            let values = self.marked.values_with(&DATE_PARTS);
            self.marked.with_value(&values, ELEMENTS, |name, value| {
                matches!(name, Attr::Class | Attr::Id | Attr::Itemprop) && has_word(value, is_date_word)
            })
        })
    }

    /// The day in a line behind the text with the label of a publication: in its words or in its names.
    fn at_end(&self) -> Option<Seen> {
        let has_frame = self.marked.has_frame();
        let mut lines = self.marked.behind_text();
        lines.find_map(|Line { element, text, .. }| {
            let dates = read_all(text, &|| self.language_at(element));
            let labels = label::of_dates(&dates);
            let mut days = dates.found.iter().zip(labels).filter(|(_, label)| match label {
                Some(label) => *label == Label::Published,
                None => (has_frame && is_alone(&dates)) || self.is_named(element, is_date_word),
            });
            let day = days.find_map(|(found, _)| found.date.whole())?;
            Some((day, element))
        })
    }

    /// The day of a short line that has the label of a publication, in it or in the line before. Two different days: none.
    fn labelled(&self) -> Option<Seen> {
        let of_line = |line: Line<'_>| {
            let Line {
                element,
                before,
                text: line,
                ..
            } = line;
            let is_labelled = label::is_publication_label(before);
            if !is_labelled && !label::has_label(line) {
                return None;
            }
            let dates = read_all(line, &|| self.language_at(element));
            let labels = label::of_dates(&dates);
            let is_field = is_labelled && is_alone(&dates);
            // The date before that of a change is the first one.
            let is_first = is_alone(&dates) && labels.contains(&Some(Label::Updated));
            let mut own = dates.found.iter().zip(labels).filter(|(_, label)| match label {
                Some(label) => *label == Label::Published,
                None => is_field || is_first,
            });
            let day = own.find_map(|(found, _)| found.date.whole())?;
            let is_own = self.marked.is_own(element) || (is_field && self.marked.is_own_field(element));
            is_own.then_some((day, element))
        };
        let mut days = self
            .marked
            .numbers_behind_heading()
            .take(LINES)
            .filter_map(of_line);
        let first = days.next()?;
        days.all(|(day, _)| day == first.0).then_some(first)
    }

    /// The day in a short line.
    fn line(&self, line: &Line<'_>, address: Option<Partial>) -> Option<Seen> {
        let is_short = line.text.chars().count() <= LONGEST_LINE;
        if !is_short || is_of_other(self.label_of_names(line.element)) {
            return None;
        }
        let day = self.printed(line.text, line.element, address)?;
        (self.label_before(line) != Some(Label::Term)).then_some((day, line.element))
    }

    /// The day of publication in a text that stands in an element. What it lacks is taken from the address.
    fn printed(&self, text: &str, element: u32, address: Option<Partial>) -> Option<Day> {
        let date = published_in(text, &|| self.language_at(element)).filter(|date| date.day.is_some())?;
        let whole = date.whole();
        whole.or_else(|| date.completed_by(address?).and_then(Partial::whole))
    }

    /// The label of an element's date: in its own words, in those before it in its line, in a line before it that is a label
    /// alone, or in the names of the elements around it.
    fn label(&self, element: u32) -> Option<Label> {
        let language = || self.language_at(element);
        let text = self.marked.text(element);
        let own = read_all(&text, &language);
        let labels = label::of_dates(&own);
        if labels.contains(&Some(Label::Published)) {
            return Some(Label::Published);
        }
        let of_own = labels.first().copied().flatten();
        of_own
            .or_else(|| {
                let before = self.marked.before_in_line(element);
                let dates = read_all(before, &language);
                let from = dates.found.last().map_or(0, |last| last.place.end);
                label::of_words_before(&dates.text[from..])
            })
            .or_else(|| {
                let line = self.marked.own_line(element)?;
                self.label_before(&line)
            })
            .or_else(|| self.label_of_names(element))
    }

    /// The label that the line before another one is: a short one without a number that is no title.
    fn label_before(&self, line: &Line<'_>) -> Option<Label> {
        let is_title = || {
            self.marked
                .heading
                .is_some_and(|heading| self.marked.text(heading) == line.before)
        };
        let is_label = line.before.chars().count() <= LONGEST_LABEL
            && !line.is_behind_heading
            && !line.before.chars().any(|letter| digit(letter).is_some());
        label::of_words_before(line.before).filter(|_| is_label && !is_title())
    }

    /// The label in the class, id or property of an element or of one around it.
    fn label_of_names(&self, element: u32) -> Option<Label> {
        let (is_updated, is_other) = (Cell::new(false), Cell::new(false));
        let is_published = self.is_named(element, |word| match word {
            "published" | "posted" | "pubdate" | "publication" => true,
            "updated" | "modified" | "lastmod" | "edited" | "revised" => {
                is_updated.set(true);
                false
            }
            "event" | "events" | "expires" | "expiry" | "deadline" | "due" | "birthday" | "copyright" => {
                is_other.set(true);
                false
            }
            _ => false,
        });
        match () {
            () if is_published => Some(Label::Published),
            () if is_updated.get() => Some(Label::Updated),
            () => is_other.get().then_some(Label::Other),
        }
    }

    /// Whether a class, id or property of an element, or of one around it that does not hold the heading, has such a word.
    fn is_named(&self, element: u32, test: impl Fn(&str) -> bool) -> bool {
        let page = self.marked.page;
        let around = page
            .ancestors(element)
            .take(LEVELS)
            .take_while(|&up| !self.marked.holds_heading(up));
        let mut names = around.flat_map(|up| {
            let names = [Attr::Class, Attr::Id, Attr::Itemprop].into_iter();
            names.filter_map(move |name| page.attribute(up, name))
        });
        names.any(|value| has_word(value, &test))
    }

    fn is_near(&self, element: u32) -> bool {
        let blocks = self.marked.blocks_from_heading(element);
        blocks.is_some_and(|blocks| blocks <= NEAR) && !self.marked.is_of_other(element)
    }

    /// The language of the first number in an element.
    fn language_at(&self, element: u32) -> Option<Language> {
        let page = self.marked.page;
        let around = page
            .ancestors(self.marked.first_number(element))
            .take(LANGUAGES)
            .filter_map(|up| Language::from_element(page, up));
        let declared = around
            .chain(self.language.cloned())
            .reduce(Language::completed_by);
        Language::for_numbers(declared, page)
    }

    /// The language of the head.
    fn language(&self) -> Option<Language> {
        Language::for_numbers(self.language.cloned(), self.marked.page)
    }
}

/// Whether a label is not that of a first publication.
fn is_of_other(label: Option<Label>) -> bool {
    label.is_some_and(|label| label != Label::Published)
}

/// Whether a line is a date and nearly nothing else.
fn is_alone(dates: &Dates) -> bool {
    let own: usize = dates.found.iter().map(|found| found.place.len()).sum();
    dates.text.trim().len() <= own + BESIDE
}

/// Words that mark an element with the day of publication.
const PUBLISHED: &[&str] = &[
    "datePublished",
    "dateCreated",
    "datePosted",
    "published",
    "published_time",
    "dt-published",
    "published-date",
    "entry-date",
    "issued",
];

/// What finds them.
static PUBLISHED_PARTS: LazyLock<AhoCorasick> = LazyLock::new(|| finder(PUBLISHED));

/// Finds parts of the words of [`is_date_word`], whatever letter they begin with.
static DATE_PARTS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    finder(&[
        "date", "Date", "ublish", "ublica", "ubtime", "osted", "imestamp", "yline", "atum", "echa", "data",
        "meta", "Meta", "postinfo",
    ])
});

fn is_date_word(word: &str) -> bool {
    matches!(
        word,
        "date"
            | "datetime"
            | "dateline"
            | "published"
            | "publish"
            | "pubdate"
            | "posted"
            | "postdate"
            | "timestamp"
            | "byline"
            | "bylines"
            | "datum"
            | "fecha"
            | "data"
            | "publication"
            | "pubtime"
            | "meta"
            | "postmeta"
            | "postmetadata"
            | "entrymeta"
            | "postinfo"
    )
}
