//! Pages of archives, record by record, of HTML files, and of folders of both. Plain texts (WET records, `.txt` files)
//! are pages where they are asked for.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use gleaner_html::page_file;
use gleaner_store::{Expanded, Options as StoreOptions, Shard, Store, typed_path};
use gleaner_warc::{
    Container, Error as ArchiveError, ForeignKind, Format, Options, PROBE_BYTES, ReadSource, Reader, Step,
    Wanted, WebPage, http, page_bytes, probe,
};

use crate::Error;

/// Takes a warning, a line each.
pub type Warn<'w> = &'w (dyn Fn(&str) + Sync);

/// Maximum number of printed warnings of one kind.
const MAX_WARNINGS: usize = 20;

/// Maximum bytes read of an HTML file. The limit of the parser is lower, and is reported.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// A page as it stands in a file.
pub struct FoundPage<'a> {
    /// The file that it is in.
    pub file: &'a str,
    /// Its address; of a file the one in its envelope. Empty where it is not known.
    pub url: &'a str,
    /// The header `Content-Type`.
    pub content_type: Option<String>,
    /// Its bytes.
    pub body: &'a [u8],
    /// Whether it is from an archive; else the file is the page.
    pub is_record: bool,
    /// Whether it is a plain text and no HTML.
    pub is_text: bool,
}

impl FoundPage<'_> {
    /// Its name in messages: its address, or its file.
    pub fn name(&self) -> &str {
        if self.url.is_empty() { self.file } else { self.url }
    }
}

/// Which plain texts are read beside pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Texts {
    /// None.
    None,
    /// Those of archives, as `gleaner build` takes them.
    OfArchives,
    /// Files, too, and `.txt` files in folders.
    All,
}

/// What is read of inputs.
#[derive(Clone, Copy)]
pub struct PageSearch<'a> {
    /// Plain texts.
    pub texts: Texts,
    /// The folder that is written to. It is not read, also if it is in a folder that is.
    pub out: Option<&'a Path>,
    /// Takes warnings: of damaged places, of inputs that are no pages.
    pub warn: Warn<'a>,
}

/// Takes pages one by one.
type Visit<'v, E> = dyn FnMut(FoundPage<'_>) -> Result<(), E> + 'v;

/// The name of an input in messages.
pub fn input_name(input: &Path) -> String {
    match input == Path::new("-") {
        true => "standard input".to_owned(),
        false => input.display().to_string(),
    }
}

/// Warns of inputs that are read once though they are named twice, and of links that lead nowhere.
pub fn warn_of_notes(found: &Expanded, warn: Warn<'_>) {
    for note in found.notes.iter().take(MAX_WARNINGS) {
        warn(&format!("warning: {note}"));
    }
    if let Some(more @ 1..) = found.notes.len().checked_sub(MAX_WARNINGS) {
        warn(&format!(
            "warning: {more} more inputs have a second name, or are links that lead nowhere"
        ));
    }
}

impl PageSearch<'_> {
    /// Options of the store. Standard output can be a file in a folder that is read.
    fn options(self) -> StoreOptions {
        let standard_output = Path::new("/dev/stdout");
        let written = self.out.into_iter().chain([standard_output]);
        StoreOptions {
            texts: self.texts == Texts::All,
            written: written.map(Path::to_owned).collect(),
            ..StoreOptions::default()
        }
    }

    /// Visits the pages of an input in their order. An input is a file, standard input (`-`), or another input of
    /// `gleaner build`: a folder, a pattern, a WACZ file, a URL.
    ///
    /// # Errors
    /// The input cannot be read, or `visit` fails.
    pub fn each<E: From<Error>>(self, input: &Path, visit: &mut Visit<'_, E>) -> Result<(), E> {
        let name = input_name(input);
        if input == Path::new("-") {
            return self.read(&name, io::stdin().lock(), true, visit);
        }
        let is_packed = input
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("wacz"));
        // Pipes are files, too: `gleaner clean <(curl ...)`.
        if input.exists() && !input.is_dir() && !is_packed {
            let file = File::open(input).map_err(|error| Error::Open(name.clone(), error))?;
            return self.read(&name, file, true, visit);
        }
        let store = Store::new(self.options()).map_err(Error::from)?;
        let found = store.expand(&[typed_input(input.as_os_str())], None);
        let found = found.map_err(Error::from)?;
        warn_of_notes(&found, self.warn);
        found
            .shards
            .iter()
            .try_for_each(|shard| self.each_of(&store, shard, visit))
    }

    /// Visits the pages of a file of a store. A file that was found in a folder and holds neither records nor a page is
    /// skipped with a warning.
    ///
    /// # Errors
    /// The file cannot be read, or `visit` fails.
    pub fn each_of<E: From<Error>>(
        self,
        store: &Store,
        shard: &Shard,
        visit: &mut Visit<'_, E>,
    ) -> Result<(), E> {
        let stream = store.open(shard, 0, None).map_err(Error::from)?;
        self.read(&shard.location, stream.reader(), shard.named, visit)
    }

    fn read<E: From<Error>>(
        self,
        name: &str,
        mut source: impl Read,
        is_named: bool,
        visit: &mut Visit<'_, E>,
    ) -> Result<(), E> {
        let mut head = Vec::new();
        let could_not = |error| Error::Read(name.to_owned(), error);
        source
            .by_ref()
            .take(PROBE_BYTES as u64)
            .read_to_end(&mut head)
            .map_err(could_not)?;
        let format = probe(&head, name);
        let is_text = self.texts == Texts::All && matches!(&format, Err(error) if is_plain_text(error, name));
        match format {
            Err(error) if is_no_page(&error) && !is_named => {
                (self.warn)(&format!("warning: {error}"));
                Ok(())
            }
            Err(error) if is_no_page(&error) => Err(Error::NotPages(error).into()),
            // A text whose name is not that of an archive may be a piece of a page.
            Ok(Format {
                container: Container::Plain,
                page: true,
                ..
            })
            | Err(ArchiveError::NotAnArchive { .. }) => {
                source
                    .take(MAX_FILE_BYTES)
                    .read_to_end(&mut head)
                    .map_err(could_not)?;
                visit_file(name, &page_bytes(&head), is_text, visit)
            }
            _ => self.records(name, head.chain(source), visit),
        }
    }

    fn records<E: From<Error>>(
        self,
        file: &str,
        source: impl Read,
        visit: &mut Visit<'_, E>,
    ) -> Result<(), E> {
        let mut reader = Reader::new(ReadSource::new(source), file.to_owned(), captures());
        let (mut scratch, mut damaged) = (http::Scratch::default(), 0);
        loop {
            let step = reader
                .step()
                .map_err(|error| Error::Archive(file.to_owned(), error))?;
            match step {
                Step::Record(record) => {
                    let are_texts_shown = match self.texts {
                        Texts::None => false,
                        Texts::OfArchives => !record.is_file(),
                        Texts::All => true,
                    };
                    let page = WebPage::of(&record, &mut scratch, &http::Limits::default());
                    let page = page.ok().filter(|page| are_texts_shown || !page.is_text);
                    let Some(page) = page else { continue };
                    let is_text = page.is_text;
                    match record.is_file() {
                        true => visit_file(file, page.body, is_text, visit)?,
                        false => visit(FoundPage {
                            file,
                            // Where a file happens to be is no address.
                            url: Some(record.target_uri)
                                .filter(|url| !url.starts_with("file:"))
                                .unwrap_or_default(),
                            content_type: page.content_type,
                            body: page.body,
                            is_record: true,
                            is_text,
                        })?,
                    }
                }
                Step::Reject(_) => damaged += 1,
                Step::Pending | Step::End => break,
            }
        }
        if damaged > 0 {
            (self.warn)(&damage_warning(file, damaged));
        }
        Ok(())
    }
}

/// The warning of damaged places in a file.
pub fn damage_warning(file: &str, places: u64) -> String {
    let plural = if places == 1 { "" } else { "s" };
    format!("warning: {file}: skipped {places} damaged place{plural}")
}

/// Only records that can be pages.
pub(crate) fn captures() -> Options {
    Options {
        wanted: Wanted::CAPTURES,
        ..Options::default()
    }
}

/// Whether what is neither an archive nor a whole page is a text, by its name or because it has no tags.
fn is_plain_text(error: &ArchiveError, name: &str) -> bool {
    let is_markup = matches!(error, ArchiveError::NotAnArchive { foreign, .. }
        if matches!(foreign.kind, ForeignKind::Html | ForeignKind::Xml | ForeignKind::CompressedTwice));
    let name = name.to_ascii_lowercase();
    !is_markup
        || [".txt", ".txt.gz", ".txt.zst"]
            .iter()
            .any(|end| name.ends_with(end))
}

/// Whether an error means that a file is neither an archive nor a page nor a piece of one. Pages are decompressed more
/// than once.
fn is_no_page(error: &ArchiveError) -> bool {
    match error {
        ArchiveError::NotAnArchive { foreign, .. } if foreign.kind == ForeignKind::CompressedTwice => {
            foreign.called_archive
        }
        ArchiveError::NotAnArchive { foreign, .. } => foreign.called_archive || !foreign.is_text(),
        _ => false,
    }
}

/// Visits a file that is a page or a text, without the envelope around it.
fn visit_file<E>(file: &str, bytes: &[u8], is_text: bool, visit: &mut Visit<'_, E>) -> Result<(), E> {
    let page = page_file(bytes);
    visit(FoundPage {
        file,
        url: page.url.as_deref().unwrap_or_default(),
        content_type: page.content_type,
        body: page.html,
        is_record: false,
        is_text,
    })
}

/// An argument that is an input, as the store reads it: a path that is not UTF-8 becomes a file URL.
pub fn typed_input(input: &OsStr) -> String {
    let bytes = input.as_encoded_bytes();
    match (input.to_str(), bytes.strip_prefix(b"@")) {
        (Some(text), _) => text.to_owned(),
        (None, Some(list)) => format!("@{}", typed_path(&from_bytes(list))),
        (None, None) => typed_pattern(Path::new(input)),
    }
}

/// The URL of a path that is not UTF-8. If nothing is there, its wildcards may mean something.
fn typed_pattern(path: &Path) -> String {
    let url = typed_path(path).into_owned();
    let wildcards = [("%2A", "*"), ("%3F", "?"), ("%5B", "[")];
    match path.exists() {
        true => url,
        false => wildcards
            .iter()
            .fold(url, |url, (code, letter)| url.replace(code, letter)),
    }
}

#[cfg(unix)]
fn from_bytes(path: &[u8]) -> PathBuf {
    PathBuf::from(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(path))
}

#[cfg(not(unix))]
fn from_bytes(path: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(path).into_owned())
}
