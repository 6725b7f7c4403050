//! Pages in files for `gleaner posts`: WARC and ARC archives, and HTML files, which are read as
//! archives of one page.

use std::fs::File;
use std::path::Path;

use anyhow::{Context, Result};
use gleaner_warc::{Options, ReadSource, Reader, Record, Step, Wanted, http};

/// A page as it stands in a file.
pub(crate) struct Found<'a> {
    /// Its address; empty for a file.
    pub(crate) url: &'a str,
    pub(crate) content_type: Option<String>,
    pub(crate) body: &'a [u8],
}

/// Shows the pages of a file in their order; returns how many places of it are damaged.
pub(crate) fn each(path: &Path, visit: &mut dyn FnMut(Found<'_>) -> Result<()>) -> Result<usize> {
    let file = File::open(path).with_context(|| format!("could not open {}", path.display()))?;
    let options = Options {
        wanted: Wanted::CAPTURES,
        ..Options::default()
    };
    let mut reader = Reader::new(ReadSource::new(file), path.display().to_string(), options);
    let (mut scratch, mut damaged) = (http::Scratch::default(), 0);
    loop {
        let step = reader
            .step()
            .with_context(|| format!("could not read {}", path.display()))?;
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
    let (content_type, body) = if record.is_http() {
        let message = http::parse(record.content, scratch, &http::Limits::default()).ok()?;
        if !(200..204).contains(&message.status) {
            return None;
        }
        let content_type = message.headers.get("content-type");
        let content_type = content_type.map(|value| String::from_utf8_lossy(value).into_owned());
        (content_type, message.body)
    } else {
        let content_type = Some(record.content_type).filter(|text| !text.is_empty());
        (content_type.map(str::to_owned), record.content)
    };
    let media = content_type.as_deref().unwrap_or_default().to_ascii_lowercase();
    let is_page = media.contains("html") || (media.is_empty() && body.trim_ascii_start().starts_with(b"<"));
    is_page.then_some(Found {
        // Where a file happens to be is no address.
        url: Some(record.target_uri)
            .filter(|url| !url.starts_with("file:"))
            .unwrap_or_default(),
        content_type,
        body,
    })
}
