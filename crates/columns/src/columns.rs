//! The features of a page as the labeller reads them.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// The features of a page's blocks. They go column by column, a code a block, each
/// below its column's cardinality, which the configuration fixes. Beside them it is noted which blocks look alike (have the
/// same tags and classes around them), which have the same text, which are preformatted, and which go with others.
///
/// ```
/// use gleaner_columns::Columns;
///
/// let mut columns = Columns::default();
/// columns.reset(2, 1);
/// columns.column_mut(0).copy_from_slice(&[3, 0]);
/// assert_eq!(columns.column(0), [3, 0]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    rows: usize,
    columns: usize,
    codes: Vec<u8>,
    groups: Vec<u32>,
    texts: Vec<u32>,
    preformatted: Vec<Range<u32>>,
    captions: Vec<Caption>,
}

/// A column: what its codes are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnInfo {
    /// The feature's name.
    pub name: String,
    /// How many codes it has; each code is below it.
    pub cardinality: u16,
}

/// The head of a table, or a part of a short list of definitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caption {
    /// Its blocks.
    pub blocks: Range<u32>,
    /// Those of the whole table or list: its own, and some before or behind them.
    pub whole: Range<u32>,
}

impl Columns {
    /// Makes room for `rows` blocks of `columns` features, all codes zero.
    /// Memory is reused.
    pub fn reset(&mut self, rows: usize, columns: usize) {
        self.codes.clear();
        self.reset_unfilled(rows, columns);
    }

    /// The same, but codes are whatever they were before: each is to be filled in.
    pub fn reset_unfilled(&mut self, rows: usize, columns: usize) {
        self.rows = rows;
        self.columns = columns;
        self.codes.resize(rows * columns, 0);
        self.groups.clear();
        self.texts.clear();
        self.preformatted.clear();
        self.captions.clear();
    }

    /// How many blocks there are.
    #[inline]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many features a block has.
    #[inline]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The codes of one feature, a block each.
    #[inline]
    pub fn column(&self, column: usize) -> &[u8] {
        &self.codes[column * self.rows..(column + 1) * self.rows]
    }

    /// The codes of all features: those of the first for all blocks, then those of the second, and so on.
    pub fn codes(&self) -> &[u8] {
        &self.codes
    }

    /// The codes of one feature, to be filled in.
    #[inline]
    pub fn column_mut(&mut self, column: usize) -> &mut [u8] {
        &mut self.codes[column * self.rows..(column + 1) * self.rows]
    }

    /// The number of the group of blocks that look alike which each block is in, below the number of blocks; empty
    /// where groups are not known.
    pub fn groups(&self) -> &[u32] {
        &self.groups
    }

    /// Sets the group of each block.
    ///
    /// # Panics
    /// There is not one a block, or one has a number that is not below the number of blocks.
    pub fn set_groups(&mut self, groups: impl IntoIterator<Item = u32>) {
        self.groups.clear();
        self.groups.extend(groups);
        assert_eq!(self.groups.len(), self.rows, "a group a block");
        let in_range = self.groups.iter().all(|&group| (group as usize) < self.rows);
        assert!(in_range, "groups are numbered below the number of blocks");
    }

    /// The number of each block's text, which is that of the first block that has it; empty where texts are not known.
    /// Cells of tables and lines of listings have texts of their own, whatever they say: a row without one of its
    /// cells is no row.
    pub fn texts(&self) -> &[u32] {
        &self.texts
    }

    /// Sets the number of each block's text.
    ///
    /// # Panics
    /// There is not one a block, or one is that of a later block.
    pub fn set_texts(&mut self, texts: impl IntoIterator<Item = u32>) {
        self.texts.clear();
        self.texts.extend(texts);
        assert_eq!(self.texts.len(), self.rows, "a text a block");
        let is_first = |(row, &text): (usize, &u32)| text as usize <= row;
        let in_order = self.texts.iter().enumerate().all(is_first);
        assert!(in_order, "a text has the number of the first block that has it");
    }

    /// The preformatted texts of the page, as programs are, and the formulas in lines of their own, each as its blocks, in
    /// order, without columns of line numbers; empty where none are known.
    pub fn preformatted(&self) -> &[Range<u32>] {
        &self.preformatted
    }

    /// Sets the blocks of each preformatted text and formula.
    ///
    /// # Panics
    /// They are not in order, or are not blocks of the page.
    pub fn set_preformatted(&mut self, texts: impl IntoIterator<Item = Range<u32>>) {
        self.preformatted.clear();
        self.preformatted.extend(texts);
        let mut end = 0;
        for text in &self.preformatted {
            assert!(end <= text.start && text.start < text.end, "texts in order");
            end = text.end;
        }
        assert!(end as usize <= self.rows, "blocks of the page");
    }

    /// The heads of tables and the parts of short lists of definitions, in the order of the page; without those that have no
    /// block beside them. Empty where none are known.
    pub fn captions(&self) -> &[Caption] {
        &self.captions
    }

    /// Sets the captions.
    ///
    /// # Panics
    /// They are not in order, are no part of a whole that has other blocks, too, or are not blocks of the page.
    pub fn set_captions(&mut self, captions: impl IntoIterator<Item = Caption>) {
        self.captions.clear();
        self.captions.extend(captions);
        let mut end = 0;
        for Caption { blocks, whole } in &self.captions {
            assert!(end <= blocks.start && !blocks.is_empty(), "captions in order");
            assert!(whole.start <= blocks.start && blocks.end <= whole.end, "a part");
            assert!(blocks != whole, "other blocks in the whole");
            assert!(whole.end as usize <= self.rows, "blocks of the page");
            end = blocks.end;
        }
    }
}
