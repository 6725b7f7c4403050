//! Paragraphs: what empty lines separate.

use xxhash_rust::xxh3::xxh3_64;

use super::table::Table;

/// Paragraphs of a text that were there before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paragraphs {
    pub(super) paragraphs: u32,
    pub(super) duplicates: u32,
    pub(super) characters: usize,
}

/// Compares the paragraphs of a text, without white space at its beginning and end: what two line feeds or more separate.
pub(super) fn duplicates(text: &str, table: &mut Table) -> Paragraphs {
    table.clear(0);
    let mut found = Paragraphs {
        paragraphs: 1,
        duplicates: 0,
        characters: 0,
    };
    let mut rest = text.trim();
    while let Some(end) = memchr::memmem::find(rest.as_bytes(), b"\n\n") {
        found.add(&rest[..end], table);
        found.paragraphs += 1;
        rest = rest[end..].trim_start_matches('\n');
    }
    found.add(rest, table);
    found
}

impl Paragraphs {
    fn add(&mut self, paragraph: &str, table: &mut Table) {
        if !table.number(xxh3_64(paragraph.as_bytes())).1 {
            self.duplicates += 1;
            self.characters += paragraph.chars().count();
        }
    }
}
