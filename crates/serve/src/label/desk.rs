//! The pages that are labelled.
//!
//! One session has all pages, as in `gleaner annotate`, behind a lock: a request opens or saves a page at a time, on a worker. What is
//! saved is what the terminal would save for the same decisions. A page is known by its number alone: nothing of a request becomes the
//! name of a file.

use std::path::PathBuf;

use gleaner_annotate::{Block, Pages, Session, SessionConfig};
use gleaner_content::Model;
use http::StatusCode;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::decision::{read, written};
use crate::Error;
use crate::browse::parameters::Parameters;

/// Pages of an answer, and the most of them.
const USUAL: usize = 100;
const MOST: usize = 1000;

/// The pages that are labelled.
pub(crate) struct Labels {
    session: Mutex<Session>,
    /// The number of pages.
    pub(crate) count: usize,
    /// None if nothing is saved.
    pub(crate) annotations: Option<PathBuf>,
}

impl Labels {
    /// Finds the pages. Without a folder as the user called it, nothing is saved.
    pub(crate) fn open(
        config: SessionConfig,
        model: &Model,
        annotations: Option<PathBuf>,
    ) -> Result<Labels, gleaner_annotate::Error> {
        let open = match annotations {
            Some(_) => Session::new,
            None => Session::read_only,
        };
        let session = open(config, model, &mut |_| {})?;
        Ok(Labels {
            count: session.count(),
            session: Mutex::new(session),
            annotations,
        })
    }
}

/// Pages, in the order of the session.
#[derive(Debug, Serialize)]
pub(super) struct List {
    pages: Vec<Listed>,
    /// The number of pages with such a name.
    total: usize,
    next: Option<String>,
}

#[derive(Debug, Serialize)]
struct Listed {
    page: usize,
    name: String,
    done: Option<usize>,
    blocks: Option<usize>,
}

/// A page that is looked at or labelled.
#[derive(Debug, Serialize)]
pub(super) struct OpenedPage {
    page: usize,
    name: String,
    url: String,
    html: String,
    blocks: Vec<OpenedBlock>,
    decisions: Vec<Option<String>>,
    notice: Option<String>,
    /// What its annotation file is: to be given back when it is saved.
    stamp: String,
}

#[derive(Debug, Serialize)]
struct OpenedBlock {
    block: usize,
    text: String,
    path: String,
    /// What the model suggests; none where suggestions are hidden.
    label: Option<&'static str>,
    probability: Option<f64>,
    uncertainty: Option<f64>,
    /// Whether it is the next line of preformatted text.
    next_line: bool,
}

/// Decisions that are saved.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Decisions {
    decisions: Vec<Option<String>>,
    stamp: String,
    #[serde(default)]
    force: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct Saved {
    done: usize,
    blocks: usize,
    stamp: String,
}

impl Labels {
    pub(super) fn list(&self, pairs: Vec<(String, String)>) -> Result<List, Error> {
        let parameters = Parameters::read(pairs, &["q", "cursor", "limit"])?;
        let limit = parameters.value("limit", "a number of pages")?.unwrap_or(USUAL);
        if !(1..=MOST).contains(&limit) {
            return Err(Error::bad_request(format!(
                "limit is {limit}: give a number from 1 to {MOST}"
            )));
        }
        let start: usize = parameters
            .value("cursor", "the value of next in the answer before")?
            .unwrap_or(0);
        let part = parameters.text("q").unwrap_or_default().to_lowercase();
        let session = self.session.lock();
        let fits = |page: &usize| part.is_empty() || session.about(*page).name.to_lowercase().contains(&part);
        let all: Vec<usize> = (0..session.count()).filter(fits).collect();
        let mut behind = all.iter().copied().filter(|page| *page >= start);
        let shown: Vec<usize> = behind.by_ref().take(limit).collect();
        let listed = |page: usize| {
            let about = session.about(page);
            Listed {
                page,
                name: about.name.to_owned(),
                done: about.progress.map(|(done, _)| done),
                blocks: about.progress.map(|(_, blocks)| blocks),
            }
        };
        Ok(List {
            pages: shown.into_iter().map(listed).collect(),
            total: all.len(),
            next: behind.next().map(|page| page.to_string()),
        })
    }

    pub(super) fn page(&self, page: &str) -> Result<OpenedPage, Error> {
        let mut session = self.session.lock();
        let page = number(page, &session)?;
        let (opened, stamp) = session.open_page(page).map_err(failed)?;
        let blocks = opened.blocks.iter().enumerate();
        Ok(OpenedPage {
            page,
            name: session.about(page).name.to_owned(),
            url: session.url(page).to_owned(),
            html: session.html(page).map_err(failed)?,
            blocks: blocks
                .map(|(number, block)| opened_block(number, block))
                .collect(),
            decisions: opened
                .decisions
                .iter()
                .map(|decision| decision.map(written))
                .collect(),
            notice: opened.notice,
            stamp,
        })
    }

    pub(super) fn save(&self, page: &str, given: Decisions) -> Result<Saved, Error> {
        let mut session = self.session.lock();
        let page = number(page, &session)?;
        if self.annotations.is_none() {
            return Err(Error::new(StatusCode::FORBIDDEN, NOT_SAVED));
        }
        let decisions = given.decisions.iter().enumerate();
        let decisions = decisions.map(|(block, decision)| match decision {
            Some(decision) => read(decision).map(Some).ok_or_else(|| no_label(block, decision)),
            None => Ok(None),
        });
        let decisions: Vec<_> = decisions.collect::<Result<_, _>>()?;
        let saved = session.save_page(page, &decisions, &given.stamp, given.force);
        let stamp = saved.map_err(failed)?;
        let (done, blocks) = session.about(page).progress.unwrap_or((0, decisions.len()));
        Ok(Saved { done, blocks, stamp })
    }
}

const NOT_SAVED: &str = "labels are not saved: start the service with a folder for them, as in gleaner serve FILE --annotations FOLDER";

/// The page of a number.
fn number(page: &str, session: &Session) -> Result<usize, Error> {
    let pages = session.count();
    let number = page.parse().ok().filter(|number| *number < pages);
    let shown: String = page.chars().take(32).collect();
    number.ok_or_else(|| {
        let last = pages.saturating_sub(1);
        Error::not_found(format!(
            "there is no page '{shown}': pages have the numbers from 0 to {last}"
        ))
    })
}

fn opened_block(number: usize, block: &Block) -> OpenedBlock {
    let suggestion = block.suggestion;
    // (With the digits that it needs in its own precision.)
    let shortest = |number: f32| number.to_string().parse().unwrap_or_default();
    OpenedBlock {
        block: number,
        text: block.text().to_owned(),
        path: block.path.clone(),
        label: suggestion.map(|suggestion| suggestion.label.name()),
        probability: suggestion.map(|suggestion| shortest(suggestion.confidence)),
        uncertainty: suggestion.map(|suggestion| shortest(suggestion.uncertainty)),
        next_line: block.next_line,
    }
}

fn no_label(block: usize, decision: &str) -> Error {
    let shown: String = decision.chars().take(32).collect();
    Error::bad_request(format!(
        "the decision about block {block} is '{shown}': a decision is null, or header, paragraph, list, continuation or other, \
         with accepted or aligned behind it if no hand chose it"
    ))
}

fn failed(failure: gleaner_annotate::Error) -> Error {
    use gleaner_annotate::Error::{
        Archive, Changed, Damaged, Gone, NoFile, Open, OtherBlocks, Page, ReadOnly,
    };
    match failure {
        Changed(path) => Error::conflict(format!(
            "{} was changed since the page was opened: open the page again, or save with force to overwrite it",
            path.display()
        )),
        OtherBlocks(..) => Error::bad_request(failure.to_string()),
        ReadOnly => Error::new(StatusCode::FORBIDDEN, NOT_SAVED),
        Damaged(_) => Error::conflict(format!("{failure}, or save with force to overwrite it")),
        Gone(..) | NoFile(_) => Error::conflict(failure.to_string()),
        // It was there when the service was started.
        Open(..) | Archive(..) => Error::conflict(format!(
            "{failure}: put the file back, or start the service again"
        )),
        Page(_) => Error::new(StatusCode::UNPROCESSABLE_ENTITY, failure.to_string()),
        other => Error::internal(other),
    }
}
