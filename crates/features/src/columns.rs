//! Features of a page's blocks as columns of small integers.

/// The features of a page's blocks, column by column. A code is below its column's cardinality,
/// which the configuration fixes.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    rows: usize,
    codes: Vec<u8>,
}

impl Columns {
    /// Makes room for `rows` blocks of `columns` features, all codes zero. Memory is reused.
    pub fn reset(&mut self, rows: usize, columns: usize) {
        self.rows = rows;
        self.codes.clear();
        self.codes.resize(rows * columns, 0);
    }

    /// How many blocks there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many features a block has.
    pub fn columns(&self) -> usize {
        self.codes.len().checked_div(self.rows).unwrap_or(0)
    }

    /// The codes of one feature, a block each.
    pub fn column(&self, column: usize) -> &[u8] {
        &self.codes[column * self.rows..(column + 1) * self.rows]
    }

    /// The codes of one feature, to be filled in.
    pub fn column_mut(&mut self, column: usize) -> &mut [u8] {
        &mut self.codes[column * self.rows..(column + 1) * self.rows]
    }
}
