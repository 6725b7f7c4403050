//! Emphasis, code and links within the text of blocks.

use std::ops::Range;

use gleaner_html::{Attr, NONE, Tag};
use gleaner_page::{Block, Page, Run, is_class_of_formulas, protected_address};
use rustc_hash::FxHashMap;
use url::Url;

use super::{Target, notes};

/// A part of a block's text as it is written, with what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) block: u32,
    /// Where it begins and ends in the text of the block; an image stands at one place.
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) style: Style,
    /// The number of its link, counted from 1; 0 where it is none.
    pub(crate) link: u32,
}

/// How a part of a text is set: a sum of the constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Style(pub(crate) u8);

impl Span {
    pub(crate) fn is_image(&self) -> bool {
        self.start == self.end
    }
}

impl Style {
    pub(crate) const PLAIN: Style = Style(0);
    pub(crate) const EMPHASIS: Style = Style(1);
    pub(crate) const STRONG: Style = Style(2);
    pub(crate) const CODE: Style = Style(4);
    pub(crate) const DELETED: Style = Style(8);
    pub(crate) const FORMULA: Style = Style(16);
    /// Of a formula: it stands in a line of its own.
    pub(crate) const DISPLAY: Style = Style(32);
    pub(crate) const SUB: Style = Style(64);
    pub(crate) const SUP: Style = Style(128);

    pub(crate) fn has(self, other: Style) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn with(self, other: Style) -> Style {
        Style(self.0 | other.0)
    }

    pub(crate) fn common(self, other: Style) -> Style {
        Style(self.0 & other.0)
    }

    pub(crate) fn without(self, other: Style) -> Style {
        Style(self.0 & !other.0)
    }

    /// The style that an element gives to its text.
    fn new(page: &Page, element: u32) -> Style {
        match page.elements[element as usize].tag {
            Tag::Em | Tag::I => Style::EMPHASIS,
            Tag::Strong | Tag::B => Style::STRONG,
            Tag::Code | Tag::Kbd | Tag::Samp | Tag::Tt => Style::CODE,
            Tag::Del | Tag::S | Tag::Strike => Style::DELETED,
            Tag::Sub => Style::SUB,
            Tag::Sup => Style::SUP,
            Tag::Math | Tag::Script | Tag::Img => match page.formula(element) {
                Some(formula) if formula.is_display => Style::FORMULA.with(Style::DISPLAY),
                Some(_) => Style::FORMULA,
                None => Style::PLAIN,
            },
            _ => Style::PLAIN,
        }
    }
}

/// The spans of a page, and where its links lead: those to footnotes, and all others if their addresses are wanted.
pub(super) fn read(page: &Page, base: Option<&Url>, is_with_links: bool) -> (Vec<Span>, Vec<Target>) {
    let (notes, numbers) = notes::find(page);
    let mut finder = Finder {
        page,
        base,
        is_with_links,
        has_notes: !notes.is_empty(),
        targets: notes.into_iter().map(Target::Note).collect(),
        numbers,
        last: Set::default(),
    };
    let mut spans = Vec::new();
    for (at, block) in page.blocks.iter().enumerate() {
        if block.pre == NONE {
            finder.block(at as u32, block, &mut spans);
        }
    }
    (spans, finder.targets)
}

struct Finder<'p> {
    page: &'p Page,
    base: Option<&'p Url>,
    is_with_links: bool,
    has_notes: bool,
    targets: Vec<Target>,
    /// The numbers of the links of elements; 0 for those that lead nowhere.
    numbers: FxHashMap<u32, u32>,
    /// How the text of the element that was looked at last is set.
    last: Set,
}

/// How the text of an element is set.
#[derive(Clone, Copy)]
struct Set {
    element: u32,
    style: Style,
    link: u32,
    /// The outermost element of code around it.
    code: u32,
}

impl Default for Set {
    fn default() -> Set {
        Set {
            element: NONE,
            style: Style::PLAIN,
            link: 0,
            code: NONE,
        }
    }
}

impl Finder<'_> {
    /// Adds the spans of a block. The text as it is written may be without some of its runs.
    fn block(&mut self, number: u32, block: &Block, spans: &mut Vec<Span>) {
        let written = self.page.written(block);
        let is_whole = block.written.is_empty();
        let mut at = 0;
        let (first, mut code, mut end) = (spans.len(), NONE, 0);
        for run in self.page.runs(block) {
            let text = self.page.run_text(run);
            let start = match is_whole {
                true => (run.text.start - block.text.start) as usize,
                false => match place_of(written, at, text) {
                    Some(start) => start,
                    None => continue,
                },
            };
            at = start + text.len();
            let set = self.element(run.element);
            let (mut style, link) = (set.style, set.link);
            if is_formula_of_class(self.page, run, text) {
                style = style.with(Style::FORMULA);
            }
            // The parts of one code, which are coloured or emphasised, are one code.
            let is_of_code = set.code != NONE && set.code == code && !self.has_image(end..run.text.start);
            (code, end) = (set.code, run.text.end);
            let of_code = spans[first..].last_mut().filter(|_| is_of_code);
            if let Some(span) = of_code.filter(|span| span.link == link) {
                span.end = at as u32;
                span.style = span.style.common(style);
                continue;
            }
            if style != Style::PLAIN || link > 0 {
                spans.push(Span {
                    block: number,
                    start: start as u32,
                    end: at as u32,
                    style,
                    link,
                });
            }
        }
    }

    /// Whether an image stands in a part of the text, or at an end of it.
    fn has_image(&self, part: Range<u32>) -> bool {
        let images = &self.page.images;
        let next = images.partition_point(|image| image.at < part.start);
        images.get(next).is_some_and(|image| image.at <= part.end)
    }

    /// How the text in an element is set.
    fn element(&mut self, element: u32) -> Set {
        if self.last.element != element {
            let (mut style, mut link, mut code) = (Style::PLAIN, 0, NONE);
            for up in self.page.ancestors(element) {
                let tag = self.page.elements[up as usize].tag;
                if !tag.is_inline() && !matches!(tag, Tag::Other | Tag::Math | Tag::Script) {
                    break;
                }
                let own = Style::new(self.page, up);
                style = style.with(own);
                if own == Style::CODE {
                    code = up;
                }
                if tag == Tag::A && (self.is_with_links || self.has_notes) && link == 0 {
                    link = self.link(up);
                }
            }
            self.last = Set {
                element,
                style,
                link,
                code,
            };
        }
        self.last
    }

    /// The number of a link.
    fn link(&mut self, element: u32) -> u32 {
        if let Some(&known) = self.numbers.get(&element) {
            return known;
        }
        if !self.is_with_links {
            return 0;
        }
        let address = self
            .page
            .attribute(element, Attr::Href)
            .filter(|href| !href.trim_start().starts_with('#'))
            .and_then(|href| address(href, self.base));
        let number = address.map_or(0, |address| {
            self.targets.push(Target::Address(address));
            self.targets.len() as u32
        });
        self.numbers.insert(element, number);
        number
    }
}

/// The whole address of a link or an image, or as it stands where that of its page is not known.
pub(super) fn address(href: &str, base: Option<&Url>) -> Option<String> {
    let href = href.trim();
    if href.is_empty() {
        return None;
    }
    match protected_address(href) {
        Some(Some(mail)) => return Some(format!("mailto:{mail}")),
        // The text alone has the address: the page had no link before a proxy made one.
        Some(None) => return None,
        None => {}
    }
    let is_known = |url: &Url| matches!(url.scheme(), "http" | "https" | "ftp" | "mailto" | "tel");
    match (base, Url::parse(href)) {
        (_, Ok(url)) => Some(url).filter(is_known).map(String::from),
        (Some(base), Err(_)) => base.join(href).ok().filter(is_known).map(String::from),
        (None, Err(_)) => Some(href.to_owned()),
    }
}

/// Whether a text that is all there is of an element is a formula because the class says so: between dollar signs without any
/// other sign of LaTeX, or LaTeX without dollar signs.
fn is_formula_of_class(page: &Page, run: &Run, text: &str) -> bool {
    let is_between_dollars = text.len() > 2 && text.starts_with('$') && text.ends_with('$');
    if !is_between_dollars && !text.contains(['\\', '^', '_']) {
        return false;
    }
    let class = page.attribute(run.element, Attr::Class);
    class.is_some_and(is_class_of_formulas)
}

/// Where a run begins in a text as it is written, which continues at a place: there, or behind a space.
fn place_of(written: &str, at: usize, run: &str) -> Option<usize> {
    let rest = &written[at..];
    let space = usize::from(rest.starts_with(' ') && !rest.starts_with(run));
    rest[space..].starts_with(run).then_some(at + space)
}
