//! `gleaner templates`: what the pages of a site repeat.

mod apply;
mod expressions;
mod mine;
mod over;
mod pages;
mod show;
mod sites;
mod table;

use anyhow::Result;

pub(crate) use self::over::text_of;

use crate::args::Templates;
use crate::terminal::Outcome;

pub(crate) fn run(what: &Templates) -> Result<Outcome> {
    match what {
        Templates::Mine(arguments) => mine::run(arguments),
        Templates::Show(arguments) => show::run(arguments),
        Templates::Apply(arguments) => apply::run(arguments),
    }
}
