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
mod clean_page;
mod cleaneval;
mod console;
#[cfg(test)]
mod documented;
mod eval;
mod faults;
mod features;
mod gold_pages;
mod hosts;
mod html;
mod incomplete;
mod inputs;
mod job_text;
mod method;
mod model;
mod nearest;
mod output;
mod page_view;
mod pages;
mod plain;
mod posts;
mod prepared;
mod result_pages;
mod run;
mod signals;
mod size;
mod summary;
mod templates;
mod train;
mod train_job;
mod train_told;
mod unusable;
mod usage;
mod victor;
mod watching;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Action, Command};

/// How a command ended, short of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All is well: status 0.
    Done,
    /// Done, but the answer is no (the sums do not add up, `--strict` forbids a reject): status 1.
    Negative,
}

/// Runs the command with the arguments of this process.
pub fn main() -> ExitCode {
    let command = match Command::try_parse() {
        Ok(command) => command,
        Err(error) => return console::misuse(&error),
    };
    let outcome = match &command.action {
        Action::Build(arguments) => build::run(arguments),
        Action::Run(arguments) => run::run(arguments),
        Action::Clean(arguments) => clean::run(arguments),
        Action::Posts(arguments) => posts::run(arguments),
        Action::Train(arguments) if arguments.tree.tree => result_pages::train(arguments),
        Action::Train(arguments) => train::run(arguments),
        Action::Features(arguments) => features::run(arguments),
        Action::Eval(arguments) => eval::run(arguments),
        Action::Annotate(arguments) => annotate::run(arguments),
        Action::Align(arguments) => align::run(arguments),
        Action::Templates(what) => templates::run(what),
        Action::Model(what) => model::inspect(what),
    };
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
