//! `gleaner run`: a build as a job file says. A crawl has job files of the same kind.
//!
//! What a job file can say, and by which names, follows from the options of `gleaner build` as clap has
//! them: a new option is a new key, checked by the option's own parser, shown by `--show`, and in the
//! schema. A job becomes the arguments of a build in the end, and those the build.

mod file;
pub(crate) mod job;
mod schema;
pub(crate) mod settings;
mod show;

use anyhow::{Context, Result};

use crate::args::Run;
use crate::build;
use crate::terminal::signals::Signals;
use crate::terminal::{Outcome, console};
use job::Job;

pub(crate) fn run(arguments: &Run, signals: Signals<'_>) -> Result<Outcome> {
    if arguments.schema {
        console::out(&format!("{:#}\n", schema::schema()))?;
        return Ok(Outcome::Done);
    }
    let path = arguments.job.as_deref().context("no job file: name one")?;
    let job = Job::read(path, settings::settings(), &arguments.typed.0)?;
    let flag = |name| arguments.typed.0.get_one(name).copied().unwrap_or(false);
    let build = job.build(flag("force"), flag("dry_run"))?;
    if arguments.show {
        console::out(&show::text(&job))?;
        return Ok(Outcome::Done);
    }
    build::run(&build, signals)
}
