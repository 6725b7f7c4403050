//! Blocks once more, the slow way: the tree as a list of tags and letters, cut and joined by the
//! letter of the definition.

use std::ops::Range;

use proptest::prelude::*;

use gleaner_html::{Attr, DOCUMENT, HtmlParser, NONE, NodeKind, Tag, Tree, letter_of_control};

use super::pieces::pages;
use super::unlimited;
use crate::blocks::{delete_list, is_one_word, is_opening, is_unseen, is_white};
use crate::{Page, PageConfig, Parser, TagEvent, Unit};

/// What a reader of the page meets, in order.
#[derive(Clone, Debug)]
enum Item {
    Tag {
        event: TagEvent,
        breaks: bool,
    },
    Letter {
        letter: char,
        element: u32,
    },
    /// The next letter is of another word, if it is a capital or a digit behind two letters of a word, a bracket or a sentence.
    Capital,
    /// The same of any letter behind two of a word, and of a capital behind a bracket.
    Name,
    /// The same, and of a capital behind a sentence.
    Word,
    /// A space that is not in the source.
    Space,
}

/// A block as text, so that two lists can be compared and read.
#[derive(Debug, Default, PartialEq, Eq)]
struct Plain {
    text: String,
    element: u32,
    runs: Vec<(u32, String)>,
    split: Vec<(Tag, bool)>,
    div: u32,
    td: u32,
    hidden: bool,
    written: String,
}

/// An element as the definition sees it.
struct Seen {
    tag: Tag,
    html: bool,
    parent: u32,
    hidden: bool,
    /// Whether it leads to a place on the page, if it is a link.
    leads_here: bool,
}

/// What stands between two ends of lines.
#[derive(Default)]
struct Line {
    text: String,
    /// Its letters, spaces not among them: where each is in the text, its item and its element.
    letters: Vec<(usize, usize, u32)>,
    runs: Vec<(u32, String)>,
    /// With its white space.
    written: String,
    /// The places of its first and last letter.
    first: Option<usize>,
    last: usize,
}

struct Reader<'a> {
    tree: Tree<'a>,
    config: &'a PageConfig,
    noscript: Option<u32>,
    elements: Vec<Seen>,
    items: Vec<Item>,
}

impl Reader<'_> {
    fn value(&self, node: u32, name: Attr) -> Option<&str> {
        self.tree.attribute(node, name)
    }

    fn hides(&self, node: u32) -> bool {
        let style = self
            .value(node, Attr::Style)
            .unwrap_or_default()
            .to_ascii_lowercase();
        let none = style.split(';').filter_map(|part| part.split_once(':'));
        self.value(node, Attr::Hidden).is_some()
            || self
                .value(node, Attr::AriaHidden)
                .is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
            || none
                .into_iter()
                .any(|(name, value)| name.trim() == "display" && value.trim().starts_with("none"))
    }

    /// A text with newlines alone at the ends of its lines.
    fn text(&self, node: u32) -> String {
        let text = self.tree.text(node);
        match self.tree.kind(node) {
            NodeKind::SourceText => text.replace("\r\n", "\n").replace('\r', "\n"),
            _ => text.to_owned(),
        }
    }

    fn tag(&mut self, tag: Tag, open: bool, inline: bool) {
        let breaks = !inline || tag == Tag::Br;
        self.items.push(Item::Tag {
            event: TagEvent { tag, open },
            breaks,
        });
    }

    fn letters(&mut self, text: &str, element: u32) {
        self.items
            .extend(text.chars().map(|letter| Item::Letter { letter, element }));
    }

    fn children(&mut self, node: u32, parent: u32, in_body: bool, in_pre: bool) {
        let mut child = self.tree.first_child(node);
        while child != NONE {
            match self.tree.kind(child) {
                NodeKind::PoolText | NodeKind::SourceText if in_body => {
                    for letter in self.text(child).chars() {
                        if letter == '\n' && in_pre {
                            self.tag(Tag::Br, true, false);
                        } else {
                            self.items.push(Item::Letter {
                                letter,
                                element: parent,
                            });
                        }
                    }
                }
                NodeKind::PoolText | NodeKind::SourceText => {}
                _ => self.element(child, parent, in_body, in_pre),
            }
            child = self.tree.next_sibling(child);
        }
    }

    fn element(&mut self, node: u32, parent: u32, in_body: bool, in_pre: bool) {
        let (tag, kind) = (self.tree.tag(node), self.tree.kind(node));
        let around = parent != NONE && self.elements[parent as usize].hidden;
        let hidden = around || self.hides(node);
        let id = self.elements.len() as u32;
        self.elements.push(Seen {
            tag,
            html: kind == NodeKind::Html,
            parent,
            hidden,
            leads_here: self
                .value(node, Attr::Href)
                .is_some_and(|href| href.trim_start().starts_with('#')),
        });
        let listed = self.config.delete.iter().any(|name| name == tag.name());
        let within_kept = parent != NONE && self.nearest(parent, |seen| seen.tag == Tag::Noscript) != NONE;
        let deleted = match tag {
            Tag::Noscript => self.noscript != Some(node) && !within_kept,
            _ => listed || kind == NodeKind::Annotation,
        };
        if deleted {
            const UNSEEN: &str =
                " script style template datalist map noframes noscript noembed title meta link ";
            if in_body && !UNSEEN.contains(&format!(" {} ", tag.name())) {
                self.tag(tag, true, true);
                if !tag.is_void() {
                    self.tag(tag, false, true);
                }
                self.items.push(Item::Space);
            }
            return;
        }
        let inline = tag.is_inline() || kind != NodeKind::Html;
        let in_body = in_body || tag == Tag::Body;
        let before = self.tree.previous_sibling(node);
        let has_text = before != NONE && self.tree.first_child(before) != NONE;
        let in_code = in_pre || parent != NONE && self.nearest(parent, |seen| is_code(seen.tag)) != NONE;
        let is_box = in_body && !in_code && kind == NodeKind::Html && tag.is_inline() && self.is_box(node);
        let mut between = Vec::new();
        if in_body && kind == NodeKind::Html && has_text && self.tree.kind(before) == NodeKind::Html {
            let classes = [before, node].map(|node| self.value(node, Attr::Class));
            let [first, second] =
                classes.map(|class| class.unwrap_or_default().split_ascii_whitespace().take(16));
            let lines = first.filter(|name| second.clone().any(|other| *name == other) && of_line(name));
            let controls = [before, node].map(|node| self.value(node, Attr::Role).is_some_and(of_control));
            match (self.tree.tag(before), tag) {
                _ if controls == [true; 2] => between.push(Item::Space),
                (Tag::A, Tag::A)
                    if self.value(before, Attr::Href) == self.value(node, Attr::Href)
                        && leads_to_a_place(self.value(node, Attr::Href).unwrap_or_default()) => {}
                (Tag::A, Tag::A)
                | (Tag::Label, Tag::Label)
                | (Tag::Kbd, Tag::Kbd)
                | (Tag::Button, Tag::Button | Tag::A | Tag::Span)
                | (Tag::A | Tag::Span, Tag::Button) => between.push(Item::Space),
                (Tag::Span, Tag::Span) if in_pre && lines.count() > 0 => self.tag(Tag::Br, true, false),
                _ if in_code => {}
                (Tag::Label, Tag::Span) | (Tag::Span, Tag::A) => between.push(Item::Word),
                (Tag::Span, Tag::Span) if classes[0] != classes[1] => between.push(Item::Name),
                (Tag::Span, Tag::Span) if classes[0].is_some() => between.push(Item::Capital),
                (first, second) => {
                    let is_index = [first, second]
                        .iter()
                        .any(|tag| matches!(tag, Tag::Sub | Tag::Sup));
                    between.extend((first != second && !is_index).then_some(Item::Capital));
                }
            }
        }
        between.extend(is_box.then_some(Item::Word));
        if in_body {
            self.tag(tag, true, inline);
            self.items.extend(between);
        }
        if tag == Tag::Img && in_body {
            let alt = self.value(node, Attr::Alt).unwrap_or_default().to_owned();
            self.items.push(Item::Space);
            self.letters(&alt, id);
            self.items.push(Item::Space);
        }
        let pre = in_pre || matches!(tag, Tag::Pre | Tag::Listing | Tag::Xmp | Tag::Plaintext);
        self.children(node, id, in_body, pre);
        if in_body && !tag.is_void() {
            self.tag(tag, false, inline);
            self.items.extend(is_box.then_some(Item::Word));
        }
    }

    /// Whether a style has one of the declarations that draw an element as a box.
    fn is_box(&self, node: u32) -> bool {
        let style = self
            .value(node, Attr::Style)
            .unwrap_or_default()
            .to_ascii_lowercase();
        style.split(';').any(|declaration| {
            let mut parts = declaration.splitn(2, ':').map(str::trim);
            let (name, value) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            let starts = |values: &[&str]| values.iter().any(|start| value.starts_with(start));
            name == "float" && starts(&["left", "right"])
                || name == "display" && starts(&["block", "flex", "grid", "table", "list-item"])
        })
    }

    fn around(&self, element: u32) -> impl Iterator<Item = u32> + '_ {
        let up = |&id: &u32| Some(self.elements[id as usize].parent).filter(|&parent| parent != NONE);
        std::iter::successors(Some(element), up)
    }

    fn nearest(&self, element: u32, found: impl Fn(&Seen) -> bool) -> u32 {
        self.around(element)
            .find(|&id| found(&self.elements[id as usize]))
            .unwrap_or(NONE)
    }

    /// The blocks of the items.
    fn blocks(&self) -> Vec<Plain> {
        let mut blocks: Vec<Plain> = Vec::new();
        // The lines of a `<pre>`, and the places of the blocks among them.
        let (mut lines, mut of_blocks): (Vec<String>, Vec<usize>) = Default::default();
        let mut after = 0;
        let mut start = 0;
        for end in 0..=self.items.len() {
            let breaks = self
                .items
                .get(end)
                .is_none_or(|item| matches!(item, Item::Tag { breaks: true, .. }));
            if !breaks {
                continue;
            }
            let ends = self.items.get(end).map(|item| match item {
                Item::Tag { event, .. } => event.tag,
                _ => unreachable!("it breaks"),
            });
            let line = self.line(start, end);
            if has_word(&line.text) {
                if self.nearest(line.runs[0].0, is_pre) != NONE {
                    of_blocks.push(lines.len());
                }
                if self.config.unit == Unit::Tag {
                    after = self.parts(&line, after, &mut blocks);
                } else {
                    blocks.extend(self.block(&line, after));
                    after = line.last + 1;
                }
            }
            let is_line = ends == Some(Tag::Br) || !line.written.is_empty();
            lines.extend(is_line.then_some(line.written));
            if ends.is_none_or(|tag| tag == Tag::Pre) {
                write_lines(
                    &std::mem::take(&mut lines),
                    &std::mem::take(&mut of_blocks),
                    &mut blocks,
                );
            }
            start = end + 1;
        }
        blocks
    }

    /// What is read of the items `start..end`.
    fn line(&self, start: usize, end: usize) -> Line {
        let mut line = Line::default();
        let (mut space, mut tag_seen) = (false, true);
        let (mut capital, mut name, mut word) = (false, false, false);
        for (index, item) in self.items[start..end].iter().enumerate() {
            match *item {
                Item::Tag { .. } => tag_seen = true,
                Item::Capital => capital = true,
                Item::Name => name = true,
                Item::Word => word = true,
                Item::Space => space = true,
                Item::Letter { letter, .. } if is_white(letter) => {
                    space = true;
                    line.written.push(if letter == '\t' { '\t' } else { ' ' });
                }
                Item::Letter { letter, .. } if is_unseen(letter) => {}
                Item::Letter { letter, element } => {
                    let letter = letter_of_control(letter).unwrap_or(letter);
                    line.first.get_or_insert(start + index);
                    line.last = start + index;
                    space |= begins_apart(&line.text, letter, [capital, name, word]);
                    let gap = if space && !line.text.is_empty() { " " } else { "" };
                    line.text.push_str(gap);
                    line.letters.push((line.text.len(), start + index, element));
                    line.text.push(letter);
                    if !line.written.ends_with([' ', '\t']) {
                        line.written.push_str(gap);
                    }
                    line.written.push(letter);
                    match line.runs.last_mut().filter(|run| run.0 == element && !tag_seen) {
                        Some(run) => run.1.extend(gap.chars().chain([letter])),
                        None => line.runs.push((element, letter.to_string())),
                    }
                    (space, tag_seen) = (false, false);
                    (capital, name, word) = (false, false, false);
                }
            }
        }
        line.written.truncate(line.written.trim_end().len());
        line
    }

    /// The text of a block without its marks, if it has some: the runs `own` of those of its line.
    fn without_marks(&self, text: &str, runs: &[(u32, String)], own: Range<usize>) -> String {
        let link = |run: usize| {
            let (element, _) = runs.get(run)?;
            let mut near = self.around(*element).take(4);
            near.find(|&id| self.elements[id as usize].tag == Tag::A)
        };
        let is_mark = |run: usize| {
            let has_word = has_word(&runs[run].1);
            let is_alone = |link_of: u32| {
                ![run.wrapping_sub(1), run + 1]
                    .iter()
                    .any(|&other| link(other) == Some(link_of))
            };
            !has_word && link(run).is_some_and(|own| self.elements[own as usize].leads_here && is_alone(own))
        };
        let (mut written, mut rest, mut is_apart) = (String::new(), text, false);
        for (run, (_, text)) in runs.iter().enumerate().take(own.end).skip(own.start) {
            is_apart |= rest.starts_with(' ') || is_mark(run);
            rest = &rest.trim_start()[text.len()..];
            if !is_mark(run) {
                if is_apart && !written.is_empty() {
                    written.push(' ');
                }
                written.push_str(text);
                is_apart = false;
            }
        }
        match own.len() > 1 && own.clone().any(is_mark) {
            true => written,
            false => String::new(),
        }
    }

    /// The blocks of a line that is cut at tags; the tags of their splits are looked for from `after` on. Tells from where
    /// those of the next line are.
    fn parts(&self, line: &Line, mut after: usize, blocks: &mut Vec<Plain>) -> usize {
        let letter_at = |at: usize| line.text[at..].chars().next().unwrap();
        let is_of_word = |&&(at, ..): &&(usize, usize, u32)| has_word(&letter_at(at).to_string());
        let words: Vec<_> = line.letters.iter().filter(is_of_word).collect();
        let mut cuts = Vec::new();
        for pair in words.windows(2) {
            let (&(first, from, element), &(second, to, _)) = (pair[0], pair[1]);
            let tag = self.items[from..to]
                .iter()
                .rposition(|item| matches!(item, Item::Tag { .. }));
            if let Some(tag) = tag.filter(|_| self.nearest(element, is_pre) == NONE) {
                let end = first + letter_at(first).len_utf8();
                let behind = line.letters.iter().find(|letter| letter.1 > from + tag);
                cuts.extend(place_of_cut(&line.text, end..second, behind.unwrap().0));
            }
        }
        let starts = [0].into_iter().chain(cuts.iter().map(|cut| cut.end));
        let ends = cuts.iter().map(|cut| cut.start).chain([line.text.len()]);
        let places: Vec<Range<usize>> = starts.zip(ends).map(|(start, end)| start..end).collect();
        let (runs, of_blocks) = cut_runs(line, &places);
        for (place, own) in places.into_iter().zip(of_blocks) {
            let words: Vec<_> = words.iter().filter(|word| place.contains(&word.0)).collect();
            let (&&&(_, first, element), &&&(_, last, _)) = (words.first().unwrap(), words.last().unwrap());
            let mut in_words = runs[own.clone()].iter().filter(|run| has_word(&run.1));
            let text = &line.text[place];
            blocks.push(Plain {
                element,
                split: self.tags(after..first),
                hidden: in_words.all(|run| self.elements[run.0 as usize].hidden),
                written: match self.nearest(element, is_pre) {
                    NONE => self.without_marks(text, &runs, own.clone()),
                    _ => String::new(),
                },
                runs: runs[own].to_vec(),
                text: text.to_owned(),
                ..self.around_block(element)
            });
            after = last + 1;
        }
        after
    }

    fn tags(&self, items: Range<usize>) -> Vec<(Tag, bool)> {
        let tags = self.items[items].iter().filter_map(|item| match item {
            Item::Tag { event, .. } => Some((event.tag, event.open)),
            _ => None,
        });
        tags.collect()
    }

    /// A block of no text in an element.
    fn around_block(&self, element: u32) -> Plain {
        Plain {
            div: self.nearest(element, |seen| seen.tag == Tag::Div),
            td: self.nearest(element, |seen| matches!(seen.tag, Tag::Td | Tag::Th)),
            ..Plain::default()
        }
    }

    /// The block of a line; the tags of its split are looked for from `after` on.
    fn block(&self, line: &Line, after: usize) -> Option<Plain> {
        let Line { runs, text, .. } = line;
        let innermost = runs[0].0;
        let block = Plain {
            element: self.nearest(innermost, |seen| seen.html && !seen.tag.is_inline()),
            split: self.tags(after..line.first?),
            hidden: runs.iter().all(|run| self.elements[run.0 as usize].hidden),
            runs: runs.clone(),
            text: text.clone(),
            written: match self.nearest(innermost, is_pre) {
                NONE => self.without_marks(text, runs, 0..runs.len()),
                _ => String::new(),
            },
            ..self.around_block(innermost)
        };
        Some(block)
    }
}

/// Where a line is cut between two words: at the space before what follows the last tag, else at the first space behind
/// it, else at the last one before it, else there, but within no word; brackets and quotes that open there go with what
/// follows.
fn place_of_cut(line: &str, between: Range<usize>, tag: usize) -> Option<Range<usize>> {
    let spaces = || between.clone().filter(|&at| line.as_bytes()[at] == b' ');
    let at_tag = spaces().find(|at| at + 1 == tag);
    let nearest = at_tag.or(spaces().find(|&at| at > tag)).or(spaces().next_back());
    let in_word = || is_one_word(line, between.clone());
    let opening = || {
        let signs = line[between.start..tag].chars().rev();
        signs
            .take_while(|&sign| is_opening(sign))
            .map(char::len_utf8)
            .sum::<usize>()
    };
    nearest
        .map(|at| at..at + 1)
        .or_else(|| (!in_word()).then(|| tag - opening()..tag - opening()))
}

/// The runs of a line whose blocks are in these places, and which are whose.
fn cut_runs(line: &Line, places: &[Range<usize>]) -> (Vec<(u32, String)>, Vec<Range<usize>>) {
    let (mut runs, mut of_blocks) = (Vec::new(), Vec::new());
    for place in places {
        let first = runs.len();
        let mut at = 0;
        for (element, text) in &line.runs {
            at += usize::from(line.text[at..].starts_with(' ') && !text.starts_with(' '));
            let own = at.max(place.start)..(at + text.len()).min(place.end);
            at += text.len();
            if own.start < own.end {
                runs.push((*element, line.text[own].to_owned()));
            }
        }
        of_blocks.push(first..runs.len());
    }
    (runs, of_blocks)
}

fn has_word(text: &str) -> bool {
    text.contains(|letter: char| letter.is_alphanumeric() || letter == '_')
}

fn is_pre(seen: &Seen) -> bool {
    seen.tag == Tag::Pre
}

/// Gives the lines of a `<pre>` to the last blocks, which stand at some places among them: a block has the lines up to the
/// next, the first also those above it, but for empty ones at the top and at the end.
fn write_lines(lines: &[String], places: &[usize], blocks: &mut [Plain]) {
    let top = lines.iter().take_while(|line| line.is_empty()).count();
    let first = blocks.len() - places.len();
    for (at, block) in blocks[first..].iter_mut().enumerate() {
        let start = if at == 0 { top } else { places[at] };
        let end = places.get(at + 1).copied();
        block.written = lines[start..end.unwrap_or(lines.len())].join("\n");
        if end.is_none() {
            block.written.truncate(block.written.trim_end().len());
        }
    }
}

fn is_code(tag: Tag) -> bool {
    ["code", "kbd", "samp", "tt", "var"].contains(&tag.name())
}

/// Whether a letter begins a word of its own behind a text, by what stands between: of several items the last counts.
fn begins_apart(before: &str, letter: char, items: [bool; 3]) -> bool {
    let is_word = |text: &str| {
        let last = text.chars().rev().take(2);
        last.filter(|&letter| of_spaced(letter)).count() == 2
    };
    let is_capital = !letter.is_lowercase();
    let name = is_word(before) || is_capital && before.ends_with(')');
    let sentence = is_capital
        && ['.', '!', '?']
            .iter()
            .any(|&mark| before.strip_suffix(mark).is_some_and(is_word));
    let by_item = [is_capital && (name || sentence), name, name || sentence];
    let last = items.iter().rposition(|&is_there| is_there);
    of_spaced(letter) && last.is_some_and(|last| by_item[last])
}

fn leads_to_a_place(href: &str) -> bool {
    let href = href.trim().to_ascii_lowercase();
    !href.is_empty() && href != "#" && !href.starts_with("javascript:")
}

/// Whether a role is that of something to press or to choose.
fn of_control(role: &str) -> bool {
    const CONTROLS: &str =
        " button checkbox link listitem menuitem menuitemcheckbox menuitemradio option radio tab treeitem ";
    !role.trim().is_empty() && !role.trim().contains(' ') && CONTROLS.contains(&format!(" {} ", role.trim()))
}

/// Whether a class has the word for the lines of a program.
fn of_line(name: &str) -> bool {
    format!(
        " {} ",
        name.replace(|letter: char| !letter.is_ascii_alphabetic(), " ")
    )
    .contains(" line ")
}

/// Whether words of the letter's script have spaces between them.
fn of_spaced(letter: char) -> bool {
    let number = u32::from(letter);
    letter.is_alphanumeric() && (number < 0xe00 || (0x1e00..0x2000).contains(&number))
}

/// The blocks of a page by the definition.
fn expected(html: &str, config: &PageConfig) -> Vec<Plain> {
    let mut parser = HtmlParser::new(config.limits.of_tree());
    let parsed = parser.parse_str(html);
    let tree = parsed.tree();
    let source = crate::blocks::Source {
        tree,
        delete: &delete_list(config),
        config,
    };
    let noscript = crate::blocks::noscript_content(&source);
    let mut reader = Reader {
        tree,
        config,
        noscript,
        elements: Vec::new(),
        items: Vec::new(),
    };
    reader.children(DOCUMENT, NONE, false, false);
    reader.blocks()
}

/// The blocks of a page as plain values.
fn plain(page: &Page) -> Vec<Plain> {
    let blocks = page.blocks.iter().map(|block| Plain {
        text: page.text(block).to_owned(),
        element: block.element,
        runs: page
            .runs(block)
            .iter()
            .map(|run| (run.element, page.run_text(run).to_owned()))
            .collect(),
        split: page
            .split(block)
            .iter()
            .map(|event| (event.tag, event.open))
            .collect(),
        div: block.div,
        td: block.td,
        hidden: block.hidden,
        written: match block.written.is_empty() {
            true => String::new(),
            false => page.written(block).to_owned(),
        },
    });
    blocks.collect()
}

/// A `<noscript>` with words enough to count as content, and another within it.
const NOSCRIPT: &str = "<noscript>1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 \
    29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50<noscript>within</noscript></noscript>";

/// Pieces that matter for blocks and not for trees.
const PIECES: &[&str] = &[
    "<p hidden>",
    "<span style='color:red; DISPLAY: none'>",
    "<div aria-hidden=true>",
    "<img alt='one  two'>",
    "—",
    "&nbsp;",
    "\u{ad}",
    " x\n y ",
    "<img>",
    "<noscript>n</noscript>",
    "<a href=y>one</a><a href=z>two</a>",
    "one</a><a href=x>",
    "<button>one</button><button>two</button>",
    "<label>one</label><label>two</label>",
    "<template id=B:1></template>",
    "<template id=P:2></template>",
    "<template id=B:2>",
    "<div hidden id=S:1>",
    "<div hidden id=S:1>x <template id=P:2></template> y</div>",
    "<div hidden id=S:2><p>z <template id=B:1></template></div>",
    NOSCRIPT,
    "</pre>",
    "</svg>",
    "</math>",
    "</table>",
];

/// Pieces of lines: neighbours with and without something between them.
#[rustfmt::skip]
const NEIGHBOURS: &[&str] = &[
    "ab", "Ab", "a", "A", "12", "1", "é", "ab ", " ab", ".", "ж", "жз", "กข", "中文", "ab\u{ad}", "\u{ad}", "<!---->", "\n", "<br>",
    "<span>", "<span>", "<span class=a>", "<span class=b>", "<span class='a b'>", "<span class=line>", "<span class='a code-line'>",
    "<span class='code-line b'>", "<span class=lines>", "</span>", "</span>", "</span>", "</span>", "</span>", "</span>",
    "<a href=x>", "<a href=y>", "<a href=#x>", "<a href=' #'>", "<a href=#y>\u{b6}</a>", "<i>", "</i>", "</a>", "</a>", "<label>", "</label>", "<button>", "</button>", "<code>", "</code>", "<pre>", "</pre>",
    "<pre>\n", "  ", "\t", "\n{\n", "<div>", "</div>", "<select></select>", "<b>", "</b>", "<svg>", "</svg>", "<img>", "<p>",
    "<b style=float:left>", "<span style='color:red; DISPLAY : Block!important'>", "<i style=display:inline-block>", "<kbd>", "</kbd>",
    "<a>", "<a href=#>", "<a href=' JavaScript:x()'>", "<a role=tab>", "<span role=' button'>", "<b role=tab>", "<i role=presentation>", "(", ")", "!", "ab.", "AB?",
    "ab ", ",", ", ", " \"", "'", "-", "</i>", "<sup>", "</sup>", "<sub style='float:right'>", "</sub>", "<img style=float:left>", "<svg style=float:left>", "<em>", "</em>",
];

fn lines_of_neighbours() -> impl Strategy<Value = String> {
    let pieces = proptest::collection::vec(proptest::sample::select(NEIGHBOURS), 0..24);
    pieces.prop_map(|pieces| pieces.concat())
}

/// Compares a page's blocks with those of the definition.
fn compare(html: &str, by_tag: bool) -> Result<(), TestCaseError> {
    let unit = if by_tag { Unit::Tag } else { Unit::Line };
    let config = PageConfig {
        unit,
        limits: unlimited(),
        ..PageConfig::default()
    };
    let mut parser = Parser::new(config.clone());
    let parsed = parser.parse(html.as_bytes(), Some("text/html; charset=utf-8"));
    let Ok(page) = parsed else {
        return Err(TestCaseError::reject("controls"));
    };
    prop_assert_eq!(plain(page), expected(html, &config), "of {:?}", html);
    Ok(())
}

fn pages_with_text() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(PIECES);
    let parts = proptest::collection::vec((pages(), piece), 0..4);
    parts.prop_map(|parts| parts.into_iter().map(|(page, piece)| page + piece).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn blocks_are_those_of_the_definition(html in pages_with_text(), by_tag in any::<bool>()) {
        compare(&html, by_tag)?;
    }

    #[test]
    fn neighbours_are_parted_as_the_definition_has_it(html in lines_of_neighbours(), by_tag in any::<bool>()) {
        compare(&html, by_tag)?;
    }
}
