//! Gold files: JSON lines, a page a line.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use gleaner_content::Label;
use gleaner_page::Page;
use serde::{Deserialize, Serialize};

use crate::{Annotation, Error, Segment, align, segments};

/// A page's gold text and what else is known of it. Fields that are not named here are passed
/// over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GoldPage {
    /// The WARC record that holds the page, see [`gleaner_warc::record_id`].
    pub record_id: String,
    /// Where the page was found.
    pub url: String,
    /// False if the real URL is not known and this one replaces it: the page then has no host that
    /// other pages are of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_known: Option<bool>,
    /// The page's name in the collection it is from.
    #[serde(default)]
    pub page_id: Option<String>,
    /// The kind of page: article, forum, product and so on.
    #[serde(default)]
    pub page_type: Option<String>,
    /// The text that a person would keep.
    pub text: String,
    /// The same with CleanEval's `<h>`, `<p>` and `<l>` before each segment.
    #[serde(default)]
    pub cleaneval: Option<String>,
    /// Snippets that have to be kept.
    #[serde(default)]
    pub with: Option<Vec<String>>,
    /// Snippets that have to be left out.
    #[serde(default)]
    pub without: Option<Vec<String>>,
    /// The page's title.
    #[serde(default)]
    pub title: Option<String>,
    /// Who wrote it.
    #[serde(default)]
    pub author: Option<String>,
    /// When it was published, as given.
    #[serde(default)]
    pub publish_date: Option<String>,
    /// The labels that a person gave to the page's blocks.
    #[serde(skip)]
    pub annotation: Option<Arc<Annotation>>,
}

impl GoldPage {
    /// The tagged segments, where the gold has tags.
    pub fn segments(&self) -> Option<Vec<Segment>> {
        self.cleaneval.as_deref().map(segments)
    }

    /// The label of each block of the page: as annotated, else as the gold text aligns.
    pub fn labels(&self, page: &Page) -> Vec<Label> {
        match &self.annotation {
            Some(annotation) => annotation.transfer(page).labels(),
            None => align(page, &self.text, self.segments().as_deref()),
        }
    }
}

/// Reads a gold file. Empty lines are skipped.
///
/// # Errors
/// When the file cannot be read, a line is not a gold page, or there is none.
pub fn read(path: &Path) -> Result<Vec<GoldPage>, Error> {
    let failed = |source| Error::Read(path.to_owned(), source);
    let mut pages = Vec::new();
    for (index, line) in BufReader::new(File::open(path).map_err(failed)?)
        .lines()
        .enumerate()
    {
        let line = line.map_err(failed)?;
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |source| Error::Line {
            path: path.to_owned(),
            line: index + 1,
            source,
        };
        let mut page: GoldPage = serde_json::from_str(&line).map_err(wrong)?;
        page.record_id = gleaner_warc::record_id(&page.record_id).into_owned();
        pages.push(page);
    }
    if pages.is_empty() {
        return Err(Error::Empty(path.to_owned()));
    }
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Vec<GoldPage>, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.gold.jsonl");
        std::fs::write(&path, text).unwrap();
        read(&path)
    }

    #[test]
    fn reads_what_is_there_and_passes_over_the_rest() {
        let pages = read_text(
            "{\"record_id\":\"urn:1\",\"url\":\"u\",\"text\":\"t\",\"with\":[\"a\"],\"more\":1}\n\n\
             {\"record_id\":\"<urn:2>\",\"url\":\"u\",\"text\":\"t\"}",
        )
        .unwrap();
        let ids: Vec<&str> = pages.iter().map(|page| page.record_id.as_str()).collect();
        assert_eq!(ids, ["<urn:1>", "<urn:2>"]);
        assert_eq!(pages[0].with.as_deref(), Some(&["a".to_owned()][..]));
        assert_eq!(pages[0].segments(), None);
    }

    #[test]
    fn names_the_line_that_is_wrong() {
        let sentence = read_text("{\"record_id\":\"1\",\"url\":\"u\",\"text\":\"t\"}\n{\"url\":\"u\"}\n")
            .unwrap_err()
            .to_string();
        assert!(
            sentence.contains("some.gold.jsonl, line 2: missing field `record_id`"),
            "{sentence}"
        );
    }

    #[test]
    fn refuses_an_empty_or_missing_file() {
        assert!(matches!(read_text("\n"), Err(Error::Empty(..))));
        assert!(matches!(read(Path::new("no/such/file")), Err(Error::Read(..))));
    }
}
