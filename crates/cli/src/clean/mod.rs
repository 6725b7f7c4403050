//! `gleaner clean`: pages of files, folders and archives, one by one.

mod content_type;
mod folder;
mod output;
mod printed;
mod view;

use std::sync::Arc;

use anyhow::{Result, bail};
use gleaner_content::Model;
use gleaner_document::html::{self, About};
use gleaner_document::{
    Cleaner, Content, Document, JsonDocument, JsonLine, MarkdownOptions, Options, Origin, Piece, Structure,
};
use gleaner_features::Module;
use gleaner_gold::cleaneval_text;
use gleaner_page::{Page, Unit};
use gleaner_results::SiteTerms;

use crate::args::{Clean, CleanFormat, Method, ModelChoice, StructuredData, markdown_options};
use crate::inputs::each_page;
use crate::model;
use crate::result_pages::method::PageLabels;
use crate::result_pages::{check_terms, read_terms};
use crate::terminal::{Outcome, console};
use gleaner_training::{FoundPage, Texts};

use content_type::ContentType;
use output::Output;
use printed::Printed;

pub(crate) fn run(arguments: &Clean) -> Result<Outcome> {
    let given = arguments
        .content_type
        .as_deref()
        .map(ContentType::read)
        .transpose()?;
    let mut cleaners = Cleaners::of(arguments, given.as_ref().is_some_and(ContentType::is_plain_text))?;
    let mut addresses = Addresses::of(arguments)?;
    let mut output = Output::of(arguments);
    let mut has_hinted = false;
    let inputs = each_page::or_standard_input(&arguments.files);
    let out = arguments.out.as_deref();
    let outcome = each_page::each(&inputs, Texts::All, "cleaned", out, &mut |found| {
        if found.is_record && !std::mem::replace(&mut has_hinted, true) {
            hint_at_build();
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
    addresses.warn();
    Ok(outcome)
}

/// Says which command is made for archives.
fn hint_at_build() {
    console::say("note: for archives, gleaner build is faster and writes a corpus");
}

struct Addresses<'a> {
    /// The one that the user gave, until a page has it.
    given: Option<&'a str>,
    is_taken: bool,
    /// Whether a page had an address of its own that was preferred.
    is_url_unused: bool,
}

impl<'a> Addresses<'a> {
    fn of(arguments: &'a Clean) -> Result<Addresses<'a>> {
        if arguments.url.is_some() && arguments.files.len() > 1 {
            bail!(
                "--url is for one page, but {} inputs are named: clean them one by one",
                arguments.files.len()
            );
        }
        Ok(Addresses {
            given: arguments.url.as_deref(),
            is_taken: false,
            is_url_unused: false,
        })
    }

    fn warn(&self) {
        if self.is_url_unused && !self.is_taken {
            each_page::warn_of_unused_url();
        }
    }

    /// The address of a page. Records of archives have their own.
    fn of_page<'p>(&mut self, found: &FoundPage<'p>) -> Result<&'p str>
    where
        'a: 'p,
    {
        match self.given {
            Some(given) if !found.is_record || found.url.is_empty() => {
                if std::mem::replace(&mut self.is_taken, true) {
                    bail!(
                        "--url is for one page, but other pages have no URL either, such as {}: clean \
                         them one by one",
                        found.file
                    );
                }
                Ok(given)
            }
            given => {
                self.is_url_unused |= given.is_some();
                Ok(found.url)
            }
        }
    }
}

/// Whether a page is a plain text. Of a file the user may say what it is; else its name does, for a text without tags may
/// be a piece of a page.
fn is_text(found: &FoundPage<'_>, given: Option<&ContentType>) -> bool {
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

struct Input<'a> {
    file: &'a str,
    /// Empty where it is not known.
    url: &'a str,
    content_type: Option<&'a str>,
    is_text: bool,
    body: &'a [u8],
}

struct Cleaners<'a> {
    arguments: &'a Clean,
    /// None until there is a page, where all files are texts.
    pages: Option<PageCleaner>,
    /// None until there is a text that that of pages does not clean.
    texts: Option<PageCleaner>,
}

impl<'a> Cleaners<'a> {
    fn of(arguments: &'a Clean, are_texts: bool) -> Result<Cleaners<'a>> {
        let (pages, texts) = match are_texts {
            true => (None, Some(PageCleaner::of_texts(arguments)?)),
            false => (Some(PageCleaner::of_pages(arguments)?), None),
        };
        Ok(Cleaners {
            arguments,
            pages,
            texts,
        })
    }

    /// What cleans this page. Texts are labelled by the model of texts, as in a build, whatever labels pages; unless
    /// that is a model of texts.
    fn of_page(&mut self, page: &Input<'_>) -> Result<&mut PageCleaner> {
        if !page.is_text || self.pages.as_ref().is_some_and(|pages| pages.is_for_texts) {
            let pages = match self.pages.take() {
                Some(pages) => pages,
                None => PageCleaner::of_pages(self.arguments)?,
            };
            return Ok(self.pages.insert(pages));
        }
        let texts = match self.texts.take() {
            Some(texts) => texts,
            None => {
                self.warn_of_texts();
                PageCleaner::of_texts_among_pages(self.arguments)?
            }
        };
        Ok(self.texts.insert(texts))
    }

    /// Says that what was chosen for pages is not for texts.
    fn warn_of_texts(&self) {
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

struct PageCleaner {
    cleaner: Cleaner,
    /// What was searched for, where something looks for it.
    terms: Option<SiteTerms>,
    /// Whether it has a model of plain texts, which labels whatever it is given.
    is_for_texts: bool,
}

impl PageCleaner {
    fn of_pages(arguments: &Clean) -> Result<PageCleaner> {
        let chosen = match arguments.method {
            Method::Model => {
                let chosen = model::choose_deciding(&arguments.model, &arguments.decision)?;
                check_terms(&arguments.query, &chosen)?;
                chosen
            }
            // It labels nothing: plain texts among the pages have a cleaner of their own.
            Method::Density | Method::Tree => model::choose(&ModelChoice { model: None })?,
        };
        let method = PageLabels::choose(arguments.method, &arguments.model, &arguments.query)?;
        let options = Options {
            method: method.map(|method| method.labels),
            structured_data: arguments.decision.structured_data == StructuredData::Fallback,
            parser: arguments.parser.parser,
            markdown: markdown(arguments),
            without_title: arguments.decision.no_title,
            without_kinds: arguments.format != CleanFormat::Json,
            ..Options::default()
        };
        PageCleaner::new(&chosen.model, options, arguments)
    }

    fn of_texts(arguments: &Clean) -> Result<PageCleaner> {
        let chosen = model::choose_for_texts(arguments.model.model.as_deref(), &arguments.decision)?;
        check_terms(&arguments.query, &chosen)?;
        PageCleaner::new(&chosen.model, of_texts(arguments), arguments)
    }

    fn of_texts_among_pages(arguments: &Clean) -> Result<PageCleaner> {
        let chosen = model::choose_for_texts(None, &arguments.decision)?;
        PageCleaner::new(&chosen.model, of_texts(arguments), arguments)
    }

    fn new(model: &Arc<Model>, options: Options, arguments: &Clean) -> Result<PageCleaner> {
        let features = model.extractor()?;
        let looks_for_terms = match arguments.method {
            Method::Model => features.config().has(Module::Query),
            Method::Density => false,
            Method::Tree => options.method.is_some(),
        };
        let terms = looks_for_terms.then(|| read_terms(&arguments.query));
        Ok(PageCleaner {
            is_for_texts: options.method.is_none() && features.config().page.unit == Unit::Text,
            cleaner: Cleaner::new(model, options)?,
            terms: terms.transpose()?,
        })
    }

    fn clean(&mut self, input: &Input<'_>, format: CleanFormat) -> Result<Printed> {
        let Input {
            url,
            content_type,
            body,
            ..
        } = *input;
        let query = self.terms.as_mut().map(|terms| {
            terms.add_forms(url, body, content_type);
            terms.query(url)
        });
        let origin = Origin {
            url,
            content_type,
            is_text: input.is_text,
            query: query.as_ref(),
            captured: None,
        };
        let Document { facts, content } = self.cleaner.clean(body, &origin)?;
        let page = self.cleaner.page();
        let title = facts.metadata.title.as_deref().unwrap_or(url);
        let text = match format {
            CleanFormat::Text => content.text.clone(),
            CleanFormat::Markdown => content.markdown().unwrap_or_default(),
            CleanFormat::Cleaneval => cleaneval(page, &content),
            CleanFormat::Json => {
                let blocks = content.shown_blocks(page);
                let document = JsonDocument::new(url, &facts, &content, &blocks);
                let file = input.file;
                serde_json::to_string(&JsonLine { file, document })? + "\n"
            }
            CleanFormat::Html => content.html(page),
            CleanFormat::View => {
                let (blocks, structure) = (
                    content.shown_blocks(page),
                    Structure::of(page, content.layout.joints()),
                );
                view::heading(title, &blocks) + &html::write(page, &structure, &blocks, &view::ALL)
            }
        };
        Ok(Printed {
            name: if url.is_empty() { input.file } else { url }.to_owned(),
            url: url.to_owned(),
            title: title.to_owned(),
            about: About::of_page(page, &facts),
            text,
        })
    }
}

/// The text with the markup of CleanEval. Lines of a `<pre>` without a word are in what is written alone. Gold has the order of
/// the page.
fn cleaneval(page: &Page, content: &Content) -> String {
    let blocks = match &content.structured {
        Some((_, lines)) => lines.shown_blocks(),
        None => content.shown_blocks(page),
    };
    let pieces = blocks.iter().map(|block| block.piece(block.written));
    cleaneval_text("", pieces.map(Piece::without_empty_lines))
}

fn markdown(arguments: &Clean) -> Option<MarkdownOptions> {
    let is_wanted = arguments.format == CleanFormat::Markdown;
    is_wanted.then(|| markdown_options(arguments.links, arguments.images))
}

fn of_texts(arguments: &Clean) -> Options {
    Options {
        markdown: markdown(arguments),
        without_kinds: arguments.format != CleanFormat::Json,
        ..Options::default()
    }
}
