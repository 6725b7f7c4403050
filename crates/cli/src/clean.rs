//! `gleaner clean`: pages of files, folders and archives, one by one.

mod document;
mod folder;
mod output;

use std::sync::Arc;

use anyhow::{Result, bail};
use gleaner_crf::{BlockSize, Label, Model, Tagger, assemble};
use gleaner_dataflow::StructuredLines;
use gleaner_features::{Columns, Extractor, Module};
use gleaner_gold::cleaneval_text;
use gleaner_page::{Block, Joint, Metadata, Page, PageConfig, Parser, StructuredText, Unit, metadata};
use gleaner_warc::media_type;

use crate::args::{Clean, CleanFormat, Method, StructuredData};
use crate::eval::Given;
use crate::no_effect::check_terms;
use crate::page_html::{self, About};
use crate::page_inputs::With;
use crate::pages::Found;
use crate::prepared::size;
use crate::result_pages::{PageElements, Terms, TreeJudge};
use crate::shown::{Place, Shown, places};
use crate::{Outcome, console, method, model, page_inputs, page_view};

use document::Document;
use output::{Output, Printed};

/// Cleans each page and prints it.
pub(crate) fn run(arguments: &Clean) -> Result<Outcome> {
    let mut cleaners = Cleaners::of(arguments)?;
    let mut addresses = Addresses::of(arguments)?;
    let mut output = Output::of(arguments);
    let mut has_told = false;
    let inputs = page_inputs::or_standard_input(&arguments.files);
    let outcome = page_inputs::each(&inputs, With::Texts, "cleaned", &mut |found| {
        if found.is_record && !std::mem::replace(&mut has_told, true) {
            tell_of_build(found.file);
        }
        let page = Input {
            file: found.file,
            url: addresses.of_page(found)?,
            content_type: match found.is_record {
                true => found.content_type.as_deref(),
                false => arguments
                    .content_type
                    .as_deref()
                    .or(found.content_type.as_deref()),
            },
            is_text: is_text(found, arguments.content_type.as_deref()),
            body: found.body,
        };
        let printed = cleaners.of_page(&page)?.clean(&page, arguments.format)?;
        output.add(printed, found)
    })?;
    output.end()?;
    Ok(outcome)
}

/// Says which command is made for archives.
fn tell_of_build(file: &str) {
    console::say(&format!(
        "note: gleaner build makes a corpus of archives, and is faster: gleaner build {file} --out FOLDER"
    ));
}

/// The addresses of pages.
struct Addresses<'a> {
    /// The one that the user gave, until a page has it.
    given: Option<&'a str>,
    is_taken: bool,
}

impl<'a> Addresses<'a> {
    fn of(arguments: &'a Clean) -> Result<Addresses<'a>> {
        if arguments.url.is_some() && arguments.files.len() > 1 {
            bail!(
                "--url is the address of one page, but {} inputs are named: clean them one by one",
                arguments.files.len()
            );
        }
        Ok(Addresses {
            given: arguments.url.as_deref(),
            is_taken: false,
        })
    }

    /// The address of a page. Records of archives have their own.
    fn of_page<'p>(&mut self, found: &Found<'p>) -> Result<&'p str>
    where
        'a: 'p,
    {
        match self.given {
            Some(given) if !found.is_record || found.url.is_empty() => {
                if std::mem::replace(&mut self.is_taken, true) {
                    bail!(
                        "--url is the address of one page, but there are others without an address, such as {}: clean \
                         them one by one",
                        found.file
                    );
                }
                Ok(given)
            }
            _ => Ok(found.url),
        }
    }
}

/// Whether a page is a plain text. Of a file the user may say what it is; else its name does, for a text without tags may
/// be a piece of a page.
fn is_text(found: &Found<'_>, content_type: Option<&str>) -> bool {
    if found.is_record {
        return found.is_text;
    }
    match content_type.map(media_type).filter(|media| media.contains('/')) {
        Some(media) => media == "text/plain",
        None => found.is_text && has_name_of_text(found.file),
    }
}

fn has_name_of_text(file: &str) -> bool {
    let name = file.to_ascii_lowercase();
    name.ends_with(".txt") || name.ends_with(".txt.gz")
}

/// A page to be cleaned.
struct Input<'a> {
    file: &'a str,
    /// Empty where it is not known.
    url: &'a str,
    content_type: Option<&'a str>,
    /// Whether it is a plain text.
    is_text: bool,
    body: &'a [u8],
}

/// What cleans pages, and what cleans plain texts.
struct Cleaners<'a> {
    arguments: &'a Clean,
    pages: Cleaner,
    /// Where it is another, from the first text on.
    texts: Option<Cleaner>,
}

impl<'a> Cleaners<'a> {
    fn of(arguments: &'a Clean) -> Result<Cleaners<'a>> {
        let media = arguments.content_type.as_deref().map(media_type);
        let pages = match media.as_deref() {
            Some("text/plain") => Cleaner::of_texts(arguments)?,
            _ => Cleaner::of_pages(arguments)?,
        };
        Ok(Cleaners {
            arguments,
            pages,
            texts: None,
        })
    }

    /// What cleans this page. Texts among pages are judged by the model of texts, unless that of pages is one.
    fn of_page(&mut self, page: &Input<'_>) -> Result<&mut Cleaner> {
        let is_for_all = self.arguments.method != Method::Model || self.pages.config.unit == Unit::Text;
        if !page.is_text || is_for_all {
            return Ok(&mut self.pages);
        }
        let texts = match self.texts.take() {
            Some(texts) => texts,
            None => Cleaner::of_texts_among_pages(self.arguments)?,
        };
        Ok(self.texts.insert(texts))
    }
}

/// Parses and judges pages.
struct Cleaner {
    config: PageConfig,
    parser: Parser,
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
    fn of_pages(arguments: &Clean) -> Result<Cleaner> {
        let cleaner = match arguments.method {
            Method::Model => {
                let chosen = model::choose_deciding(&arguments.model, &arguments.decision)?;
                check_terms(&arguments.query, &chosen)?;
                Cleaner::by_model(chosen.model, arguments)?
            }
            Method::Density => Cleaner::new(Judge::Density, method::page_config()),
            Method::Tree => Cleaner::by_tree(arguments)?,
        };
        Ok(match arguments.decision.structured_data {
            StructuredData::Fallback => Cleaner {
                fallback: Some(Parser::new(cleaner.config.clone())),
                ..cleaner
            },
            StructuredData::Off => cleaner,
        })
    }

    /// For inputs of which all are texts.
    fn of_texts(arguments: &Clean) -> Result<Cleaner> {
        if arguments.method != Method::Model {
            return Cleaner::of_pages(arguments);
        }
        let chosen = model::choose_for_texts(arguments.model.model.as_deref(), &arguments.decision)?;
        check_terms(&arguments.query, &chosen)?;
        Cleaner::by_model(chosen.model, arguments)
    }

    fn of_texts_among_pages(arguments: &Clean) -> Result<Cleaner> {
        let chosen = model::choose_for_texts_among_pages(None, &arguments.decision)?;
        Cleaner::by_model(chosen.model, arguments)
    }

    fn new(judge: Judge, config: PageConfig) -> Cleaner {
        Cleaner {
            parser: Parser::new(config.clone()),
            config,
            fallback: None,
            judge,
        }
    }

    fn by_tree(arguments: &Clean) -> Result<Cleaner> {
        let tree = TreeJudge::of_choice(&arguments.model, &arguments.query)?;
        let judge = Judge::Tree(Box::new(tree), Terms::read(&arguments.query)?);
        Ok(Cleaner::new(judge, method::page_config()))
    }

    fn by_model(model: Arc<Model>, arguments: &Clean) -> Result<Cleaner> {
        let features = model.extractor()?;
        let config = features.config().page.clone();
        let labeller = Labeller {
            tagger: Tagger::new(&model),
            model,
            terms: Terms::read(&arguments.query)?,
            features,
            columns: Columns::default(),
        };
        Ok(Cleaner::new(Judge::Model(Box::new(labeller)), config))
    }

    fn clean(&mut self, input: &Input<'_>, format: CleanFormat) -> Result<Printed> {
        let Input {
            url,
            content_type,
            body,
            ..
        } = *input;
        if let Some(terms) = self.judge.asked() {
            terms.add_forms(url, body, content_type);
        }
        let page = match input.is_text {
            true => self.parser.parse_text(body, content_type)?,
            false => self.parser.parse(body, content_type)?,
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
        let text = match format {
            CleanFormat::Text => kept_text(content),
            // Lines of a <pre> without a word are in what is written alone.
            CleanFormat::Cleaneval => {
                let written = content
                    .iter()
                    .map(|block| (block, block.written.trim_end_matches('\n')));
                cleaneval_text("", written.map(|(block, text)| block.piece(text)))
            }
            CleanFormat::Json => {
                let kind = judged.kind.as_ref();
                let source = stand_in.as_ref().map_or("page", |(source, _)| source.name());
                let document = Document {
                    file: input.file,
                    url,
                    page_kind: kind.map(|(name, _)| name.as_str()),
                    page_kind_probability: kind.map(|(_, probability)| *probability),
                    text: kept_text(content),
                    text_source: source,
                    ..Document::of(page, &found, &blocks)
                };
                serde_json::to_string(&document)? + "\n"
            }
            CleanFormat::Html => page_html::write(page, content, &page_html::KEPT),
            CleanFormat::View => {
                let heading = page_view::heading(&title(&found, url), &blocks);
                heading + &page_html::write(page, &blocks, &page_view::ALL)
            }
        };
        Ok(Printed {
            name: if url.is_empty() { input.file } else { url }.to_owned(),
            url: url.to_owned(),
            title: title(&found, url),
            about: About {
                language: found.language.as_deref().map(str::to_owned),
                direction: page_html::direction_of_page(page),
            },
            text,
        })
    }
}

/// The blocks of a page, all of them dropped where another text stands in for them.
fn shown<'p>(page: &'p Page, given: &Given, is_replaced: bool) -> Vec<Shown<'p>> {
    let joints = page.joints();
    let places = places(page, &joints);
    let of = |(at, block): (usize, &'p Block)| Shown {
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
        joint: joints[at],
        place: places[at],
    };
    page.blocks.iter().enumerate().map(of).collect()
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
            place: Place::NOWHERE,
        })
        .collect()
}

fn kept_text(blocks: &[Shown<'_>]) -> String {
    assemble(blocks.iter().map(|block| block.piece(block.written)))
}

fn title(found: &Metadata<'_>, url: &str) -> String {
    found.title.as_deref().unwrap_or(url).to_owned()
}
