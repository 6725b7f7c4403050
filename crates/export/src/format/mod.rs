//! The forms in which pages are written.

pub(crate) mod body;
mod fields;
pub(crate) mod parquet;

use std::str::FromStr;

use crate::recipe::Column;

/// A form in which pages are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// An object of JSON on each line.
    Lines(Fields, Compression),
    /// Parquet tables.
    Parquet,
    /// Folders with a file of Markdown for each page.
    Markdown,
    /// Folders with a file of text for each page.
    Text,
}

/// The keys of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fields {
    /// The columns of the recipe.
    Columns,
    /// Those of Dolma: id, text, source, added, created, metadata.
    Dolma,
    /// Those of DataTrove: text, id, metadata.
    DataTrove,
}

/// How files are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// They are not.
    None,
    /// By gzip.
    Gzip,
    /// By Zstandard.
    Zstd,
}

const NAMES: [(&str, Format); 12] = {
    use Compression::{Gzip, None, Zstd};
    use Fields::{Columns, DataTrove, Dolma};
    [
        ("jsonl", Format::Lines(Columns, None)),
        ("jsonl.gz", Format::Lines(Columns, Gzip)),
        ("jsonl.zst", Format::Lines(Columns, Zstd)),
        ("parquet", Format::Parquet),
        ("dolma", Format::Lines(Dolma, None)),
        ("dolma.gz", Format::Lines(Dolma, Gzip)),
        ("dolma.zst", Format::Lines(Dolma, Zstd)),
        ("datatrove", Format::Lines(DataTrove, None)),
        ("datatrove.gz", Format::Lines(DataTrove, Gzip)),
        ("datatrove.zst", Format::Lines(DataTrove, Zstd)),
        ("markdown", Format::Markdown),
        ("text", Format::Text),
    ]
};

impl Format {
    /// The names of all formats.
    pub const NAMES: [&str; NAMES.len()] = {
        let mut names = [""; NAMES.len()];
        let mut place = 0;
        while place < names.len() {
            names[place] = NAMES[place].0;
            place += 1;
        }
        names
    };

    /// Its name.
    pub fn name(self) -> &'static str {
        let found = NAMES.iter().find(|(_, format)| *format == self);
        found.map_or("", |(name, _)| name)
    }

    /// The columns that are read for pages in this form.
    pub(crate) fn columns(self, recipe: &[Column]) -> Vec<Column> {
        let needed: &[&str] = match self {
            Format::Lines(Fields::Columns, _) | Format::Parquet => &[],
            Format::Lines(Fields::Dolma, _) => &["row_id", "text", "crawl_date", "published"],
            Format::Lines(Fields::DataTrove, _) => &["row_id", "text"],
            Format::Markdown => return named(&["markdown"]),
            Format::Text => return named(&["text"]),
        };
        let mut columns = named(needed);
        columns.extend(recipe);
        let mut known = Vec::new();
        columns.retain(|column| {
            let is_new = !known.contains(column);
            known.push(*column);
            is_new
        });
        columns
    }

    /// The name of a shard: of its file, or of its folder.
    pub(crate) fn shard(self, number: usize) -> String {
        let end = match self {
            Format::Lines(_, Compression::None) => ".jsonl",
            Format::Lines(_, Compression::Gzip) => ".jsonl.gz",
            Format::Lines(_, Compression::Zstd) => ".jsonl.zst",
            Format::Parquet => ".parquet",
            Format::Markdown | Format::Text => "",
        };
        // Where the tools of Dolma look for them.
        let folder = match self {
            Format::Lines(Fields::Dolma, _) => "documents/",
            _ => "",
        };
        format!("{folder}{number:05}{end}")
    }
}

fn named(names: &[&str]) -> Vec<Column> {
    names.iter().filter_map(|name| Column::document(name)).collect()
}

/// A name that is that of no format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown format '{0}'")]
pub struct BadFormat(String);

impl FromStr for Format {
    type Err = BadFormat;

    fn from_str(name: &str) -> Result<Format, BadFormat> {
        let found = NAMES.iter().find(|(known, _)| *known == name);
        found
            .map(|(_, format)| *format)
            .ok_or_else(|| BadFormat(name.to_owned()))
    }
}
