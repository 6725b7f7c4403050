//! What is wrong with a command line, in a sentence: options, commands and values that nobody knows, with the nearest that is
//! known, and options that exclude each other.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error};

use crate::nearest::{distance, nearest};

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

fn unknown_option(option: &str, path: &str, command: &Command, root: &Command) -> String {
    let option = option.split('=').next().unwrap_or_default();
    let here = nearest(option, options(command));
    let is_slip = here.is_some_and(|known| distance(option, known) <= 1);
    let others = match is_slip {
        true => Vec::new(),
        false => commands_with(option, root),
    };
    match (here, others.as_slice()) {
        (_, [first, rest @ ..]) => {
            let others: String = rest.iter().map(|other| format!(", {other}")).collect();
            format!("'--{option}' is an option of {first}{others}, not of {path}")
        }
        (Some(known), []) => format!("unknown option '--{option}' of {path}: did you mean '--{known}'?"),
        (None, []) => format!("unknown option '--{option}' of {path}: {}", see_help(path)),
    }
}

/// The long names of a command's options.
fn options(command: &Command) -> impl Iterator<Item = &str> {
    let shown = command.get_arguments().filter(|option| !option.is_hide_set());
    shown.flat_map(|option| option.get_long_and_visible_aliases().unwrap_or_default())
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
    if let Some(known) = nearest(name, known.iter().map(String::as_str)) {
        return format!("unknown command '{name}': did you mean '{path} {known}'?");
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
    use clap::CommandFactory;

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
            ("build a --out b --template_sample 2", "'--template-sample'"),
            ("build a --out b --max-pages 2", "'--max-page'"),
            ("run job.toml --bloks", "'--blocks'"),
            ("clean --formt json", "'--format'"),
            ("eval posts a --mises", "'--misses'"),
            ("templates mine a --tokens b", "'--token'"),
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
