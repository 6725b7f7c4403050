//! The `gleaner` command: arguments in, tables and text out.
//!
//! Results go to standard output, everything else to standard error. Nothing else in the
//! workspace prints, or parses arguments.

mod align;
mod annotate;
mod args;
mod build;
mod clean;
mod corpus;
mod eval;
mod features;
mod inputs;
mod misuse;
mod model;
mod posts;
mod result_pages;
mod run;
mod shell;
mod templates;
mod terminal;
mod train;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use crate::args::{Action, Command};
use crate::misuse::no_effect;
use crate::terminal::{Outcome, console};

/// Runs the command with the arguments of this process.
pub fn main() -> ExitCode {
    let parsed = Command::command().try_get_matches().and_then(|matches| {
        let command = Command::from_arg_matches(&matches)?;
        Ok((command, matches))
    });
    let (command, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return misuse::misuse(&error),
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
        Action::Files(arguments) => corpus::files::run(arguments),
        Action::Verify(arguments) => corpus::verify::run(arguments),
        Action::Clean(arguments) => clean::run(arguments),
        Action::Posts(arguments) => posts::run(arguments),
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
