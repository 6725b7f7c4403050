//! The `gleaner` command: arguments in, tables and text out.
//!
//! Results go to standard output, everything else to standard error. Nothing else in the
//! workspace prints, or parses arguments.

mod align;
mod annotate;
mod args;
mod build;
mod change;
mod clean;
mod corpus;
mod crawl;
mod eval;
mod explain;
mod export;
mod features;
mod inputs;
pub mod library;
mod misuse;
mod model;
mod posts;
mod render;
mod report;
mod result_pages;
mod run;
mod serve;
mod shell;
mod templates;
mod terminal;
mod train;
mod verify;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use crate::args::{Action, Command};
use crate::misuse::no_effect;
use crate::terminal::signals::Signals;
use crate::terminal::{Outcome, console};

pub use crate::terminal::signals::Interrupt;

/// Runs the command with the arguments of this process.
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    ExitCode::from(run_with(&arguments, Signals::Own))
}

/// Runs the command within another program, with arguments that begin after the name of the program. Returns the exit
/// status. Signals are left to the program.
pub fn main_within(arguments: &[OsString], interrupt: &Interrupt) -> u8 {
    // A log is of one run.
    console::no_log();
    let status = run_with(arguments, Signals::Of(interrupt));
    console::no_log();
    status
}

fn run_with(arguments: &[OsString], signals: Signals<'_>) -> u8 {
    let words = ["gleaner".into()].into_iter().chain(arguments.iter().cloned());
    let parsed = Command::command()
        .try_get_matches_from(words)
        .and_then(|matches| {
            let command = Command::from_arg_matches(&matches)?;
            Ok((command, matches))
        });
    let (command, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return misuse::misuse(&error, arguments),
    };
    let outcome = no_effect::check(&matches, &no_effect::typed).and_then(|()| run(&command.action, signals));
    match outcome {
        Ok(Outcome::Done) => 0,
        Ok(Outcome::Negative) => 1,
        Err(error) if console::is_broken_pipe(&error) => 0,
        Err(error) => {
            console::error(&error);
            2
        }
    }
}

fn run(action: &Action, signals: Signals<'_>) -> anyhow::Result<Outcome> {
    match action {
        Action::Build(arguments) => build::run(arguments, signals),
        Action::Run(arguments) => run::run(arguments, signals),
        Action::Add(arguments) => change::add(arguments, signals),
        Action::Remove(arguments) => change::remove(arguments, signals),
        Action::Takedown(arguments) => change::takedown(arguments, signals),
        Action::Optout(arguments) => change::optout(arguments, signals),
        Action::Restore(arguments) => change::restore(arguments, signals),
        Action::Relabel(arguments) => change::relabel(arguments, signals),
        Action::Files(arguments) => corpus::files::run(arguments),
        Action::Log(arguments) => corpus::log::run(arguments),
        Action::Diff(arguments) => corpus::diff::run(arguments),
        Action::Verify(arguments) => verify::run(arguments, signals),
        Action::Undo(arguments) => corpus::undo::run(arguments),
        Action::Vacuum(arguments) => corpus::vacuum::run(arguments),
        Action::Explain(arguments) => explain::run(arguments),
        Action::Export(arguments) => export::run(arguments, signals),
        Action::Crawl(arguments) => crawl::run(arguments, signals),
        Action::Render(arguments) => render::run(arguments, signals),
        Action::Report(arguments) => report::run(arguments, signals),
        Action::Serve(arguments) => serve::run(arguments, signals),
        Action::Clean(arguments) => clean::run(arguments),
        Action::Posts(arguments) => posts::run(arguments),
        Action::Train(arguments) => train::run(arguments, signals),
        Action::Features(arguments) => features::run(arguments),
        Action::Eval(arguments) => eval::run(arguments, signals),
        Action::Annotate(arguments) => annotate::run(arguments),
        Action::Align(arguments) => align::run(arguments),
        Action::Templates(what) => templates::run(what),
        Action::Model(what) => model::inspect(what),
        Action::Completions(arguments) => shell::completions(arguments),
        Action::Man(arguments) => shell::man(arguments),
    }
}
