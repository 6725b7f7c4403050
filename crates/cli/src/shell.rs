//! Completions for shells, and manual pages: both follow from the command line as clap has it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use clap::CommandFactory;
use clap::builder::PossibleValuesParser;
use clap_mangen::Man;

use crate::args;
use crate::misuse;
use crate::terminal::{Outcome, console};

pub(crate) fn completions(arguments: &args::Completions) -> Result<Outcome> {
    let mut script = Vec::new();
    let command = args::Command::command();
    let names = PossibleValuesParser::new(names(&command));
    // (`man` itself has its own words for a command that it does not know.)
    let mut command = command.mut_subcommand("man", |man| {
        man.mut_arg("command", |name| name.value_parser(names))
    });
    clap_complete::generate(arguments.shell, &mut command, "gleaner", &mut script);
    console::out_bytes(&script)?;
    Ok(Outcome::Done)
}

fn names(command: &clap::Command) -> Vec<&'static str> {
    let mut names = BTreeSet::new();
    let mut open: Vec<&clap::Command> = command.get_subcommands().collect();
    while let Some(command) = open.pop() {
        names.insert(command.get_name().to_owned());
        open.extend(command.get_subcommands());
    }
    // (Clap keeps them to the end of the process.)
    names.into_iter().map(|name| &*name.leak()).collect()
}

/// Prints a manual page, or writes those of a command and all below it.
pub(crate) fn man(arguments: &args::Man) -> Result<Outcome> {
    let mut root = args::Command::command().disable_help_subcommand(true);
    root.build();
    let (mut path, mut command) = ("gleaner".to_owned(), &root);
    for name in &arguments.command {
        let inner = command.find_subcommand(name);
        command = inner.with_context(|| misuse::unknown_command(name, &path, command))?;
        path = format!("{path} {name}");
    }
    match &arguments.out {
        Some(folder) => {
            fs::create_dir_all(folder)
                .with_context(|| format!("could not make the folder {}", folder.display()))?;
            write_all(command, folder)?;
        }
        None => console::out_bytes(&page(command)?)?,
    }
    Ok(Outcome::Done)
}

fn page(command: &clap::Command) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    let source = concat!("gleaner ", env!("CARGO_PKG_VERSION"));
    Man::new(command.clone()).source(source).render(&mut page)?;
    // A line of the synopsis may have one long word, which cannot be adjusted.
    let page = String::from_utf8(page)?;
    let page = page.replacen(".SH SYNOPSIS\n", ".SH SYNOPSIS\n.ad l\n", 1);
    let page = page.replacen(".SH DESCRIPTION\n", ".ad\n.SH DESCRIPTION\n", 1);
    Ok(page.into_bytes())
}

fn write_all(command: &clap::Command, folder: &Path) -> Result<()> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    let file = folder.join(format!("{name}.1"));
    fs::write(&file, page(command)?).with_context(|| format!("could not write {}", file.display()))?;
    command
        .get_subcommands()
        .try_for_each(|inner| write_all(inner, folder))
}
