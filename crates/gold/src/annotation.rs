//! Annotation files: the labels that an annotator gave to the blocks of one page.
//!
//! A text file a page, which is the gold of that page for training and scoring, compares well line
//! by line, and can be edited by hand. It carries the text of every block, so that it outlives the
//! way pages are cut into blocks: [`Annotation::transfer`] finds its blocks again on the page as it is
//! cut now. The format is described in `docs/annotations.md`.

use std::fs;
use std::io;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::Arc;

#[cfg(unix)]
use percent_encoding::percent_decode_str;
use percent_encoding::{NON_ALPHANUMERIC, percent_encode};

use gleaner_content::{Label, write_whole};
use gleaner_document::{Piece, assemble};
use gleaner_page::{Joint, Page, Tabs};

use crate::{Error, GoldPage, cleaneval_text};

mod fault;
mod text;
mod transfer;

pub use fault::Fault;
pub use transfer::Transfer;

/// The ending of annotation files.
pub const EXTENSION: &str = "anno";

/// The labels of one page, with what is needed to find the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotation {
    /// What is known of the page and of the one who labelled it.
    pub header: Header,
    /// The page's blocks in their order.
    pub blocks: Vec<AnnotatedBlock>,
    /// Blocks that were labelled once and that the page, as it is cut now, no longer has.
    pub unmatched: Vec<AnnotatedBlock>,
    /// Comments after the last block.
    pub comments: Vec<String>,
}

/// What stands before the blocks. What is not known is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Where the page was found.
    pub url: String,
    /// The WARC record that holds the page, see [`gleaner_warc::record_id`].
    pub record_id: String,
    /// A digest of the body as the parser got it: `sha1:` and hexadecimal digits.
    pub digest: String,
    /// The WARC or HTML file, relative to the folder of the annotation file.
    pub source: String,
    /// Where the record begins in a WARC file.
    pub offset: Option<u64>,
    /// Who labelled.
    pub annotator: String,
    /// The day of the last change, as 2026-11-21.
    pub date: String,
    /// The model whose suggestions were shown, `none` where none were.
    pub suggestions: String,
    /// Fields that this version has no name for, in their order: they are kept.
    pub more: Vec<(String, String)>,
    /// Comments before the first field and between the fields.
    pub comments: Vec<String>,
}

/// A block of the page with its label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnnotatedBlock {
    /// The label; `None` where it is not decided.
    pub decision: Option<Decision>,
    /// The elements around the block: `html/body/div/p`.
    pub path: String,
    /// Its text.
    pub text: String,
    /// Comments before it.
    pub comments: Vec<String>,
}

/// A label and how it came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The label.
    pub label: Label,
    /// Who decided.
    pub by: By,
}

/// Who decided on a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// An annotator chose it.
    Hand,
    /// An annotator accepted a suggestion.
    Accepted,
    /// It follows from gold text; no person has looked at it.
    Aligned,
}

impl By {
    /// All, in the order of their meaning.
    pub const ALL: [By; 3] = [By::Hand, By::Accepted, By::Aligned];

    /// The word in annotation files.
    pub fn name(self) -> &'static str {
        match self {
            By::Hand => "hand",
            By::Accepted => "accepted",
            By::Aligned => "aligned",
        }
    }
}

impl Annotation {
    /// Reads an annotation file.
    ///
    /// # Errors
    /// When the file cannot be read, or a line is not as it should be: the error names it.
    pub fn read(path: &Path) -> Result<Annotation, Error> {
        let failed = |source| Error::Annotations(path.to_owned(), source);
        let bytes = fs::read(path).map_err(failed)?;
        let text = String::from_utf8(bytes)
            .map_err(|error| failed(io::Error::new(io::ErrorKind::InvalidData, error)))?;
        Annotation::parse(&text).map_err(|(line, fault)| Error::AnnotationLine {
            path: path.to_owned(),
            line,
            fault,
        })
    }

    /// Writes the file so that it is there as a whole or not at all, whenever the program ends: to
    /// a file beside it, which then takes its name.
    ///
    /// # Errors
    /// When the folder cannot be written to or the disk is full. The old file is untouched then.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        write_whole(path, self.to_text().as_bytes()).map_err(|source| Error::Save(path.to_owned(), source))
    }

    /// How many blocks have no label yet.
    pub fn undecided(&self) -> usize {
        let open = |block: &&AnnotatedBlock| block.decision.is_none();
        self.blocks.iter().filter(open).count()
    }

    /// The page as gold: its text and CleanEval markup are those of the labels. Undecided blocks
    /// count as noise.
    pub fn gold_page(self, name: &str) -> GoldPage {
        let field = |wanted: &str| {
            let found = self.header.more.iter().find(|(name, _)| name == wanted);
            found.map(|(_, value)| value.clone())
        };
        let url = match self.header.url.as_str() {
            "" => file_name(&self.header.source),
            url => url,
        };
        GoldPage {
            record_id: self.header.record_id.clone(),
            url: url.to_owned(),
            page_id: Some(name.to_owned()),
            page_type: field("type"),
            text: assemble(self.pieces()),
            cleaneval: Some(cleaneval_text("", self.pieces())),
            annotation: Some(Arc::new(self)),
            ..GoldPage::default()
        }
    }

    /// Finds the labels of the page's blocks as they are cut now.
    pub fn transfer(&self, page: &Page) -> Transfer {
        let texts: Vec<&str> = page.blocks.iter().map(|block| page.text(block)).collect();
        self.transfer_to(&texts)
    }

    /// The same, for the texts of the page's blocks.
    pub fn transfer_to(&self, texts: &[&str]) -> Transfer {
        transfer::transfer(&self.blocks, texts)
    }

    /// The texts of the blocks with their labels.
    fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        self.blocks.iter().map(|block| Piece {
            text: &block.text,
            label: block.label_or_other(),
            joint: Joint::Apart,
            tabs: Tabs::default(),
        })
    }
}

impl AnnotatedBlock {
    fn label_or_other(&self) -> Label {
        self.decision.map_or(Label::Other, |decision| decision.label)
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Where an annotation's page is: the source as written, from the folder of the annotation file;
/// else a file of the same name beside it. Bytes that are not UTF-8 are as [`source_name`] writes them.
pub fn find_source(annotations: &Path, source: &str) -> Option<PathBuf> {
    let folder = annotations.parent().unwrap_or(Path::new(""));
    let written = [source, file_name(source)];
    let decoded = written.into_iter().filter_map(in_no_charset);
    let candidates = written.into_iter().map(PathBuf::from).chain(decoded);
    candidates
        .map(|path| folder.join(path))
        .find(|path| path.is_file())
}

/// A path as the source of an annotation: with `/` between its parts, and bytes that are not UTF-8 as in URLs
/// (`caf%E9.html`); then `%` is `%25`.
pub fn source_name(path: &Path) -> String {
    if let Some(name) = path.to_str() {
        return name.replace(MAIN_SEPARATOR, "/");
    }
    let mut name = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        name += &chunk.valid().replace('%', "%25").replace(MAIN_SEPARATOR, "/");
        name.extend(percent_encode(chunk.invalid(), NON_ALPHANUMERIC));
    }
    name
}

/// The path that [`source_name`] wrote, if it is not UTF-8.
#[cfg(unix)]
fn in_no_charset(source: &str) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let bytes: Vec<u8> = percent_decode_str(source).collect();
    let is_text = std::str::from_utf8(&bytes).is_ok();
    (!is_text).then(|| std::ffi::OsString::from_vec(bytes).into())
}

/// On Windows names are Unicode.
#[cfg(not(unix))]
fn in_no_charset(_: &str) -> Option<PathBuf> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(label: Label, text: &str) -> AnnotatedBlock {
        AnnotatedBlock {
            decision: Some(Decision { label, by: By::Hand }),
            path: "html/body/p".into(),
            text: text.into(),
            comments: Vec::new(),
        }
    }

    #[test]
    fn gold_is_what_the_labels_keep() {
        let annotation = Annotation {
            header: Header {
                source: "pages/a.html".into(),
                more: vec![("type".into(), "article".into())],
                ..Header::default()
            },
            blocks: vec![
                block(Label::Header, "Tides"),
                block(Label::Other, "Menu"),
                block(Label::Paragraph, "High"),
                block(Label::Continuation, "water."),
            ],
            ..Annotation::default()
        };
        let gold = annotation.gold_page("a");
        assert_eq!(gold.text, "Tides\n\nHigh water.\n");
        assert_eq!(gold.cleaneval.as_deref(), Some("\n<h>Tides\n\n<p>High water.\n"));
        assert_eq!(
            (gold.url.as_str(), gold.page_type.as_deref()),
            ("a.html", Some("article"))
        );
    }

    #[test]
    fn saving_replaces_the_file_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.anno");
        let mut annotation = Annotation {
            blocks: vec![block(Label::Other, "Menu")],
            ..Annotation::default()
        };
        annotation.save(&path).unwrap();
        annotation.blocks[0].decision = None;
        annotation.save(&path).unwrap();
        assert_eq!(Annotation::read(&path).unwrap(), annotation);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let path = Path::new("no/such/folder/a.anno");
        let sentence = Annotation::default().save(path).unwrap_err().to_string();
        assert!(
            sentence.starts_with("could not save no/such/folder/a.anno: "),
            "{sentence}"
        );
    }

    #[test]
    fn sources_are_found_as_written_or_beside() {
        let folder = tempfile::tempdir().unwrap();
        let annotations = folder.path().join("notes").join("a.anno");
        fs::create_dir(folder.path().join("notes")).unwrap();
        fs::write(folder.path().join("a.html"), "x").unwrap();
        fs::write(folder.path().join("notes/b.html"), "x").unwrap();
        let found = |source| find_source(&annotations, source).is_some();
        assert!(found("../a.html") && found("elsewhere/b.html") && !found("c.html"));
    }

    #[cfg(unix)]
    #[test]
    fn sources_in_no_charset_are_found_again() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let folder = tempfile::tempdir().unwrap();
        let names = [
            &b"caf\xe9 100%25.html"[..],
            b"caf\xe8 100%25.html",
            b"100%25.html",
            "caf\u{e9}.html".as_bytes(),
        ];
        let sources: Vec<String> = names
            .iter()
            .map(|name| source_name(Path::new(OsStr::from_bytes(name))))
            .collect();
        assert_eq!(
            sources,
            [
                "caf%E9 100%2525.html",
                "caf%E8 100%2525.html",
                "100%25.html",
                "caf\u{e9}.html"
            ]
        );
        for (name, source) in names.into_iter().zip(sources) {
            let path = folder.path().join(OsStr::from_bytes(name));
            fs::write(&path, "x").unwrap();
            assert_eq!(find_source(&folder.path().join("a.anno"), &source), Some(path));
        }
    }
}
