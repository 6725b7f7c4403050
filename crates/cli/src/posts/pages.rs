//! Pages in files for `gleaner posts`: WARC and ARC archives, record by record, and HTML files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use gleaner_warc::{
    Container, Error, Format, Options, PROBE_BYTES, ReadSource, Reader, Record, Step, Wanted, http,
    page_bytes, probe, web_page,
};

/// As much of an HTML file is read. The parser's own limit is lower, and says that it was met.
const READ_BYTES: u64 = 64 << 20;

/// A page as it stands in a file.
pub(crate) struct Found<'a> {
    /// Its address; empty for a file.
    pub(crate) url: &'a str,
    pub(crate) content_type: Option<String>,
    pub(crate) body: &'a [u8],
    /// Whether it is from an archive; else the file is the page.
    pub(crate) is_record: bool,
}

type Visit<'v> = dyn FnMut(Found<'_>) -> Result<()> + 'v;

/// Shows the pages of a file (`-` is standard input) in their order; returns how many places of it are
/// damaged.
pub(crate) fn each(path: &Path, visit: &mut Visit<'_>) -> Result<u64> {
    if path == Path::new("-") {
        return read(path, std::io::stdin().lock(), visit);
    }
    let file = File::open(path).with_context(|| format!("could not open {}", path.display()))?;
    read(path, file, visit)
}

/// What a file is called in a sentence.
pub(crate) fn name_of(path: &Path) -> String {
    if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}

fn read(path: &Path, mut source: impl Read, visit: &mut Visit<'_>) -> Result<u64> {
    let mut head = Vec::new();
    let could_not = || format!("could not read {}", name_of(path));
    source
        .by_ref()
        .take(PROBE_BYTES as u64)
        .read_to_end(&mut head)
        .with_context(could_not)?;
    match probe(&head, &path.to_string_lossy()) {
        Err(error) if is_no_page(&error) => Err(error.into()),
        // A text that nobody calls an archive may be a piece of a page.
        Ok(Format {
            container: Container::Plain,
            page: true,
            ..
        })
        | Err(Error::NotAnArchive { .. }) => {
            source
                .take(READ_BYTES)
                .read_to_end(&mut head)
                .with_context(could_not)?;
            visit(Found {
                url: "",
                content_type: None,
                body: &page_bytes(&head),
                is_record: false,
            })?;
            Ok(0)
        }
        _ => records(path, head.chain(source), visit),
    }
}

/// Whether an error says that a file is neither an archive nor a page nor a piece of one.
fn is_no_page(error: &Error) -> bool {
    match error {
        Error::NotAnArchive { foreign, .. } => foreign.called_archive || !foreign.is_text(),
        _ => false,
    }
}

fn records(path: &Path, source: impl Read, visit: &mut Visit<'_>) -> Result<u64> {
    let options = Options {
        wanted: Wanted::CAPTURES,
        ..Options::default()
    };
    let mut reader = Reader::new(ReadSource::new(source), name_of(path), options);
    let (mut scratch, mut damaged) = (http::Scratch::default(), 0);
    loop {
        let step = reader
            .step()
            .with_context(|| format!("could not read {}", name_of(path)))?;
        match step {
            Step::Record(record) => {
                if let Some(page) = page(&record, &mut scratch) {
                    visit(page)?;
                }
            }
            Step::Reject(_) => damaged += 1,
            Step::Pending | Step::End => return Ok(damaged),
        }
    }
}

/// The page in a record, if it is one.
fn page<'a>(record: &Record<'a>, scratch: &'a mut http::Scratch) -> Option<Found<'a>> {
    let page = web_page(record, scratch)?;
    Some(Found {
        // Where a file happens to be is no address.
        url: Some(record.target_uri)
            .filter(|url| !url.starts_with("file:"))
            .unwrap_or_default(),
        content_type: page.content_type,
        body: page.body,
        is_record: true,
    })
}
