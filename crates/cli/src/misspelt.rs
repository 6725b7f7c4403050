//! What is wrong with a command line, in a sentence: options, commands and values that nobody knows, with the nearest that is
//! known, and options that exclude each other.

use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory, Error};

use crate::nearest::{distance, has_near_word, has_words, nearest};
use crate::whole::{self, is_size, is_whole};

/// What is to be said of an error of the command line; nothing where clap's own words do.
pub(crate) fn sentence(error: &Error, root: &Command, arguments: &[String]) -> Option<String> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let (path, command) = named(root, arguments);
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let argument = text(ContextKind::InvalidArg)?;
            if let Some(sentence) = negative_number(argument, command, arguments) {
                return Some(sentence);
            }
            Some(match argument.strip_prefix("--") {
                Some(option) if !option.is_empty() => unknown_option(option, &path, command, root),
                _ if argument.len() > 1 && argument.starts_with('-') => {
                    format!("unknown option '{argument}' of {path}: {}", see_help(&path))
                }
                _ => format!("'{argument}' is an argument too many: {}", see_help(&path)),
            })
        }
        ErrorKind::InvalidSubcommand => Some(unknown_command(
            text(ContextKind::InvalidSubcommand)?,
            &path,
            command,
        )),
        ErrorKind::InvalidValue => {
            let Some(ContextValue::Strings(values)) = error.get(ContextKind::ValidValue) else {
                return None;
            };
            let value = text(ContextKind::InvalidValue).filter(|value| !value.is_empty())?;
            Some(unknown_value(value, text(ContextKind::InvalidArg)?, values))
        }
        ErrorKind::ValueValidation => {
            let option = without_value(text(ContextKind::InvalidArg)?);
            let known = command.get_arguments().find(|known| is_called(known, option))?;
            (is_whole(known) && !is_size(known)).then_some(())?;
            unfit_value(known, text(ContextKind::InvalidValue)?)
        }
        ErrorKind::ArgumentConflict => {
            let one = without_value(text(ContextKind::InvalidArg)?);
            let other = match error.get(ContextKind::PriorArg)? {
                ContextValue::String(other) => other,
                ContextValue::Strings(others) => others.first()?,
                _ => return None,
            };
            Some(match without_value(other) {
                other if other == one => format!("'{one}' is given twice: leave one of the two out"),
                other => format!("'{one}' cannot be used with '{other}': leave one of the two out"),
            })
        }
        _ => None,
    }
}

/// The command that the arguments name, and how it is called.
fn named<'c>(root: &'c Command, arguments: &[String]) -> (String, &'c Command) {
    let (mut path, mut command) = (root.get_name().to_owned(), root);
    for argument in arguments {
        let Some(inner) = command.find_subcommand(argument) else {
            break;
        };
        path = format!("{path} {argument}");
        command = inner;
    }
    (path, command)
}

fn see_help(path: &str) -> String {
    format!("{path} --help lists what there is")
}

/// What is to be said of a number below zero, which looks like an option, behind an option that takes a value.
fn negative_number(number: &str, command: &Command, arguments: &[String]) -> Option<String> {
    number.strip_prefix('-')?.parse::<f64>().ok()?;
    let place = arguments.iter().position(|argument| argument == number)?;
    let before = arguments.get(place.checked_sub(1)?)?;
    let mut known = command.get_arguments();
    let option = known.find(|known| is_called(known, before) && known.get_action().takes_values())?;
    unfit_value(option, number)
}

/// What is to be said of a value that an option does not take.
fn unfit_value(option: &Arg, value: &str) -> Option<String> {
    let reason = whole::check(option, value).err()?;
    Some(format!(
        "'{value}' is not a value of '--{}': {reason}",
        option.get_long()?
    ))
}

/// Whether an option is typed so: `--workers` or `-w`.
fn is_called(option: &Arg, typed: &str) -> bool {
    let long = typed.strip_prefix("--");
    let short = typed.strip_prefix('-').filter(|short| short.chars().count() == 1);
    long.is_some_and(|long| option.get_long() == Some(long))
        || short.is_some_and(|short| short.chars().next() == option.get_short())
}

fn unknown_option(option: &str, path: &str, command: &Command, root: &Command) -> String {
    let option = option.split('=').next().unwrap_or_default();
    let meant = |what: &str| format!("unknown option '--{option}' of {path}: did you mean {what}?");
    let dashed = |known: &str| format!("'--{known}'");
    let here = nearest(option, options(command, root));
    if let Some(known) = here.filter(|known| distance(option, known) <= 1) {
        return meant(&dashed(known));
    }
    if let Some(known) = option_with_value(option, command) {
        return meant(&known);
    }
    let of_words: Vec<String> = options(command, root)
        .filter(|known| has_words(option, known))
        .map(dashed)
        .collect();
    if !of_words.is_empty() {
        return meant(&one_of(&of_words));
    }
    if let [first, rest @ ..] = commands_with(option, root).as_slice() {
        let others: String = rest.iter().map(|other| format!(", {other}")).collect();
        return format!("'--{option}' is an option of {first}{others}, not of {path}");
    }
    let of_near_words = || options(command, root).find(|known| has_near_word(option, known));
    if let Some(known) = here.or_else(of_near_words) {
        return meant(&dashed(known));
    }
    match nearest(option, options(root, root)) {
        Some(known) => meant(&format!("'{} --{known}'", root.get_name())),
        None => format!("unknown option '--{option}' of {path}: {}", see_help(path)),
    }
}

/// The option that has the name as one of its values: `'-f json'` for `--json`.
fn option_with_value(value: &str, command: &Command) -> Option<String> {
    let takes = |option: &&Arg| {
        let values = option.get_possible_values();
        option.get_action().takes_values() && values.iter().any(|known| known.get_name() == value)
    };
    let mut options = command.get_arguments().filter(|option| !option.is_hide_set());
    let option = options.find(takes)?;
    let long = option.get_long()?;
    Some(match option.get_short() {
        Some(short) => format!("'-{short} {value}' (--{long} {value})"),
        None => format!("'--{long} {value}'"),
    })
}

/// The long names of a command's options.
fn options<'c>(command: &'c Command, root: &'c Command) -> impl Iterator<Item = &'c str> {
    let shown = command.get_arguments().filter(|option| !option.is_hide_set());
    let own = shown.flat_map(|option| option.get_long_and_visible_aliases().unwrap_or_default());
    // (Clap adds these two to what it parses.)
    let version = std::ptr::eq(command, root).then_some("version");
    own.chain(["help"]).chain(version)
}

/// The commands that have an option of this name. (`run` has those of `build`.)
fn commands_with(option: &str, root: &Command) -> Vec<String> {
    let has = |known: &Arg| !known.is_hide_set() && known.get_long() == Some(option);
    let mut found = Vec::new();
    let mut open = vec![(root.get_name().to_owned(), root)];
    while let Some((path, command)) = open.pop() {
        let is_twin =
            command.get_name() == "run" && found.iter().any(|path: &String| path.ends_with(" build"));
        if command.get_arguments().any(has) && !is_twin {
            found.push(path.clone());
        }
        let inner: Vec<&Command> = command.get_subcommands().collect();
        let named = inner
            .into_iter()
            .rev()
            .map(|inner| (format!("{path} {}", inner.get_name()), inner));
        open.extend(named);
    }
    found
}

/// What is to be said of a command that nobody knows. `path` is how `command` is called, which has no such command.
pub(crate) fn unknown_command(name: &str, path: &str, command: &Command) -> String {
    let inner = |command: &Command| {
        let names = command.get_subcommands().map(|inner| inner.get_name().to_owned());
        names.collect::<Vec<_>>()
    };
    let known = inner(command);
    let has_help = !command.is_disable_help_subcommand_set();
    let known = known.iter().map(String::as_str).chain(has_help.then_some("help"));
    if let Some(known) = nearest(name, known) {
        return format!("unknown command '{name}': did you mean '{path} {known}'?");
    }
    if command.get_version().is_some() && nearest(name, ["version"]).is_some() {
        return format!("unknown command '{name}': did you mean '{path} --version'?");
    }
    let mut groups = command.get_subcommands();
    match groups.find(|group| inner(group).iter().any(|known| known == name)) {
        Some(group) => format!(
            "unknown command '{name}': did you mean '{path} {} {name}'?",
            group.get_name()
        ),
        None => format!("unknown command '{name}': {}", see_help(path)),
    }
}

/// What is to be said of a file that is not there where a command could stand, and whose name is near that of one.
pub(crate) fn meant_for_command(file: &Path, path: &[&str]) -> Option<String> {
    let name = file.to_str().filter(|name| !name.contains(['.', '/', '\\']))?;
    if file.exists() {
        return None;
    }
    let root = crate::args::Command::command();
    let command = path
        .iter()
        .try_fold(&root, |command, name| command.find_subcommand(name))?;
    let known = nearest(name, command.get_subcommands().map(Command::get_name))?;
    let path = path.join(" ");
    Some(format!(
        "there is no file '{name}': did you mean the command '{} {path} {known}'?",
        root.get_name()
    ))
}

/// The name of an option that clap calls `--format <FORMAT>`.
fn without_value(option: &str) -> &str {
    option.split([' ', '=', '[']).next().unwrap_or_default()
}

fn unknown_value(value: &str, option: &str, values: &[String]) -> String {
    let option = without_value(option);
    match nearest(value, values.iter().map(String::as_str)) {
        Some(known) => format!("'{value}' is not a value of '{option}': did you mean '{known}'?"),
        None => format!("'{value}' is not a value of '{option}': use {}", one_of(values)),
    }
}

/// `a, b or c`.
fn one_of(values: &[String]) -> String {
    match values {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(line: &str) -> String {
        let root = crate::args::Command::command();
        let arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let error = root
            .clone()
            .try_get_matches_from(["gleaner".to_owned()].iter().chain(&arguments))
            .unwrap_err();
        sentence(&error, &root, &arguments).unwrap_or_else(|| error.to_string())
    }

    #[test]
    fn the_nearest_option_is_named() {
        for (line, meant) in [
            ("build a --ouput b", "'--out'"),
            ("build a --output b", "'--out'"),
            ("build a --output=b", "'--out'"),
            ("build a --out b --wrokers 2", "'--workers'"),
            ("build a --out b --worker 2", "'--workers'"),
            ("build a --out b --notemplates", "'--no-templates'"),
            ("build a --out b --site_sample 2", "'--site-sample'"),
            ("build a --out b --max-pages 2", "'--max-page'"),
            ("run job.toml --bloks", "'--blocks'"),
            ("clean --formt json", "'--format'"),
            ("eval posts a --mises", "'--misses'"),
            ("templates mine a --tokens b", "'--token'"),
            ("clean --hlep", "'--help'"),
            ("--verson", "'--version'"),
            ("clean --verson", "'gleaner --version'"),
            ("build a --retries 3", "'--store-retries'"),
            ("build a --retry 3", "'--store-retries'"),
            (
                "build a --timeout 3",
                "'--store-timeout', '--connect-timeout' or '--peer-timeout'",
            ),
            ("build a --templates", "'--no-templates'"),
            ("clean --json", "'-f json' (--format json)"),
            ("build a --debug", "'--log-level debug'"),
        ] {
            let told = told(line);
            assert!(
                told.ends_with(&format!(": did you mean {meant}?")),
                "{line}: {told}"
            );
        }
    }

    #[test]
    fn options_of_other_commands_are_placed() {
        assert_eq!(
            told("clean --blocks"),
            "'--blocks' is an option of gleaner build, not of gleaner clean"
        );
        assert_eq!(
            told("build a --out b --misses"),
            "'--misses' is an option of gleaner eval posts, not of gleaner build"
        );
        assert_eq!(
            told("posts --model x"),
            "'--model' is an option of gleaner build, gleaner clean, gleaner eval, gleaner eval sites, gleaner eval agreement, gleaner \
             features, gleaner annotate, not of gleaner posts"
        );
    }

    #[test]
    fn nothing_is_suggested_where_nothing_is_near() {
        assert_eq!(
            told("clean --frobnicate"),
            "unknown option '--frobnicate' of gleaner clean: gleaner clean --help lists what there is"
        );
        assert_eq!(
            told("clean -X"),
            "unknown option '-X' of gleaner clean: gleaner clean --help lists what there is"
        );
        assert_eq!(
            told("model show a b"),
            "'b' is an argument too many: gleaner model show --help lists what there is"
        );
        assert_eq!(
            told("serve"),
            "unknown command 'serve': gleaner --help lists what there is"
        );
    }

    #[test]
    fn commands_and_values_are_mended() {
        assert_eq!(
            told("buld"),
            "unknown command 'buld': did you mean 'gleaner build'?"
        );
        for (typed, meant) in [
            ("helo", "gleaner help"),
            ("hlep", "gleaner help"),
            ("version", "gleaner --version"),
            ("templates halp", "gleaner templates help"),
        ] {
            let told = told(typed);
            assert!(told.ends_with(&format!(": did you mean '{meant}'?")), "{told}");
        }
        assert_eq!(
            told("templates aply"),
            "unknown command 'aply': did you mean 'gleaner templates apply'?"
        );
        assert_eq!(
            told("mine"),
            "unknown command 'mine': did you mean 'gleaner templates mine'?"
        );
        assert_eq!(
            told("posts --format jsn"),
            "'jsn' is not a value of '--format': did you mean 'json'?"
        );
        assert_eq!(
            told("posts --format yaml"),
            "'yaml' is not a value of '--format': use text, json or xml"
        );
    }

    #[test]
    fn numbers_out_of_range_are_answered_with_the_range() {
        for (line, said) in [
            (
                "build a -o b --limit -3",
                "'-3' is not a value of '--limit': use a whole number of 1 or more",
            ),
            (
                "build a -o b --limit 0",
                "'0' is not a value of '--limit': use a whole number of 1 or more",
            ),
            (
                "build a -o b -w -1",
                "'-1' is not a value of '--workers': use a whole number from 1 to 512",
            ),
            (
                "build a -o b --workers x",
                "'x' is not a value of '--workers': use a whole number from 1 to 512",
            ),
            (
                "run j --workers -5",
                "'-5' is not a value of '--workers': use a whole number from 1 to 512",
            ),
            (
                "templates apply a b --gap -1",
                "'-1' is not a value of '--gap': use a whole number of 0 or more",
            ),
            (
                "train --tree a --seed=-1",
                "'-1' is not a value of '--seed': use a whole number of 0 or more",
            ),
            (
                "train --tree a --seed -1",
                "'-1' is not a value of '--seed': use a whole number of 0 or more",
            ),
        ] {
            assert_eq!(told(line), said, "{line}");
        }
        assert!(told("clean -3").starts_with("unknown option '-3' of gleaner clean: "));
    }

    #[test]
    fn a_missing_file_may_be_meant_for_a_command() {
        let said = |name: &str| meant_for_command(Path::new(name), &["eval"]);
        assert_eq!(
            said("agreemnt").as_deref(),
            Some("there is no file 'agreemnt': did you mean the command 'gleaner eval agreement'?")
        );
        assert!(said("post").is_some_and(|said| said.contains("'gleaner eval posts'")));
        for file in ["posts.gold.jsonl", "./post", "frobnicate"] {
            assert_eq!(said(file), None, "{file}");
        }
    }

    #[test]
    fn options_that_exclude_each_other_are_named() {
        assert_eq!(
            told("clean --no-query --query a"),
            "'--no-query' cannot be used with '--query': leave one of the two out"
        );
        assert_eq!(
            told("posts --format json --format xml"),
            "'--format' is given twice: leave one of the two out"
        );
    }
}
