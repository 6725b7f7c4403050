//! What is known of a page, put together from tables, state and archive.

use anyhow::Result;
use gleaner_content::rounded;
use gleaner_corpus::{Arguments, BlockRow, Corpus, DocumentRow, KeptKind, Marker, Wanted, text_digest};
use gleaner_dataflow::{KeptPage, kept_page};
use gleaner_document::built_in;
use gleaner_metadata::date::Day;
use gleaner_site::KindShares;
use gleaner_store::{Output, Store};
use serde_json::Value;

use super::answer::{Explanation, Fact, Kind, KindProbability, Metadata, Place, Text};
use super::archive::{self, FactSources, ReadAgain};
use super::blocks::{Judged, PageParts};
use super::find::{Found, time};
use super::setup::Setup;
use crate::model::Models;

/// A complete corpus, as the user called it, and where its archives are.
pub(crate) struct OpenCorpus<'a> {
    pub(crate) name: &'a str,
    pub(crate) input: &'a [String],
    pub(crate) store: &'a Store,
    pub(crate) output: &'a Output,
    pub(crate) marker: &'a Marker,
}

/// Explains a capture, by the models of its corpus.
pub(super) fn explain(corpus: &OpenCorpus<'_>, found: Found, models: &Models) -> Result<Explanation> {
    let mut setup = Setup::of(corpus.marker, models, corpus.name)?;
    let document = &found.document;
    let parts = PageParts {
        kept: kept(corpus, &found, &setup)?,
        again: match corpus.input {
            [] => None,
            inputs => Some(archive::read(corpus.store, inputs, document, &mut setup)?),
        },
        table: table(corpus, document)?,
        is_by_method: setup.is_by_method,
    };
    let judged = parts.judge(document, &mut setup);
    let names = parts.names(&setup);
    let blocks = parts.blocks(judged.as_ref(), document, &names);
    Ok(Explanation {
        corpus: corpus.name.to_owned(),
        found: true,
        place: place(corpus, document, found.crawl.as_deref(), parts.again.as_ref())?,
        kind: kind(document, parts.kinds()),
        text: text(document, judged.as_ref()),
        blocks_from: parts.from(),
        sampled_pages: parts.site().map(|site| site.sampled_pages),
        metadata: metadata(document, parts.again.as_ref()),
        notes: notes(corpus, document, &parts, judged.as_ref(), &setup),
        definitions: names.definitions(blocks.iter().filter_map(|block| block.reasons.as_ref())),
        blocks,
        url: document.url.clone(),
        site: document.site.clone(),
        crawl_date: time(document.crawl_date),
        http_status: document.http_status,
        content_type: document.content_type.clone(),
        charset: document.charset.clone(),
        truncated: document.truncated.clone(),
        row_id: document.row_id.clone(),
        record_id: document.record_id.clone(),
        crawl: found.crawl,
        captures: found.captures,
        duplicates: found.duplicates,
    })
}

/// The state of the page; none if there is none.
fn kept(corpus: &OpenCorpus<'_>, found: &Found, setup: &Setup) -> Result<Option<KeptPage>> {
    let Some(Arguments { manifest, .. }) = &corpus.marker.arguments else {
        return Ok(None);
    };
    let (crawl, document) = (found.crawl.as_deref(), &found.document);
    Ok(kept_page(corpus.output, manifest, crawl, document, setup.site)?)
}

/// The rows of the page in the table of blocks; none if there is no such table.
fn table(corpus: &OpenCorpus<'_>, document: &DocumentRow) -> Result<Vec<BlockRow>> {
    if !corpus.marker.tables.contains_key("blocks") {
        return Ok(Vec::new());
    }
    let wanted = Wanted::value("row_id", &document.row_id).of_page(&document.surt);
    let found = Corpus::look_up(corpus.output, &wanted, document.block_count as usize)?;
    let mut rows: Vec<BlockRow> = found.into_iter().map(|found| found.row).collect();
    rows.sort_by_key(|row| row.block);
    Ok(rows)
}

/// What could not be shown, and how to see it.
fn notes(
    corpus: &OpenCorpus<'_>,
    document: &DocumentRow,
    parts: &PageParts,
    judged: Option<&Judged>,
    setup: &Setup,
) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(setup.other_versions.as_ref().map(|versions| {
        format!("the corpus was built by another version of gleaner ({versions}): numbers may differ")
    }));
    let mut note = |note: &str| notes.push(note.to_owned());
    if parts.kept.is_none() {
        note(match corpus.marker.arguments {
            Some(_) => "the state of the corpus does not have the page",
            None => "the corpus keeps no state (--no-state)",
        });
    }
    match (&parts.kept, &parts.again) {
        (_, Some(_)) if setup.is_by_method => {}
        (Some(_), Some(_)) if !parts.is_as_built() => {
            note("the archive gives other blocks than the build had: the reasons of blocks are left out");
        }
        (Some(_), Some(_)) => {}
        (None, Some(_)) => note("log odds are of the page alone, without the evidence of its site"),
        (_, None) if setup.is_by_method => {
            note("where facts stand needs the archive: --input FILE-OR-FOLDER")
        }
        (Some(_), None) => {
            note("features, and where facts stand, need the archive of the page: --input FILE-OR-FOLDER");
        }
        (None, None) => {
            note("log odds, features and where facts stand need the archive: --input FILE-OR-FOLDER")
        }
    }
    if judged.is_some_and(|judged| judged.content.text != document.text) {
        note(match parts.kept {
            Some(_) => {
                "the labels here do not give the text of the table: the program or the model has changed"
            }
            None => "the evidence of the site changed the text of the page: the table has other labels",
        });
    }
    notes
}

fn place(
    corpus: &OpenCorpus<'_>,
    document: &DocumentRow,
    crawl: Option<&str>,
    again: Option<&ReadAgain>,
) -> Result<Place> {
    Ok(Place {
        warc_file: document.warc_file.clone(),
        warc_offset: document.warc_offset,
        warc_length: document.warc_length,
        since: since(corpus, &document.warc_file, crawl)?,
        read_from: again.map(|again| again.location.clone()),
    })
}

fn text(document: &DocumentRow, judged: Option<&Judged>) -> Text {
    let threshold = judged.and_then(|judged| judged.threshold);
    let threshold = threshold.filter(|threshold| threshold.is_finite());
    Text {
        source: document.text_source.clone(),
        words: document.word_count,
        dropped_words: document.dropped_words,
        confidence: document.confidence.map(|share| rounded(f64::from(share.0))),
        threshold: threshold.map(|threshold| rounded(f64::from(threshold))),
        digest: judged.map(|judged| text_digest(judged.content.layout.texts())),
    }
}

/// The version in which an archive came.
fn since(corpus: &OpenCorpus<'_>, warc_file: &str, crawl: Option<&str>) -> Result<Option<u64>> {
    let Some(arguments) = &corpus.marker.arguments else {
        return Ok(None);
    };
    let lines = Corpus::kept(corpus.output, KeptKind::Inputs, &arguments.inputs)?;
    let archives = serde_json::Deserializer::from_slice(&lines).into_iter::<Value>();
    for archive in archives {
        let archive = archive?;
        if archive["name"] == warc_file && archive["crawl"].as_str() == crawl {
            return Ok(archive["since"].as_u64());
        }
    }
    Ok(None)
}

fn kind(document: &DocumentRow, shares: Option<KindShares>) -> Option<Kind> {
    let kind = document.page_kind.clone()?;
    let names = built_in::page_kinds().kinds().iter();
    let mut all: Vec<KindProbability> = names
        .zip(shares.iter().flatten())
        .map(|(kind, &share)| KindProbability {
            kind: kind.clone(),
            probability: rounded(f64::from(share)),
        })
        .collect();
    all.sort_by(|one, other| other.probability.total_cmp(&one.probability));
    let probability = document.page_kind_probability;
    Some(Kind {
        kind,
        probability: probability.map(|share| rounded(f64::from(share.0))),
        all,
    })
}

fn metadata(document: &DocumentRow, again: Option<&ReadAgain>) -> Metadata {
    let none = FactSources::default();
    let sources = again.map_or(&none, |again| &again.sources);
    let day = document.published.and_then(|day| Day::from_number(day.0));
    Metadata {
        title: Fact {
            value: document.title.clone(),
            source: sources.title.clone(),
        },
        authors: Fact {
            value: document.authors.clone(),
            source: sources.authors.clone(),
        },
        published: Fact {
            value: day.map(|day| day.to_string()),
            source: sources.published.clone(),
        },
        language: Fact {
            value: document.declared_language.clone(),
            source: sources.language.clone(),
        },
    }
}
