//! Gold files: JSON lines, a page a line, with its text or the posts of a blog's feed.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use gleaner_content::Label;
use gleaner_page::Page;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::{Annotation, Error, FeedPage, Segment, align, segments};

/// A page's gold text and what else is known of it. Other fields are skipped.
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
    /// The text that an annotator would keep.
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
    /// The labels that an annotator gave to the page's blocks.
    #[serde(skip)]
    pub annotation: Option<Arc<Annotation>>,
}

impl GoldPage {
    /// The page of a line; none where a blog's line has no whole text.
    fn from_line(line: &str) -> serde_json::Result<Option<GoldPage>> {
        #[derive(Deserialize)]
        struct Posts {
            posts: Option<IgnoredAny>,
        }
        let has_posts = line.contains("\"posts\"") && serde_json::from_str::<Posts>(line)?.posts.is_some();
        if has_posts {
            return Ok(GoldPage::from_post(&serde_json::from_str(line)?));
        }
        let mut page: GoldPage = serde_json::from_str(line)?;
        page.record_id = gleaner_warc::record_id(&page.record_id).into_owned();
        Ok(Some(page))
    }

    fn from_post(page: &FeedPage) -> Option<GoldPage> {
        Some(GoldPage {
            url: page.url.clone(),
            page_type: Some(POST.to_owned()),
            text: page.own_text()?.to_owned(),
            ..GoldPage::default()
        })
    }

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

/// What a post's own page is called in gold files of blogs.
const POST: &str = "post";

/// Reads a gold file. Empty lines are skipped. Of a gold file of a blog, the pages are those of one post each whose whole text is
/// in the feed, of the type `post`; others are left out.
///
/// # Errors
/// When the file cannot be read, a line is not a gold page, or there is none.
pub fn read(path: &Path) -> Result<Vec<GoldPage>, Error> {
    let failed = |source| Error::Read(path.to_owned(), source);
    let (mut pages, mut is_empty) = (Vec::new(), true);
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
        is_empty = false;
        pages.extend(GoldPage::from_line(&line).map_err(wrong)?);
    }
    if is_empty {
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
    fn of_a_blog_are_the_pages_of_whole_posts() {
        let page = |kind: &str, display: &str, coverage: f64| {
            format!(
                "{{\"url\":\"http://a.example/{kind}-{display}\",\"page_kind\":\"{kind}\",\"posts\":[{{\"title\":\"T\",\
                 \"display\":\"{display}\",\"coverage\":{coverage},\"text\":\"It rains.\"}}]}}\n"
            )
        };
        let lines = [
            page("listing", "full", 1.0),
            page("single", "full", 0.97),
            page("single", "excerpt", 1.0),
            page("single", "full", 0.5),
        ];
        let pages = read_text(&lines.concat()).unwrap();
        let found: Vec<_> = pages
            .iter()
            .map(|page| (&*page.url, page.page_type.as_deref(), &*page.text))
            .collect();
        assert_eq!(
            found,
            [("http://a.example/single-full", Some("post"), "It rains.")]
        );
        assert_eq!(read_text(&lines[0]).unwrap(), []);
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
