//! `gleaner run`: builds by job files.

use std::path::PathBuf;

use clap::builder::Resettable;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};

use super::{Build, Crawl, Export};

/// What `gleaner run --help` says at its end.
const HELP: &str = "\
A job file has the options of `gleaner build` as keys. Options of a group of its help are in a table:

  inputs = [\"crawl/*.warc.gz\"]
  out = \"corpus\"

  [tables]
  blocks = true

  [limits]
  max_record = 128

`gleaner run --show JOB.toml` prints all keys with their values. Names of files and folders are relative to the
working folder. Options on the command line override the file; --blocks=false switches off what the file
switches on. Examples: jobs/. Training jobs are for `gleaner train`.";

#[derive(Debug, Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Run {
    /// Job file; options of `gleaner build` on the command line override it
    #[arg(value_name = "JOB.toml", required_unless_present = "schema")]
    pub(crate) job: Option<PathBuf>,

    /// Print the job with all defaults as a job file, and build nothing
    #[arg(long)]
    pub(crate) show: bool,

    /// Print the JSON Schema of job files
    #[arg(long, conflicts_with_all = ["job", "show"])]
    pub(crate) schema: bool,

    #[command(flatten)]
    pub(crate) typed: Typed,
}

/// The options of the build on the command line. None is required here.
#[derive(Clone, Debug)]
pub(crate) struct Typed(pub(crate) ArgMatches);

impl Args for Typed {
    fn augment_args(command: Command) -> Command {
        build_options().fold(command, |command, option| {
            // No job is read for a schema, and none is run to be shown.
            let useless: &[&str] = match option.get_id().as_str() {
                "workers" => &[],
                "force" => &["schema", "show"],
                _ => &["schema"],
            };
            command.arg(by_itself(option).conflicts_with_all(useless))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Typed::augment_args(command)
    }
}

impl FromArgMatches for Typed {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Typed, clap::Error> {
        Ok(Typed(matches.clone()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0 = matches.clone();
        Ok(())
    }
}

/// The options of `gleaner build`, which nothing else lists.
pub(crate) fn build_options() -> impl Iterator<Item = Arg> {
    options_of(Build::augment_args(Command::new("build")))
}

/// The options of `gleaner crawl`.
pub(crate) fn crawl_options() -> impl Iterator<Item = Arg> {
    options_of(Crawl::augment_args(Command::new("crawl")))
}

/// The options of `gleaner export`.
pub(crate) fn export_options() -> impl Iterator<Item = Arg> {
    options_of(Export::augment_args(Command::new("export")))
}

fn options_of(command: Command) -> impl Iterator<Item = Arg> {
    command.get_arguments().cloned().collect::<Vec<_>>().into_iter()
}

/// The option without its requirements, which the file may fulfil. A flag also takes `--flag=false`.
pub(crate) fn by_itself(option: Arg) -> Arg {
    let option = option
        .required(false)
        .requires(Resettable::Reset)
        .conflicts_with(Resettable::Reset);
    match option.get_action() {
        ArgAction::SetTrue => option
            .action(ArgAction::Set)
            .value_parser(value_parser!(bool))
            .value_name("true|false")
            .hide_possible_values(true)
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true"),
        _ => option,
    }
}
