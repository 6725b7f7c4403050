//! `gleaner verify`: whether the files of a corpus are what was written.

mod against;

use std::sync::Arc;

use anyhow::Result;
use gleaner_corpus::{Checking, Corpus, Fault, Verified};
use gleaner_store::{Options, Store};
use serde::Serialize;

use against::Against;

use crate::args::Verify;
use crate::build::{Session, Watchers};
use crate::terminal::console::counted;
use crate::terminal::signals::Signals;
use crate::terminal::{Outcome, console, plain};

/// What was checked, as JSON. Documented in docs/json.md.
#[derive(Serialize)]
pub(crate) struct Answer {
    corpus: String,
    as_written: bool,
    tables: u64,
    files: u64,
    kept: u64,
    bytes: u64,
    faults: Vec<FaultRow>,
    /// What a comparison with archives has come to, if one was asked for.
    against: Option<Against>,
}

/// Something that is wrong.
#[derive(Serialize)]
struct FaultRow {
    file: String,
    kind: &'static str,
    problem: String,
    mend: &'static str,
}

impl FaultRow {
    fn new(fault: &Fault) -> FaultRow {
        FaultRow {
            file: fault.file.clone(),
            kind: fault.kind.name(),
            problem: fault.to_string(),
            mend: fault.kind.mend(),
        }
    }
}

impl Answer {
    pub(crate) fn new(corpus: &str, verified: &Verified) -> Answer {
        Answer {
            corpus: corpus.to_owned(),
            as_written: verified.faults.is_empty(),
            tables: verified.tables,
            files: verified.files,
            kept: verified.kept,
            bytes: verified.bytes,
            faults: verified.faults.iter().map(FaultRow::new).collect(),
            against: None,
        }
    }
}

/// `gleaner verify`.
pub(crate) fn run(arguments: &Verify, signals: Signals<'_>) -> Result<Outcome> {
    let watchers = Watchers::start(&arguments.watching)?;
    let output = Store::new(arguments.stores.options(&watchers.counts))?.output(&arguments.corpus)?;
    let verified = Corpus::verify(&output, &Checking::default())?;
    let mut answer = Answer::new(&arguments.corpus, &verified);
    match (arguments.against.is_empty(), answer.as_written) {
        (true, _) => {}
        (false, true) => {
            let session = Session {
                signals,
                say: Arc::new(console::say),
                watchers: &watchers,
                draws: console::draws_progress(),
            };
            answer.against = Some(against::compare(arguments, &output, &session)?);
        }
        (false, false) => console::say("files are not as written, so rows are not compared with archives"),
    }
    let of_archives = || answer.against.as_ref().map_or_else(String::new, Against::text);
    console::out_as(arguments.json, &answer, || text(&verified) + &of_archives())?;
    let is_same = answer.against.as_ref().is_none_or(Against::is_same);
    Ok(match answer.as_written && is_same {
        true => Outcome::Done,
        false => Outcome::Negative,
    })
}

/// Reads the corpus, and names each thing that is wrong.
pub(crate) fn check(corpus: &str, checking: &Checking) -> Result<Verified> {
    let output = Store::new(Options::default())?.output(corpus)?;
    Ok(Corpus::verify(&output, checking)?)
}

/// A line for each thing that is wrong, and one for what was checked.
fn text(verified: &Verified) -> String {
    let faults = verified.faults.iter();
    let mut text: String = faults
        .map(|fault| plain::line(&format!("{fault}: {}", fault.kind.mend())).into_owned() + "\n")
        .collect();
    let verdict = match verified.faults.len() {
        0 => "all as written".to_owned(),
        faults => counted(faults as u64, "fault"),
    };
    let of_state = match verified.kept {
        0 => String::new(),
        kept => format!(" and {kept} of state"),
    };
    text += &format!(
        "checked {} of {}{of_state}, {}: {verdict}\n",
        counted(verified.files, "file"),
        counted(verified.tables, "table"),
        console::bytes(verified.bytes)
    );
    text
}
