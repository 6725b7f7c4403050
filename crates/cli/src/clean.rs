//! `gleaner clean`: one page from a file or standard input.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use gleaner_crf::{BlockSize, Label, Model, Piece, Tagger, assemble};
use gleaner_dataflow::StructuredLines;
use gleaner_features::{Columns, Extractor, Module};
use gleaner_page::{Block, Joint, Metadata, Page, PageConfig, Parser, StructuredText, metadata, page_file};
use serde::Serialize;

use crate::args::{Clean, CleanFormat, Method, StructuredData};
use crate::eval::Given;
use crate::page_view::{self, Shown};
use crate::prepared::size;
use crate::result_pages::{PageElements, Terms, TreeJudge};
use crate::{Outcome, clean_page, cleaneval, console, method, model};

/// As much of a file is read. The parser's own limit is lower, and says that it was met.
const READ_BYTES: u64 = 64 << 20;

/// Cleans each page and prints it.
pub(crate) fn run(arguments: &Clean) -> Result<Outcome> {
    let fallback = arguments.decision.structured_data == StructuredData::Fallback;
    let plain_text = is_plain_text(arguments);
    let mut cleaner = match arguments.method {
        Method::Model => {
            let chosen = match plain_text {
                true => model::choose_for_texts(arguments.model.model.as_deref(), &arguments.decision)?,
                false => model::choose_deciding(&arguments.model, &arguments.decision)?,
            };
            Cleaner::by_model(chosen.model, Terms::read(&arguments.query)?)?
        }
        Method::Density => Cleaner::new(Judge::Density, method::page_config()),
        Method::Tree => Cleaner::by_tree(arguments)?,
    };
    cleaner.plain_text = plain_text;
    cleaner.fallback = fallback.then(|| Parser::new(cleaner.config.clone()));
    let standard_input = [Path::new("-").to_owned()];
    let files = if arguments.files.is_empty() {
        &standard_input[..]
    } else {
        &arguments.files
    };
    for file in files {
        let bytes = read(file)?;
        let page = gleaner_warc::page_bytes(&bytes);
        let input = page_file(&page);
        let url = arguments.url.clone().or(input.url).unwrap_or_default();
        let content_type = arguments.content_type.clone().or(input.content_type);
        let text = cleaner
            .clean(input.html, content_type.as_deref(), &url, arguments.format)
            .with_context(|| format!("{} cannot be cleaned", name_of(file)))?;
        console::out(&text)?;
    }
    Ok(Outcome::Done)
}

/// Whether the pages are plain texts.
fn is_plain_text(arguments: &Clean) -> bool {
    let media = arguments
        .content_type
        .as_deref()
        .unwrap_or_default()
        .split(';')
        .next();
    media.is_some_and(|media| media.trim().eq_ignore_ascii_case("text/plain"))
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

/// Parses and judges pages.
struct Cleaner {
    config: PageConfig,
    parser: Parser,
    /// Whether they are plain texts.
    plain_text: bool,
    /// Reads the texts of structured data, if they are wanted.
    fallback: Option<Parser>,
    judge: Judge,
}

/// What tells content from noise.
enum Judge {
    Model(Box<Labeller>),
    Density,
    Tree(Box<TreeJudge>, Terms),
}

/// A model, and what it needs to label a page.
struct Labeller {
    model: Arc<Model>,
    features: Extractor,
    columns: Columns,
    tagger: Tagger,
    /// What was searched for, for models that look at it.
    terms: Terms,
}

/// What was said of a page.
struct Judged {
    given: Given,
    /// The most probable kind of page, and how probable it is; only a model tells.
    kind: Option<(String, f32)>,
}

impl Judge {
    /// The terms that it looks for, if it does.
    fn asked(&mut self) -> Option<&mut Terms> {
        match self {
            Judge::Model(labeller) if labeller.features.config().has(Module::Query) => {
                Some(&mut labeller.terms)
            }
            Judge::Tree(_, terms) => Some(terms),
            _ => None,
        }
    }

    fn judge(&mut self, page: &Page, url: &str, sizes: &[BlockSize]) -> Judged {
        match self {
            Judge::Model(labeller) => labeller.judge(page, url, sizes),
            Judge::Density => Judged {
                given: Given::certain(method::by_density(page)),
                kind: None,
            },
            Judge::Tree(tree, terms) => Judged {
                given: Given::certain(tree.labels(&PageElements::new(page, &terms.of_page(url)))),
                kind: None,
            },
        }
    }
}

impl Labeller {
    fn judge(&mut self, page: &Page, url: &str, sizes: &[BlockSize]) -> Judged {
        self.features
            .extract_asking(page, url, &self.terms.of_page(url), &mut self.columns);
        let tagged = self.tagger.tag_blocks(&self.columns, sizes.iter().copied());
        let kind = self.model.kind_of(&tagged);
        Judged {
            given: Given::of(&tagged),
            kind: kind.map(|(name, probability)| (name.to_owned(), probability)),
        }
    }
}

impl Cleaner {
    fn new(judge: Judge, config: PageConfig) -> Cleaner {
        Cleaner {
            parser: Parser::new(config.clone()),
            config,
            plain_text: false,
            fallback: None,
            judge,
        }
    }

    fn by_tree(arguments: &Clean) -> Result<Cleaner> {
        let tree = TreeJudge::of_choice(&arguments.model)?;
        let judge = Judge::Tree(Box::new(tree), Terms::read(&arguments.query)?);
        Ok(Cleaner::new(judge, method::page_config()))
    }

    fn by_model(model: Arc<Model>, terms: Terms) -> Result<Cleaner> {
        let features = model.extractor()?;
        let config = features.config().page.clone();
        let labeller = Labeller {
            tagger: Tagger::new(&model),
            model,
            terms,
            features,
            columns: Columns::default(),
        };
        Ok(Cleaner::new(Judge::Model(Box::new(labeller)), config))
    }

    fn clean(
        &mut self,
        html: &[u8],
        content_type: Option<&str>,
        url: &str,
        format: CleanFormat,
    ) -> Result<String> {
        if let Some(terms) = self.judge.asked() {
            terms.add_forms(url, html, content_type);
        }
        let page = match self.plain_text {
            true => self.parser.parse_text(html, content_type)?,
            false => self.parser.parse(html, content_type)?,
        };
        let sizes: Vec<BlockSize> = (0..page.blocks.len()).map(|block| size(page, block)).collect();
        let judged = self.judge.judge(page, url, &sizes);
        let found = metadata(page, url);
        let stand_in = self.fallback.as_mut().and_then(|parser| {
            let text = found.structured.as_ref()?;
            let kept = sizes.iter().zip(&judged.given.labels);
            let kept = kept.filter(|(_, label)| label.is_content());
            let is_wanted = StructuredText::replaces(kept.map(|(size, _)| size.words).sum());
            is_wanted.then(|| (text.source, StructuredLines::read(text, parser)))
        });
        let blocks = shown(page, &judged.given, stand_in.is_some());
        let lines = stand_in.as_ref().map(|(_, lines)| shown_lines(lines));
        let content = lines.as_ref().unwrap_or(&blocks);
        Ok(match format {
            CleanFormat::Text => kept_text(content),
            CleanFormat::Cleaneval => cleaneval::write(url, content),
            CleanFormat::Json => {
                let kind = judged.kind.as_ref();
                let source = stand_in.as_ref().map_or("page", |(source, _)| source.name());
                let document = Document {
                    page_kind: kind.map(|(name, _)| name.as_str()),
                    page_kind_probability: kind.map(|(_, probability)| *probability),
                    text: kept_text(content),
                    text_source: source,
                    ..Document::of(page, url, &found, &blocks)
                };
                serde_json::to_string_pretty(&document)? + "\n"
            }
            CleanFormat::Html => clean_page::render(&title(&found, url), found.language.as_deref(), content),
            CleanFormat::View => page_view::render(&title(&found, url), &blocks),
        })
    }
}

/// The blocks of a page, all of them dropped where another text stands in for them.
fn shown<'p>(page: &'p Page, given: &Given, is_replaced: bool) -> Vec<Shown<'p>> {
    let of = |(at, (block, joint)): (usize, (&'p Block, Joint))| Shown {
        text: page.text(block),
        written: page.written(block),
        label: if is_replaced {
            Label::Other
        } else {
            given.labels[at]
        },
        confidence: match is_replaced {
            true => 1.0 - given.content[at],
            false => given.confidence[at],
        },
        path: page.tag_path(block),
        joint,
    };
    page.blocks
        .iter()
        .zip(page.joints())
        .enumerate()
        .map(of)
        .collect()
}

/// The lines of a text that is not on the page.
fn shown_lines(lines: &StructuredLines) -> Vec<Shown<'_>> {
    lines
        .lines
        .iter()
        .map(|(label, text)| Shown {
            text,
            written: text,
            label: *label,
            confidence: 1.0,
            path: String::new(),
            joint: Joint::Apart,
        })
        .collect()
}

fn kept_text(blocks: &[Shown<'_>]) -> String {
    assemble(blocks.iter().map(|block| Piece {
        text: block.written,
        label: block.label,
        joint: block.joint,
    }))
}

fn title(found: &Metadata<'_>, url: &str) -> String {
    found.title.as_deref().unwrap_or(url).to_owned()
}

/// A page as JSON; the fields are those of the documents and blocks tables.
#[derive(Default, Serialize)]
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
    text_source: &'a str,
    structured_data: Option<&'a str>,
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

impl<'a> Document<'a> {
    /// What the page says of itself, and its blocks.
    fn of(page: &Page, url: &'a str, found: &'a Metadata<'_>, blocks: &'a [Shown<'_>]) -> Document<'a> {
        let block = |(block, shown): (usize, &'a Shown<'_>)| BlockFields {
            block,
            label: shown.label,
            confidence: shown.confidence,
            path: &shown.path,
            text: shown.text,
        };
        Document {
            url,
            charset: page.charset,
            title: found.title.as_deref(),
            author: found.author.as_deref(),
            published: found
                .published
                .map(|(year, month, day)| format!("{year:04}-{month:02}-{day:02}")),
            language: found.language.as_deref(),
            truncated: page.truncated.names().collect(),
            structured_data: found.structured.as_ref().map(|text| text.source.name()),
            blocks: blocks.iter().enumerate().map(block).collect(),
            ..Document::default()
        }
    }
}
