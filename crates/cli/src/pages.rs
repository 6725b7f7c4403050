//! Pages for commands that take them one by one: of archives, record by record, of HTML files, and of folders of both.
//! Plain texts (WET records, `.txt` files) are pages for those that can read them.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, Result};
use gleaner_html::page_file;
use gleaner_store::{Options as StoreOptions, Shard, Store};
use gleaner_warc::{
    Container, Error, ForeignKind, Format, Kind, Options, PROBE_BYTES, ReadSource, Reader, Step, Wanted,
    http, page_bytes, page_or_text, probe,
};

use crate::{console, inputs};

/// As much of an HTML file is read. The parser's own limit is lower, and says that it was met.
const READ_BYTES: u64 = 64 << 20;

/// A page as it stands in a file.
pub(crate) struct Found<'a> {
    /// The file that it is in.
    pub(crate) file: &'a str,
    /// Its address; of a file the one in its envelope. Empty where it is not known.
    pub(crate) url: &'a str,
    pub(crate) content_type: Option<String>,
    pub(crate) body: &'a [u8],
    /// Whether it is from an archive; else the file is the page.
    pub(crate) is_record: bool,
    /// Whether it is a plain text and no HTML. They are found where [`Texts`] are wanted.
    pub(crate) is_text: bool,
}

impl Found<'_> {
    /// What it is called in a sentence: its address, or its file.
    pub(crate) fn name(&self) -> &str {
        if self.url.is_empty() { self.file } else { self.url }
    }
}

/// Which plain texts are shown beside pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Texts {
    None,
    /// Those of archives, as `gleaner build` takes them.
    OfArchives,
    /// Files, too, and `.txt` files in folders.
    All,
}

/// What is read of inputs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search<'a> {
    pub(crate) texts: Texts,
    /// The folder that is written to. It is not read, also if it is in a folder that is.
    pub(crate) out: Option<&'a Path>,
}

impl Search<'_> {
    /// Pages, and these plain texts.
    fn of(texts: Texts) -> Search<'static> {
        Search { texts, out: None }
    }

    /// What reads them. Standard output can be a file in a folder that is read.
    fn options(self) -> StoreOptions {
        let standard_output = Path::new("/dev/stdout");
        let written = self.out.into_iter().chain([standard_output]);
        StoreOptions {
            texts: self.texts == Texts::All,
            written: written.map(Path::to_owned).collect(),
            ..StoreOptions::default()
        }
    }
}

type Visit<'v> = dyn FnMut(Found<'_>) -> Result<()> + 'v;

/// Shows the pages of an input in their order. An input is a file, standard input (`-`), or what `gleaner build` takes,
/// too: a folder, a pattern, a WACZ file, a URL. Warns of damaged places.
pub(crate) fn each(input: &Path, visit: &mut Visit<'_>) -> Result<()> {
    each_with(input, Search::of(Texts::None), visit)
}

/// The same, and all plain texts.
pub(crate) fn each_or_text(input: &Path, visit: &mut Visit<'_>) -> Result<()> {
    each_with(input, Search::of(Texts::All), visit)
}

/// What an input is called in a sentence.
pub(crate) fn name_of(input: &Path) -> String {
    match input == Path::new("-") {
        true => "standard input".to_owned(),
        false => input.display().to_string(),
    }
}

/// The same, as far as this is searched for.
pub(crate) fn each_with(input: &Path, search: Search<'_>, visit: &mut Visit<'_>) -> Result<()> {
    let (name, texts) = (name_of(input), search.texts);
    if input == Path::new("-") {
        return read(&name, io::stdin().lock(), texts, visit);
    }
    let is_packed = input
        .extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("wacz"));
    // Pipes are files, too: `gleaner clean <(curl ...)`.
    if input.exists() && !input.is_dir() && !is_packed {
        let file = File::open(input).with_context(|| format!("could not open {name}"))?;
        return read(&name, file, texts, visit);
    }
    let store = Store::new(search.options())?;
    let shards = inputs::expand(&store, &[inputs::typed(input.as_os_str())], None)?;
    shards
        .iter()
        .try_for_each(|shard| each_of(&store, shard, texts, visit))
}

/// Shows the pages of a file of a store, and these plain texts. One that was found in a folder and holds neither
/// records nor a page is warned of.
pub(crate) fn each_of(store: &Store, shard: &Shard, texts: Texts, visit: &mut Visit<'_>) -> Result<()> {
    let stream = store.open(shard, 0, None)?;
    match read(&shard.name, stream.reader(), texts, visit) {
        Err(error) if !shard.named && is_foreign(&error) => {
            console::say(&format!("warning: {error}"));
            Ok(())
        }
        read => read,
    }
}

/// Whether an input is neither an archive nor a page.
fn is_foreign(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(Error::NotAnArchive { .. }))
}

fn read(name: &str, mut source: impl Read, texts: Texts, visit: &mut Visit<'_>) -> Result<()> {
    let mut head = Vec::new();
    let could_not = || format!("could not read {name}");
    source
        .by_ref()
        .take(PROBE_BYTES as u64)
        .read_to_end(&mut head)
        .with_context(could_not)?;
    let format = probe(&head, name);
    let is_text = texts == Texts::All && matches!(&format, Err(error) if is_plain_text(error, name));
    match format {
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
            visit_file(name, &page_bytes(&head), is_text, visit)
        }
        _ => records(name, head.chain(source), texts, visit),
    }
}

/// Whether what is neither an archive nor a whole page is a text, by its name or because it has no tags.
fn is_plain_text(error: &Error, name: &str) -> bool {
    let is_markup = matches!(error, Error::NotAnArchive { foreign, .. }
        if matches!(foreign.kind, ForeignKind::Html | ForeignKind::Xml | ForeignKind::CompressedTwice));
    let name = name.to_ascii_lowercase();
    !is_markup
        || [".txt", ".txt.gz", ".txt.zst"]
            .iter()
            .any(|end| name.ends_with(end))
}

/// Whether an error says that a file is neither an archive nor a page nor a piece of one. Pages are decompressed more than
/// once.
fn is_no_page(error: &Error) -> bool {
    match error {
        Error::NotAnArchive { foreign, .. } if foreign.kind == ForeignKind::CompressedTwice => {
            foreign.called_archive
        }
        Error::NotAnArchive { foreign, .. } => foreign.called_archive || !foreign.is_text(),
        _ => false,
    }
}

fn records(file: &str, source: impl Read, texts: Texts, visit: &mut Visit<'_>) -> Result<()> {
    let options = Options {
        wanted: Wanted::CAPTURES,
        ..Options::default()
    };
    let mut reader = Reader::new(ReadSource::new(source), file.to_owned(), options);
    let (mut scratch, mut damaged) = (http::Scratch::default(), 0);
    loop {
        let step = reader.step().with_context(|| format!("could not read {file}"))?;
        match step {
            Step::Record(record) => {
                let are_texts_shown = match texts {
                    Texts::None => false,
                    Texts::OfArchives => !record.is_file(),
                    Texts::All => true,
                };
                let page = page_or_text(&record, &mut scratch)
                    .filter(|(_, kind)| are_texts_shown || *kind == Kind::Page);
                let Some((page, kind)) = page else { continue };
                let is_text = kind == Kind::Text;
                match record.is_file() {
                    true => visit_file(file, page.body, is_text, visit)?,
                    false => visit(Found {
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
    console::warn_of_damage(file, damaged);
    Ok(())
}

/// Shows a file that is a page or a text, without the envelope around it.
fn visit_file(file: &str, bytes: &[u8], is_text: bool, visit: &mut Visit<'_>) -> Result<()> {
    let page = page_file(bytes);
    visit(Found {
        file,
        url: page.url.as_deref().unwrap_or_default(),
        content_type: page.content_type,
        body: page.html,
        is_record: false,
        is_text,
    })
}
