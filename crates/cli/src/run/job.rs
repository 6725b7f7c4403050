//! A job: what its file says, and what the command line says instead.

use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches};

use super::file;
use super::settings::Setting;
use crate::args::whole_number::reason;
use crate::args::{Action, Build, Command, Crawl};
use crate::misuse::no_effect;

/// A setting with its values.
pub(crate) struct Set {
    pub(crate) setting: Setting,
    pub(crate) values: Vec<String>,
    pub(crate) origin: Origin,
}

/// Where the values of a setting are from.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Default,
    File,
    /// The command line; with the values in the file.
    Typed(Option<Vec<String>>),
}

/// A build or a crawl as a job file and the command line say.
pub(crate) struct Job {
    file: String,
    /// All settings there are, in the order of the help.
    pub(crate) sets: Vec<Set>,
}

impl Job {
    /// Reads a job file; what was typed goes before it.
    ///
    /// # Errors
    ///
    /// As [`file::read`] does; or something that the command cannot do without is not said.
    pub(crate) fn read(path: &Path, settings: Vec<Setting>, typed: &ArgMatches) -> Result<Job> {
        let mut in_file = file::read(path, &settings)?;
        let file = path.display().to_string();
        let mut sets = Vec::with_capacity(settings.len());
        for setting in settings {
            let in_file = in_file.remove(setting.id());
            let (values, origin) = match (given(&setting, typed)?, in_file) {
                (Some(values), in_file) => (values, Origin::Typed(in_file)),
                (None, Some(values)) => (values, Origin::File),
                (None, None) => (setting.default(), Origin::Default),
            };
            let set = Set {
                setting,
                values,
                origin,
            };
            set.check_required(&file)?;
            sets.push(set);
        }
        Ok(Job { file, sets })
    }

    /// The arguments of the command that do the same. What is as by default is not said: to say it can ask
    /// for other options.
    fn arguments(&self, command: &str) -> Vec<String> {
        let of = |set: &Set| match set.values == set.setting.default() || self.waits(set) {
            true => Vec::new(),
            false => set.setting.arguments(&set.values),
        };
        let (inputs, options): (Vec<_>, Vec<_>) =
            self.sets.iter().partition(|set| set.setting.is_positional());
        let mut arguments = vec!["gleaner".to_owned(), command.to_owned()];
        arguments.extend(options.into_iter().flat_map(of));
        arguments.push("--".to_owned());
        arguments.extend(inputs.into_iter().flat_map(of));
        arguments
    }

    /// What a setting is called where it is from: by its key in the file, as an option on the command line.
    fn name(&self, option: &str) -> String {
        let set = self.sets.iter().find(|set| set.setting.id() == option);
        match set {
            Some(set) if !matches!(set.origin, Origin::Typed(_)) => format!("`{}`", set.setting.path()),
            _ => no_effect::typed(option),
        }
    }

    /// Whether a setting of the file is for lists, and other inputs were typed in place of the file's.
    fn waits(&self, set: &Set) -> bool {
        let is_of_list = set.setting.id() == "base_url" && set.origin == Origin::File;
        let inputs = self.sets.iter().find(|set| set.setting.is_positional());
        let are_typed = |inputs: &Set| matches!(inputs.origin, Origin::Typed(_));
        let has_list = |inputs: &Set| inputs.values.iter().any(|input| input.starts_with('@'));
        is_of_list && inputs.is_some_and(|inputs| are_typed(inputs) && !has_list(inputs))
    }

    /// The build, checked as one that is typed. Whether it begins again, or is only planned, no file can say.
    ///
    /// # Errors
    ///
    /// Settings that do not go together.
    pub(crate) fn build(&self, force: bool, dry_run: bool) -> Result<Build> {
        match self.command("build")?.action {
            Action::Build(build) => Ok(Build {
                force,
                dry_run,
                ..build
            }),
            other => unreachable!("the arguments begin with the name of another command: {other:?}"),
        }
    }

    /// The crawl, checked as one that is typed.
    ///
    /// # Errors
    ///
    /// Settings that do not go together.
    pub(crate) fn crawl(&self) -> Result<Crawl> {
        match self.command("crawl")?.action {
            Action::Crawl(typed) => Ok(Crawl::from_arg_matches(&typed.options)?),
            other => unreachable!("the arguments begin with the name of another command: {other:?}"),
        }
    }

    fn command(&self, name: &str) -> Result<Command> {
        let refused = |error: clap::Error| anyhow::anyhow!(reason(&error));
        let matches = Command::command().try_get_matches_from(self.arguments(name));
        let matches = matches.map_err(refused).with_context(|| self.file.clone())?;
        no_effect::check(&matches, &|option| self.name(option)).with_context(|| self.file.clone())?;
        Command::from_arg_matches(&matches)
            .map_err(refused)
            .with_context(|| self.file.clone())
    }
}

impl Set {
    fn check_required(&self, file: &str) -> Result<()> {
        if self.setting.is_required() && self.values.is_empty() {
            let (key, flag) = (self.setting.path(), self.setting.flag());
            bail!("{file} has no `{key}`: add it, or give {flag} on the command line");
        }
        Ok(())
    }
}

fn given(setting: &Setting, typed: &ArgMatches) -> Result<Option<Vec<String>>> {
    if typed.value_source(setting.id()) != Some(ValueSource::CommandLine) {
        return Ok(None);
    }
    let values = typed.get_raw(setting.id()).unwrap_or_default();
    let text = |value: &std::ffi::OsStr| match value.to_str() {
        Some(text) => Ok(text.to_owned()),
        None => bail!("{} is not UTF-8: {}", setting.flag(), value.display()),
    };
    values.map(text).collect::<Result<_>>().map(Some)
}
