//! `gleaner clean`: pages of files, folders and archives, one by one.

mod content_type;
mod document;
mod folder;
mod output;

use std::sync::Arc;

use anyhow::{Result, bail};
use gleaner_columns::Columns;
use gleaner_content::{BlockSize, Label, Model, Tagger, assemble};
use gleaner_dataflow::StructuredLines;
use gleaner_features::{Extractor, Module};
use gleaner_gold::cleaneval_text;
use gleaner_page::{Block, Joint, Metadata, Page, PageConfig, Parser, StructuredText, Unit, metadata};

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

use content_type::ContentType;
use document::Document;
use output::{Output, Printed};

/// Cleans each page and prints it.
pub(crate) fn run(arguments: &Clean) -> Result<Outcome> {
    let given = arguments
        .content_type
        .as_deref()
        .map(ContentType::read)
        .transpose()?;
    let mut cleaners = Cleaners::of(arguments, given.as_ref().is_some_and(ContentType::is_plain_text))?;
    let mut addresses = Addresses::of(arguments)?;
    let mut output = Output::of(arguments);
    let mut has_told = false;
    let inputs = page_inputs::or_standard_input(&arguments.files);
    let outcome = page_inputs::each(&inputs, With::Texts, "cleaned", &mut |found| {
        if found.is_record && !std::mem::replace(&mut has_told, true) {
            tell_of_build();
        }
        let page = Input {
            file: found.file,
            url: addresses.of_page(found)?,
            content_type: match found.is_record {
                true => found.content_type.as_deref(),
                false => given
                    .as_ref()
                    .map(ContentType::header)
                    .or(found.content_type.as_deref()),
            },
            is_text: is_text(found, given.as_ref()),
            body: found.body,
        };
        let printed = cleaners.of_page(&page)?.clean(&page, arguments.format)?;
        output.add(printed, found)
    })?;
    output.end()?;
    addresses.tell();
    Ok(outcome)
}

/// Says which command is made for archives.
fn tell_of_build() {
    console::say("note: for archives, gleaner build is faster and writes a corpus");
}

/// The addresses of pages.
struct Addresses<'a> {
    /// The one that the user gave, until a page has it.
    given: Option<&'a str>,
    is_taken: bool,
    /// Whether a page had an address of its own that was preferred.
    is_passed_over: bool,
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
            is_passed_over: false,
        })
    }

    /// Warns of an address that no page needed.
    fn tell(&self) {
        if self.is_passed_over && !self.is_taken {
            page_inputs::warn_of_unused_url();
        }
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
            given => {
                self.is_passed_over |= given.is_some();
                Ok(found.url)
            }
        }
    }
}

/// Whether a page is a plain text. Of a file the user may say what it is; else its name does, for a text without tags may
/// be a piece of a page.
fn is_text(found: &Found<'_>, given: Option<&ContentType>) -> bool {
    if found.is_record {
        return found.is_text;
    }
    match given.filter(|given| given.has_media()) {
        Some(given) => given.is_plain_text(),
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
    /// None until there is a page, where all files are texts.
    pages: Option<Cleaner>,
    /// None until there is a text that that of pages does not clean.
    texts: Option<Cleaner>,
}

impl<'a> Cleaners<'a> {
    fn of(arguments: &'a Clean, are_texts: bool) -> Result<Cleaners<'a>> {
        let (pages, texts) = match are_texts {
            true => (None, Some(Cleaner::of_texts(arguments)?)),
            false => (Some(Cleaner::of_pages(arguments)?), None),
        };
        Ok(Cleaners {
            arguments,
            pages,
            texts,
        })
    }

    /// What cleans this page. Texts are labelled by the model of texts, as in a build, whatever labels pages; unless
    /// that is a model of texts.
    fn of_page(&mut self, page: &Input<'_>) -> Result<&mut Cleaner> {
        let is_for_texts = |pages: &Cleaner| pages.config.unit == Unit::Text;
        if !page.is_text || self.pages.as_ref().is_some_and(is_for_texts) {
            let pages = match self.pages.take() {
                Some(pages) => pages,
                None => Cleaner::of_pages(self.arguments)?,
            };
            return Ok(self.pages.insert(pages));
        }
        let texts = match self.texts.take() {
            Some(texts) => texts,
            None => {
                self.tell_of_texts();
                Cleaner::of_texts_among_pages(self.arguments)?
            }
        };
        Ok(self.texts.insert(texts))
    }

    /// Says that what was chosen for pages is not for texts.
    fn tell_of_texts(&self) {
        let choice = match (self.arguments.method, &self.arguments.model.model) {
            (Method::Density, _) => "--method density",
            (Method::Tree, _) => "--method tree",
            (Method::Model, Some(_)) => "--model",
            (Method::Model, None) => return,
        };
        console::say(&format!(
            "note: {choice} labels pages; plain texts are labelled by the model 'text'"
        ));
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

    /// For files of which all are texts.
    fn of_texts(arguments: &Clean) -> Result<Cleaner> {
        let chosen = model::choose_for_texts(arguments.model.model.as_deref(), &arguments.decision)?;
        check_terms(&arguments.query, &chosen)?;
        Cleaner::by_model(chosen.model, arguments)
    }

    fn of_texts_among_pages(arguments: &Clean) -> Result<Cleaner> {
        let chosen = model::choose_for_texts(None, &arguments.decision)?;
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
