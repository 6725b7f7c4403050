//! The `gleaner` command: arguments in, tables and text out.
//!
//! Results go to standard output, everything else to standard error. Nothing else in the
//! workspace prints, or parses arguments.

mod align;
mod annotate;
mod annotated_pages;
mod args;
mod build;
mod clean;
mod console;
#[cfg(test)]
mod documented;
mod dry_run;
mod eval;
mod faults;
mod features;
mod files;
mod fit;
mod given;
mod gold_pages;
mod hosts;
mod html;
mod incomplete;
mod inputs;
mod job_text;
mod method;
mod misspelt;
mod model;
mod nearest;
mod no_effect;
mod output;
mod page_digest;
mod page_html;
mod page_inputs;
mod page_view;
mod pages;
mod plain;
mod posts;
mod prepared;
mod progress_bar;
mod result_pages;
mod run;
mod shell;
mod shown;
mod signals;
mod size;
mod summary;
mod templates;
mod train;
mod train_job;
mod train_kinds;
mod train_told;
mod unfinished;
mod unusable;
mod usage;
mod verify;
mod victor;
mod watching;
mod whole;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use crate::args::{Action, Command};

/// How a command ended, short of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All is well: status 0.
    Done,
    /// Done, but the answer is no (the counts do not add up, `--strict` forbids a reject): status 1.
    Negative,
}

/// Runs the command with the arguments of this process.
pub fn main() -> ExitCode {
    let parsed = Command::command().try_get_matches().and_then(|matches| {
        let command = Command::from_arg_matches(&matches)?;
        Ok((command, matches))
    });
    let (command, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return misspelt::misuse(&error),
    };
    let outcome = no_effect::check(&matches, &no_effect::typed).and_then(|()| run(&command.action));
    match outcome {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Negative) => ExitCode::from(1),
        Err(error) if console::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            console::error(&error);
            ExitCode::from(2)
        }
    }
}

fn run(action: &Action) -> anyhow::Result<Outcome> {
    match action {
        Action::Build(arguments) => build::run(arguments),
        Action::Run(arguments) => run::run(arguments),
        Action::Files(arguments) => files::run(arguments),
        Action::Verify(arguments) => verify::run(arguments),
        Action::Clean(arguments) => clean::run(arguments),
        Action::Posts(arguments) => posts::run(arguments),
        Action::Train(arguments) if arguments.tree.tree => result_pages::train(arguments),
        Action::Train(arguments) if train_kinds::is_job(&arguments.job) => train_kinds::run(arguments),
        Action::Train(arguments) => train::run(arguments),
        Action::Features(arguments) => features::run(arguments),
        Action::Eval(arguments) => eval::run(arguments),
        Action::Annotate(arguments) => annotate::run(arguments),
        Action::Align(arguments) => align::run(arguments),
        Action::Templates(what) => templates::run(what),
        Action::Model(what) => model::inspect(what),
        Action::Completions(arguments) => shell::completions(arguments),
        Action::Man(arguments) => shell::man(arguments),
    }
}
