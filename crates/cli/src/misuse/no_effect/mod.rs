//! Options that have no effect beside others, or without them. They are refused: whoever gives one believes that it does
//! something.
//!
//! What can be known from the command line alone is a line of the tables below. What depends on a model or a tree is refused by
//! the command that reads it.

mod given;
mod rules;

use anyhow::{Result, bail};
use clap::{ArgMatches, CommandFactory};

use self::given::Given;
use self::rules::{Rule, rules};
use crate::args::{Command, build_options};

/// Refuses the first option that has no effect. `name` says how an option is called, by the name that clap has for it.
///
/// # Errors
/// The sentence names the option, why it has no effect, and how to mend that.
pub(crate) fn check(matches: &ArgMatches, name: &dyn Fn(&str) -> String) -> Result<()> {
    let mut path = Vec::new();
    let root = Command::command();
    let (mut command, mut matches) = (&root, matches);
    while let Some((subcommand, inner)) = matches.subcommand() {
        path.push(subcommand);
        matches = inner;
        command = command.find_subcommand(subcommand).unwrap_or(command);
    }
    let given = Given { command, matches };
    if path == ["run"] && given.has("schema") {
        beside_schema(&given)?;
    }
    for rule in rules(&path) {
        if let Some(sentence) = rule.sentence(&given, name) {
            bail!("{sentence}");
        }
    }
    Ok(())
}

/// Options of a build beside `run --schema`, which reads no job.
fn beside_schema(given: &Given<'_>) -> Result<()> {
    let mut options = build_options().map(|option| option.get_id().to_string());
    match options.find(|option| option != "workers" && given.has(option)) {
        Some(option) => bail!(
            "{} has no effect with --schema, which prints the schema of all jobs: leave one of the two out",
            typed(&option)
        ),
        None => Ok(()),
    }
}

/// How an option is typed: `--part-size`.
pub(crate) fn typed(option: &str) -> String {
    format!("--{}", option.replace('_', "-"))
}

impl Rule {
    /// What is wrong, if one of the options was given and has no effect.
    fn sentence(&self, given: &Given<'_>, name: &dyn Fn(&str) -> String) -> Option<String> {
        let option = self.options.iter().find(|option| given.has(option))?;
        if !(self.when)(given) {
            return None;
        }
        let why = with_names(self.why, name);
        Some(format!("{} has no effect {why}", name(option)))
    }
}

/// A text in which names of options in braces are as they are called.
fn with_names(text: &str, name: &dyn Fn(&str) -> String) -> String {
    let mut parts = text.split('{');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |made, part| match part.split_once('}') {
        Some((option, rest)) => made + &name(option) + rest,
        None => made + part,
    })
}

#[cfg(test)]
mod tests;
