//! A page that is read again from its archive.

use anyhow::{Result, bail};
use gleaner_content::BlockReasons;
use gleaner_corpus::DocumentRow;
use gleaner_dataflow::{Capture, find_capture};
use gleaner_document::{Origin, PageFacts, ScoredBlocks};
use gleaner_html::Attr;
use gleaner_metadata::{Context, Source, Sources};
use gleaner_page::Page;
use gleaner_store::{Shard, Store};

use super::answer::FactSource;
use super::setup::Setup;
use crate::inputs::expand;
use crate::terminal::console::counted;
use crate::terminal::plain;

/// A page that was read again.
pub(super) struct ReadAgain {
    /// The archive.
    pub(super) location: String,
    pub(super) facts: PageFacts,
    pub(super) blocks: ScoredBlocks,
    pub(super) paths: Vec<String>,
    pub(super) sources: FactSources,
    /// Why its blocks have their probabilities; none where a method labelled them.
    pub(super) reasons: Option<Vec<BlockReasons>>,
}

/// Where the facts stand.
#[derive(Default)]
pub(super) struct FactSources {
    pub(super) title: Option<FactSource>,
    pub(super) authors: Option<FactSource>,
    pub(super) published: Option<FactSource>,
    pub(super) language: Option<FactSource>,
}

/// Reads the page of a document from one of these inputs.
pub(super) fn read(
    store: &Store,
    inputs: &[String],
    document: &DocumentRow,
    setup: &mut Setup,
) -> Result<ReadAgain> {
    let (location, capture) = capture(store, inputs, document, setup.record_bytes)?;
    let origin = Origin {
        url: &document.url,
        content_type: capture.content_type.as_deref(),
        is_text: capture.plain_text,
        query: None,
        captured: capture.day(),
    };
    let cleaner = &mut setup.cleaner;
    let page = cleaner.read(&capture.body, &origin)?;
    let context = Context {
        url: origin.url,
        captured: origin.captured,
    };
    let sources = FactSources::of(cleaner.page(), &context);
    let paths = cleaner.page().blocks.iter();
    let paths = paths.map(|block| cleaner.page().tag_path(block)).collect();
    let reasons = cleaner.explain(&page).filter(|_| !setup.is_by_method);
    let scored = cleaner.score(page);
    Ok(ReadAgain {
        location,
        facts: scored.facts,
        blocks: scored.blocks,
        paths,
        sources,
        reasons,
    })
}

/// The record of a document, and the archive that has it.
pub(super) fn capture(
    store: &Store,
    inputs: &[String],
    document: &DocumentRow,
    record_bytes: usize,
) -> Result<(String, Capture)> {
    let shards = expand(store, inputs, None)?;
    let shard = archive(&shards, &document.warc_file)?;
    match find_capture(store, shard, document, record_bytes)? {
        Some(capture) => Ok((shard.location.clone(), capture)),
        None => bail!(
            "'{}' has no record of {} at offset {}: is it the archive that the corpus was built from?",
            plain::line(&shard.location),
            plain::line(&document.url),
            document.warc_offset
        ),
    }
}

/// The input of a name, or the only one whose file is called so.
fn archive<'s>(shards: &'s [Shard], name: &str) -> Result<&'s Shard> {
    if let Some(shard) = shards.iter().find(|shard| shard.name == name) {
        return Ok(shard);
    }
    let file = |name: &str| name.rsplit('/').next().map(str::to_owned);
    let mut alike = shards.iter().filter(|shard| file(&shard.name) == file(name));
    let found = alike.next();
    match found.filter(|_| alike.next().is_none()) {
        Some(shard) => Ok(shard),
        None => bail!(
            "the archive '{}', which has the page, is not among the inputs ({}): name it, or its folder, with --input",
            plain::line(name),
            counted(shards.len() as u64, "file")
        ),
    }
}

impl FactSources {
    fn of(page: &Page, context: &Context<'_>) -> FactSources {
        let Sources {
            title,
            authors,
            published,
            language,
        } = Sources::of(page, context);
        let described = |source: Option<Source>| source.map(|source| described(page, source));
        FactSources {
            title: described(title),
            authors: described(authors),
            published: described(published),
            language: described(language),
        }
    }
}

fn described(page: &Page, source: Source) -> FactSource {
    FactSource {
        kind: source.kind.name(),
        element: source.element.map(|element| opening_tag(page, element)),
        path: source.element.map(|element| path(page, element)),
    }
}

/// Attributes that say what an element is.
const ATTRIBUTES: [(Attr, &str); 9] = [
    (Attr::Property, "property"),
    (Attr::Name, "name"),
    (Attr::HttpEquiv, "http-equiv"),
    (Attr::Itemprop, "itemprop"),
    (Attr::Rel, "rel"),
    (Attr::Id, "id"),
    (Attr::Class, "class"),
    (Attr::Datetime, "datetime"),
    (Attr::Lang, "lang"),
];

/// Characters of an attribute that are shown.
const LONGEST: usize = 60;

/// The tag that begins an element, with the attributes that say what it is.
fn opening_tag(page: &Page, element: u32) -> String {
    let mut tag = format!("<{}", page.elements[element as usize].tag.name());
    for (attribute, name) in ATTRIBUTES {
        if let Some(value) = page.attribute(element, attribute) {
            let value: String = value.chars().take(LONGEST).collect();
            tag += &format!(" {name}=\"{value}\"");
        }
    }
    tag + ">"
}

/// Names of elements that are shown of a path.
const MOST_NAMES: usize = 100;

fn path(page: &Page, element: u32) -> String {
    let name = |element| page.elements[element as usize].tag.name();
    let mut names: Vec<&str> = page.ancestors(element).take(MOST_NAMES).map(name).collect();
    names.reverse();
    names.join("/")
}
