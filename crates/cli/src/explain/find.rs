//! The capture that is meant, or what is nearest to it.

use anyhow::Result;
use chrono::{DateTime, SecondsFormat};
use gleaner_content::rounded;
use gleaner_corpus::{
    CaptureRow, Corpus, DocumentRow, DuplicateRow, Error, FoundRow, Millis, RejectRow, StoredRow, Wanted,
    surt,
};
use gleaner_store::Output;

use super::answer::{Captures, Duplicates, Nearest, OtherCapture, Reject, SameHost};

/// Captures of one URL that are looked at.
const MOST_CAPTURES: usize = 1000;
/// Pages of the host among which the nearest are, and how many are named.
const MOST_OF_HOST: usize = 1000;
const NAMED: usize = 5;

/// A capture in the tables.
pub(super) struct Found {
    pub(super) document: DocumentRow,
    pub(super) crawl: Option<String>,
    pub(super) captures: Captures,
    pub(super) duplicates: Option<Duplicates>,
}

/// The capture of a row id, of a record id, or the latest of a URL.
pub(super) fn find(output: &Output, page: &str) -> Result<Option<Found>> {
    let meant = meant(output, page)?;
    let Some(chosen) = latest(meant) else {
        return Ok(None);
    };
    let document = chosen.row;
    let all: Vec<FoundRow<DocumentRow>> = rows(output, Wanted::value("surt", &document.surt))?;
    let captures: Vec<FoundRow<CaptureRow>> = rows(output, Wanted::value("surt", &document.surt))?;
    let own = captures.iter().find(|found| found.row.row_id == document.row_id);
    let others = all
        .into_iter()
        .filter(|other| other.row.row_id != document.row_id);
    let others = others.map(|other| OtherCapture {
        crawl: crawl(&other.file),
        row_id: other.row.row_id,
        crawl_date: time(other.row.crawl_date),
    });
    let mut others: Vec<OtherCapture> = others.collect();
    others.sort_by(|one, other| one.crawl_date.cmp(&other.crawl_date));
    Ok(Some(Found {
        crawl: crawl(&chosen.file),
        captures: Captures {
            is_latest: own.map(|own| own.row.is_latest),
            changed: own.map(|own| own.row.changed),
            others,
        },
        duplicates: duplicates(output, &document)?,
        document,
    }))
}

fn rows<R: StoredRow>(output: &Output, wanted: Wanted<'_>) -> Result<Vec<FoundRow<R>>, Error> {
    Corpus::look_up(output, &wanted, MOST_CAPTURES)
}

/// All captures that may be meant.
fn meant(output: &Output, page: &str) -> Result<Vec<FoundRow<DocumentRow>>, Error> {
    for (column, value) in keys(page) {
        let found = rows(output, Wanted::value(column, &value))?;
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

/// The columns that may have what was typed, and the value there.
fn keys(page: &str) -> Vec<(&'static str, String)> {
    let is_row_id = page.len() == 32 && page.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut keys = Vec::new();
    if is_row_id {
        keys.push(("row_id", page.to_ascii_lowercase()));
    }
    // (One without an identifier of its own is called by its place: `a.warc#123`.)
    if page.starts_with('<') || (page.contains('#') && !page.contains("://")) {
        keys.push(("record_id", page.to_owned()));
    } else if page.starts_with("urn:") {
        keys.push(("record_id", format!("<{page}>")));
    }
    keys.push(("surt", surt(page)));
    keys
}

fn latest(mut captures: Vec<FoundRow<DocumentRow>>) -> Option<FoundRow<DocumentRow>> {
    captures.sort_by_key(|found| found.row.crawl_date);
    captures.pop()
}

/// The crawl of a file of a table, if it has a name.
fn crawl(file: &str) -> Option<String> {
    let folder = file.split('/').find_map(|part| part.strip_prefix("crawl="));
    folder.map(str::to_owned)
}

fn duplicates(output: &Output, document: &DocumentRow) -> Result<Option<Duplicates>, Error> {
    let found: Vec<FoundRow<DuplicateRow>> = rows(output, Wanted::value("row_id", &document.row_id))?;
    let Some(DuplicateRow {
        cluster,
        cluster_size,
        survivor,
        similarity,
        ..
    }) = found.into_iter().next().map(|found| found.row)
    else {
        return Ok(None);
    };
    let survivors: Vec<FoundRow<DocumentRow>> = rows(output, Wanted::value("row_id", &cluster))?;
    Ok(Some(Duplicates {
        survivor_url: survivors.into_iter().next().map(|found| found.row.url),
        cluster,
        cluster_size,
        survivor,
        similarity: rounded(f64::from(similarity.0)),
    }))
}

/// A moment in words.
pub(super) fn time(millis: Option<Millis>) -> Option<String> {
    let time = DateTime::from_timestamp_millis(millis?.0)?;
    Some(time.to_rfc3339_opts(SecondsFormat::Secs, true))
}

/// What is nearest to a page that was not found: rejects of it, and pages of its host.
pub(super) fn nearest(output: &Output, corpus: &str, page: &str) -> Result<Nearest> {
    let mut rejects: Vec<FoundRow<RejectRow>> = Vec::new();
    for (column, value) in keys(page) {
        rejects.extend(rows(output, Wanted::value(column, &value))?);
    }
    let rejects = rejects.into_iter().map(|FoundRow { row, .. }| Reject {
        url: row.url,
        record_id: row.record_id,
        warc_file: row.warc_file,
        warc_offset: row.warc_offset,
        stage: row.stage,
        reason: row.reason,
        detail: row.detail,
    });
    Ok(Nearest {
        corpus: corpus.to_owned(),
        found: false,
        page: page.to_owned(),
        rejects: rejects.take(NAMED).collect(),
        same_host: same_host(output, page)?,
    })
}

/// Pages of the same host, those first whose addresses have the longest common beginning.
fn same_host(output: &Output, page: &str) -> Result<Vec<SameHost>> {
    let own = surt(page);
    let Some(end) = own.find(')').filter(|&end| end > 0) else {
        return Ok(Vec::new());
    };
    let wanted = Wanted::begin("surt", &own[..=end]);
    let mut found: Vec<FoundRow<DocumentRow>> = Corpus::look_up(output, &wanted, MOST_OF_HOST)?;
    // (Without the scheme: the one may be meant for the other.)
    let path = |url: &str| url.split_once("://").map_or(url, |(_, rest)| rest).to_owned();
    let own = path(page);
    let common = |url: &str| {
        let pairs = path(url).into_bytes().into_iter().zip(own.bytes());
        pairs.take_while(|(one, other)| one == other).count()
    };
    found.sort_by_cached_key(|found| std::cmp::Reverse(common(&found.row.url)));
    let named = found
        .into_iter()
        .take(NAMED)
        .map(|FoundRow { row, .. }| SameHost {
            url: row.url,
            row_id: row.row_id,
            crawl_date: time(row.crawl_date),
        });
    Ok(named.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_named_by_its_row_its_record_or_its_address() {
        let columns = |page: &str| -> Vec<(&str, String)> { keys(page) };
        assert_eq!(
            columns("00F0000000000000000000000000000a")[0].1,
            "00f0000000000000000000000000000a"
        );
        assert_eq!(
            columns("<urn:uuid:1>")[0],
            ("record_id", "<urn:uuid:1>".to_owned())
        );
        assert_eq!(columns("urn:uuid:1")[0], ("record_id", "<urn:uuid:1>".to_owned()));
        assert_eq!(columns("a.warc#17")[0], ("record_id", "a.warc#17".to_owned()));
        let address = "https://Sea.example:443/a#b";
        assert_eq!(columns(address), [("surt", "example,sea):https/a".to_owned())]);
    }

    #[test]
    fn crawls_are_named_by_the_folders_of_their_files() {
        assert_eq!(
            crawl("documents/crawl=2024-18/6f2a.parquet").as_deref(),
            Some("2024-18")
        );
        assert_eq!(crawl("documents/6f2a.parquet"), None);
    }
}
