//! The content of a page as Markdown: CommonMark, with the tables of GitHub and with formulas between dollar signs.
//!
//! A parser gives the text of the page back: what would be read as markup is escaped.

mod escape;
mod formula;
mod headings;
mod html_table;
mod images;
mod inline;
mod lines;
mod notes;
mod pipe_table;

use std::ops::Range;

use gleaner_content::Label;
use gleaner_html::NONE;

use crate::markup::LoneImage;
use crate::structure::{HolderKind, Holders};
use crate::text::breaks_sentence;
use crate::{Join, Leaf, Markup, Piece, Step, walk};

use headings::Headings;
use html_table::HtmlTable;
use images::Images;
use inline::{Line, LineKind, longest_run};
use lines::Lines;
use notes::Notes;
use pipe_table::PipeTable;

/// The blocks of a page that labels keep, as Markdown: those of the main heading first, if it is known.
pub(crate) fn markdown(markup: &Markup, blocks: &[Piece<'_>], heading: Option<Range<usize>>) -> String {
    let (notes, images) = (Notes::new(markup, blocks), Images::new(markup, blocks));
    let Some(heading) = heading else {
        return written(markup, &notes, &images, blocks, None);
    };
    let mut others = blocks.to_vec();
    others[heading.clone()]
        .iter_mut()
        .for_each(|piece| piece.label = Label::Other);
    let first = main_heading(markup, &notes, &blocks[heading.clone()], heading.start);
    first + "\n\n" + &written(markup, &notes, &images, &others, Some(heading))
}

/// The main heading, whose first block has this number.
fn main_heading(markup: &Markup, notes: &Notes<'_>, blocks: &[Piece<'_>], first: usize) -> String {
    let mut line = Line::default();
    for (at, piece) in blocks.iter().enumerate() {
        if at > 0 {
            line.space(piece.joint.within_line().unwrap_or(" "));
        }
        line.push_block(piece.text, first + at, markup, notes);
    }
    heading(1, &line, markup, notes)
}

fn written(
    markup: &Markup,
    notes: &Notes<'_>,
    images: &Images,
    blocks: &[Piece<'_>],
    main: Option<Range<usize>>,
) -> String {
    let mut writer = Writer {
        markup,
        notes,
        images,
        blocks,
        headings: Headings::new(&markup.structure, blocks, main.as_ref().map(|main| main.start)),
        lines: Lines::default(),
        line: Line::default(),
        is_preformatted: false,
        join: None,
        table: None,
        around: Vec::new(),
        pending: Vec::new(),
    };
    main.into_iter()
        .flatten()
        .for_each(|block| writer.find_images(block));
    walk(&markup.structure, blocks, false, &mut |holders, step| {
        writer.step(holders, step)
    });
    writer.put_images(None);
    writer.lines.end()
}

struct Writer<'a> {
    markup: &'a Markup,
    notes: &'a Notes<'a>,
    images: &'a Images,
    blocks: &'a [Piece<'a>],
    headings: Headings,
    lines: Lines,
    /// The text of the leaf that is open.
    line: Line,
    /// Whether it is preformatted.
    is_preformatted: bool,
    /// How the next block is joined with it, if that begins a line.
    join: Option<Join>,
    /// The table that is open.
    table: Option<Table>,
    /// The holders that are open.
    around: Vec<u32>,
    /// The images in lines of their own that stand between the last block and the next.
    pending: Vec<LoneImage>,
}

/// A table on its way.
enum Table {
    Pipe(PipeTable),
    /// What a pipe table cannot hold.
    Html(HtmlTable),
}

impl Writer<'_> {
    fn step(&mut self, holders: &Holders<'_>, step: Step) {
        match step {
            Step::OpenHolder(holder) => {
                self.put_images(Some(self.innermost()));
                self.around.push(holder);
                self.open(holders, holder);
            }
            Step::CloseHolder(holder) => {
                self.put_images(Some(self.innermost()));
                self.around.pop();
                self.close(holder);
            }
            Step::OpenOwnList => match &mut self.table {
                Some(table) => table.open_own_list(),
                None => self.lines.open_list(false),
            },
            Step::CloseOwnList => match &mut self.table {
                Some(table) => table.close_own_list(),
                None => self.lines.close_list(),
            },
            Step::OpenLeaf(leaf, _) => self.open_leaf(leaf),
            Step::CloseLeaf(leaf) => self.close_leaf(leaf),
            Step::Join(join) => self.join = Some(join),
            Step::White(white) => self.line.space(white),
            Step::Text(block) => self.text(block),
        }
    }

    fn open(&mut self, holders: &Holders<'_>, holder: u32) {
        let kind = self.markup.structure.kind(holder);
        if let Some(table) = &mut self.table {
            return table.open(kind);
        }
        match kind {
            HolderKind::Quote => self.lines.open_quote(),
            HolderKind::Bullets => self.lines.open_list(false),
            HolderKind::Numbered { .. } => self.lines.open_list(true),
            HolderKind::Item { number } => match self.notes.of_item(self.markup.structure.element(holder)) {
                Some(label) => self.lines.open_note(label),
                None => self.lines.open_item(number),
            },
            HolderKind::Table if holders.is_complex(holder) => {
                self.table = Some(Table::Html(HtmlTable::default()))
            }
            HolderKind::Table => self.table = Some(Table::Pipe(PipeTable::default())),
            HolderKind::Row | HolderKind::Cell { .. } => {}
        }
    }

    fn close(&mut self, holder: u32) {
        let kind = self.markup.structure.kind(holder);
        match (kind, &mut self.table) {
            (HolderKind::Table, _) => {
                let table = self.table.take().map(Table::end);
                self.lines.put(&table.unwrap_or_default());
            }
            (_, Some(table)) => table.close(kind),
            (HolderKind::Quote, None) => self.lines.close_quote(),
            (HolderKind::Bullets | HolderKind::Numbered { .. }, None) => self.lines.close_list(),
            (HolderKind::Item { .. }, None) => self.lines.close_item(),
            (HolderKind::Row | HolderKind::Cell { .. }, None) => {}
        }
    }

    fn innermost(&self) -> u32 {
        self.around.last().copied().unwrap_or(NONE)
    }

    /// Keeps the images behind a block for later.
    fn find_images(&mut self, block: usize) {
        let found = self.images.behind(block).iter().map(|(_, image)| *image);
        self.pending.extend(found);
    }

    /// Writes the images that stand in this holder, or all. In a table there is no room for them.
    fn put_images(&mut self, holder: Option<u32>) {
        if self.table.is_some() || self.pending.is_empty() {
            return;
        }
        let is_here = |image: &LoneImage| holder.is_none_or(|holder| image.holder == holder);
        let (here, others) = self.pending.drain(..).partition(is_here);
        self.pending = others;
        for LoneImage { image, .. } in here {
            let mut line = Line::default();
            line.push_image(image, self.markup);
            self.lines.put(&paragraph(&line, self.markup, self.notes));
        }
    }

    fn open_leaf(&mut self, leaf: Leaf) {
        self.put_images(None);
        self.line = Line::default();
        self.is_preformatted = matches!(leaf, Leaf::Lines(_));
        self.join = None;
        if leaf == Leaf::OwnItem && self.table.is_none() {
            self.lines.open_item(0);
        }
    }

    fn text(&mut self, block: usize) {
        let piece = self.blocks[block];
        let is_sentence =
            || piece.label == Label::Continuation && breaks_sentence(self.line.text(), piece.text);
        match self.join.take() {
            Some(Join::Break) if is_sentence() => self.line.space(" "),
            Some(Join::Break | Join::Line | Join::InCell) => self.line.space("\n"),
            Some(Join::Space) => self.line.space(" "),
            None => {}
        }
        match self.is_preformatted {
            true => self.line.push_plain(piece.text),
            false => self.line.push_block(piece.text, block, self.markup, self.notes),
        }
        self.find_images(block);
    }

    fn close_leaf(&mut self, leaf: Leaf) {
        let (line, markup, notes) = (&self.line, self.markup, self.notes);
        match &mut self.table {
            Some(Table::Pipe(table)) => return table.text(&line.render(markup, notes, LineKind::Cell)),
            Some(Table::Html(table)) => return table.leaf(leaf, line, markup),
            None => {}
        }
        match leaf {
            Leaf::Paragraph | Leaf::Bare | Leaf::OwnItem => self.lines.put(&paragraph(line, markup, notes)),
            Leaf::Header(rank) => {
                let level = self.headings.level(rank);
                self.lines.put(&heading(level, line, markup, notes));
            }
            Leaf::Lines(pre) => self.lines.put(&fenced(line.text(), markup.language(pre))),
        }
        if leaf == Leaf::OwnItem {
            self.lines.close_item();
        }
    }
}

impl Table {
    fn open(&mut self, kind: HolderKind) {
        match self {
            Table::Pipe(table) => table.open(kind),
            Table::Html(table) => table.open(kind),
        }
    }

    fn close(&mut self, kind: HolderKind) {
        if let Table::Html(table) = self {
            table.close(kind);
        }
    }

    fn open_own_list(&mut self) {
        if let Table::Html(table) = self {
            table.open(HolderKind::Bullets);
        }
    }

    fn close_own_list(&mut self) {
        if let Table::Html(table) = self {
            table.close(HolderKind::Bullets);
        }
    }

    fn end(self) -> String {
        match self {
            Table::Pipe(table) => table.end(),
            Table::Html(table) => table.end(),
        }
    }
}

fn paragraph(line: &Line, markup: &Markup, notes: &Notes<'_>) -> String {
    let text = line.render(markup, notes, LineKind::Paragraph);
    let lines: Vec<String> = text.lines().map(escape::line_start).collect();
    lines.join("\n")
}

fn heading(level: usize, line: &Line, markup: &Markup, notes: &Notes<'_>) -> String {
    let text = line.render(markup, notes, LineKind::Heading);
    // What ends a heading with such signs would be no text.
    let text = match text.strip_suffix('#') {
        Some(before) => format!("{before}\\#"),
        None => text,
    };
    format!("{} {text}", "#".repeat(level))
}

/// Preformatted text between more backticks than it has in a row.
fn fenced(text: &str, language: &str) -> String {
    let fence = "`".repeat(longest_run(text, '`').max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", text.trim_end())
}
