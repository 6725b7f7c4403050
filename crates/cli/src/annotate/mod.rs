//! `gleaner annotate`: labelling blocks by hand, full screen.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use anyhow::{Result, bail};
use gleaner_annotate::{App, Options, Session, SessionConfig};
use gleaner_store::{Place, Store};
use indicatif::ProgressBar;

use crate::args::{Annotate, Order};
use crate::terminal::{Outcome, console};
use crate::{inputs as input_files, model};

mod terminal;

/// Opens the pages, and runs the program on the terminal.
pub(crate) fn run(arguments: &Annotate) -> Result<Outcome> {
    // Errors of the terminal come before a crawl is read.
    check_terminal()?;
    let chosen = model::choose_judging_by(&arguments.model, &arguments.convention)?;
    let config = SessionConfig {
        files: files(&arguments.inputs)?,
        out: arguments.out.clone(),
        page: arguments.page.clone(),
        uncertain_first: arguments.order == Order::Uncertain,
        blind: arguments.blind,
        model_name: chosen.identity.clone() + &arguments.convention.suffix(),
        annotator: arguments.annotator.clone().unwrap_or_else(user),
    };
    let bar = ProgressBar::new_spinner();
    let session = Session::new(config, &chosen.model, &mut |pages| {
        if pages % 16 == 0 {
            bar.set_message(format!("{} pages found", console::grouped(pages as u64)));
            bar.tick();
        }
    });
    bar.finish_and_clear();
    let session = session?;
    if session.skipped() > 0 {
        console::say(&format!(
            "skipped {} records that are not HTML",
            console::grouped(session.skipped() as u64)
        ));
    }
    let options = Options {
        render: arguments.render,
        walk: arguments.order == Order::Uncertain,
        colour: console::colours(true),
        blind: arguments.blind,
    };
    terminal::run(&mut App::new(session, options))?;
    Ok(Outcome::Done)
}

fn check_terminal() -> Result<()> {
    let missing = match (io::stdin().is_terminal(), io::stdout().is_terminal()) {
        (true, true) => return Ok(()),
        (false, true) => "standard input is",
        (true, false) => "standard output is",
        (false, false) => "standard input and output are",
    };
    bail!("gleaner annotate needs a terminal, and {missing} not one: run it in a terminal")
}

/// The local files that inputs stand for.
pub(crate) fn files(inputs: &[String]) -> Result<Vec<PathBuf>> {
    for input in inputs.iter().filter(|input| !input.starts_with('@')) {
        // This error comes before any request to a server.
        if !Place::parse(input)?.is_local() {
            bail!("{}", elsewhere(input));
        }
    }
    let store = Store::new(gleaner_store::Options::default())?;
    let shards = input_files::expand(&store, inputs, None)?;
    let local = shards.into_iter().map(|shard| match shard.place {
        Place::Local(_) if shard.member.is_some() => {
            bail!("'{}' is in a WACZ: unpack it first", shard.location)
        }
        Place::Local(path) => Ok(path),
        _ => bail!("{}", elsewhere(&shard.location)),
    });
    local.collect()
}

fn elsewhere(name: &str) -> String {
    format!("'{name}' is not on this machine: copy it here, pages are labelled from local files")
}

/// The name of the user.
pub(crate) fn user() -> String {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    set("USER").or_else(|| set("LOGNAME")).unwrap_or_default()
}
