//! `gleaner clean`: one page from a file or standard input.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use gleaner_crf::{Label, Model, Piece, Tagger, assemble};
use gleaner_features::{Columns, Extractor};
use gleaner_page::{Page, Parser, metadata};
use serde::Serialize;

use crate::args::{Clean, CleanFormat};
use crate::page_view::{self, Shown};
use crate::prepared::size;
use crate::{Outcome, cleaneval, console, model};

/// As much of a file is read. The parser's own limit is lower, and says that it was met.
const READ_BYTES: u64 = 64 << 20;

/// Cleans each page and prints it.
pub(crate) fn run(arguments: &Clean) -> Result<Outcome> {
    let chosen = model::choose_deciding(&arguments.model, &arguments.decision)?;
    let mut cleaner = Cleaner::new(&chosen.model)?;
    let standard_input = [Path::new("-").to_owned()];
    let files = if arguments.files.is_empty() {
        &standard_input[..]
    } else {
        &arguments.files
    };
    for file in files {
        let bytes = read(file)?;
        let input = cleaneval::strip_envelope(&bytes);
        let url = arguments.url.clone().or(input.url).unwrap_or_default();
        let text = cleaner
            .clean(
                input.html,
                arguments.content_type.as_deref(),
                &url,
                arguments.format,
            )
            .with_context(|| format!("{} cannot be cleaned", name_of(file)))?;
        console::out(&text)?;
    }
    Ok(Outcome::Done)
}

fn read(file: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = if file == Path::new("-") {
        std::io::stdin().lock().take(READ_BYTES).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file).and_then(|open| open.take(READ_BYTES).read_to_end(&mut bytes))
    };
    read.with_context(|| format!("could not read {}", name_of(file)))?;
    Ok(bytes)
}

fn name_of(file: &Path) -> String {
    if file == Path::new("-") {
        "standard input".to_owned()
    } else {
        file.display().to_string()
    }
}

/// Parses, measures and labels pages.
struct Cleaner<'m> {
    model: &'m Model,
    parser: Parser,
    features: Extractor,
    columns: Columns,
    tagger: Tagger,
}

impl<'m> Cleaner<'m> {
    fn new(model: &'m Model) -> Result<Cleaner<'m>> {
        let features = model.extractor()?;
        let parser = Parser::new(features.config().page.clone());
        Ok(Cleaner {
            model,
            parser,
            features,
            columns: Columns::default(),
            tagger: Tagger::new(model),
        })
    }

    fn clean(
        &mut self,
        html: &[u8],
        content_type: Option<&str>,
        url: &str,
        format: CleanFormat,
    ) -> Result<String> {
        let page = self.parser.parse(html, content_type)?;
        self.features.extract(page, url, &mut self.columns);
        let sizes = (0..page.blocks.len()).map(|block| size(page, block));
        let tagged = self.tagger.tag_blocks(&self.columns, sizes);
        let blocks: Vec<Shown<'_>> = page
            .blocks
            .iter()
            .enumerate()
            .zip(tagged.labels.iter().zip(tagged.confidence))
            .map(|((index, block), (&label, &confidence))| Shown {
                text: page.text(block),
                label,
                confidence,
                path: page.tag_path(block),
                next_line: page.is_next_line(index),
            })
            .collect();
        Ok(match format {
            CleanFormat::Text => kept_text(&blocks),
            CleanFormat::Cleaneval => cleaneval::write(url, &blocks),
            CleanFormat::Json => json(page, url, self.model.kind_of(&tagged), &blocks)?,
            CleanFormat::Html => page_view::render(&title(page, url), &blocks),
        })
    }
}

fn kept_text(blocks: &[Shown<'_>]) -> String {
    assemble(blocks.iter().map(|block| Piece {
        text: block.text,
        label: block.label,
        next_line: block.next_line,
    }))
}

fn title(page: &Page, url: &str) -> String {
    metadata(page, url)
        .title
        .map_or_else(|| url.to_owned(), |title| title.into_owned())
}

/// A page as JSON; the fields are those of the documents and blocks tables.
#[derive(Serialize)]
struct Document<'a> {
    url: &'a str,
    charset: &'a str,
    title: Option<&'a str>,
    author: Option<&'a str>,
    published: Option<String>,
    language: Option<&'a str>,
    page_kind: Option<&'a str>,
    page_kind_probability: Option<f32>,
    truncated: Vec<&'a str>,
    text: String,
    blocks: Vec<BlockFields<'a>>,
}

#[derive(Serialize)]
struct BlockFields<'a> {
    block: usize,
    label: Label,
    confidence: f32,
    path: &'a str,
    text: &'a str,
}

fn json(page: &Page, url: &str, kind: Option<(&str, f32)>, blocks: &[Shown<'_>]) -> Result<String> {
    let found = metadata(page, url);
    let document = Document {
        url,
        charset: page.charset,
        title: found.title.as_deref(),
        author: found.author.as_deref(),
        published: found
            .published
            .map(|(year, month, day)| format!("{year:04}-{month:02}-{day:02}")),
        language: found.language.as_deref(),
        page_kind: kind.map(|(name, _)| name),
        page_kind_probability: kind.map(|(_, probability)| probability),
        truncated: page.truncated.names().collect(),
        text: kept_text(blocks),
        blocks: blocks
            .iter()
            .enumerate()
            .map(|(block, shown)| BlockFields {
                block,
                label: shown.label,
                confidence: shown.confidence,
                path: &shown.path,
                text: shown.text,
            })
            .collect(),
    };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}
