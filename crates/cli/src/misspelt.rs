//! Mends for command lines that clap's own words do not name: the nearest option or command, and numbers below zero.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error};

use crate::nearest::nearest;
use crate::whole;

/// The message for an error of the command line; none where clap's own words do.
pub(crate) fn sentence(error: &Error, root: &Command, arguments: &[String]) -> Option<String> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let (path, command) = named(root, arguments);
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let argument = text(ContextKind::InvalidArg)?;
            negative_number(argument, command, arguments).or_else(|| unknown_option(argument, &path, command))
        }
        ErrorKind::InvalidSubcommand => {
            let name = text(ContextKind::InvalidSubcommand)?;
            Some(unknown_command(name, &path, command))
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

/// A number below zero looks like an option behind an option that takes a value.
fn negative_number(number: &str, command: &Command, arguments: &[String]) -> Option<String> {
    number.strip_prefix('-')?.parse::<f64>().ok()?;
    let place = arguments.iter().position(|argument| argument == number)?;
    let before = arguments.get(place.checked_sub(1)?)?;
    let mut known = command.get_arguments();
    let option = known.find(|known| is_called(known, before) && known.get_action().takes_values())?;
    let reason = whole::check(option, number).err()?;
    Some(format!(
        "'{number}' is not a value of '--{}': {reason}",
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

/// The nearest option: clap finds none for `--ouput`.
fn unknown_option(argument: &str, path: &str, command: &Command) -> Option<String> {
    let option = argument.strip_prefix("--")?.split('=').next()?;
    let shown = command.get_arguments().filter(|option| !option.is_hide_set());
    let names = shown.flat_map(|option| option.get_long_and_visible_aliases().unwrap_or_default());
    let known = nearest(option, names.chain(["help"]))?;
    Some(format!(
        "unknown option '--{option}' of {path}: did you mean '--{known}'?"
    ))
}

/// The message for a command that is not known. `path` is how `command` is called, which has no such command.
pub(crate) fn unknown_command(name: &str, path: &str, command: &Command) -> String {
    let inner = |command: &Command| -> Vec<String> {
        let names = command.get_subcommands().map(|inner| inner.get_name().to_owned());
        names.collect()
    };
    if let Some(known) = nearest(name, inner(command).iter().map(String::as_str)) {
        return format!("unknown command '{name}': did you mean '{path} {known}'?");
    }
    let mut groups = command.get_subcommands();
    match groups.find(|group| inner(group).iter().any(|known| known == name)) {
        Some(group) => format!(
            "unknown command '{name}': did you mean '{path} {} {name}'?",
            group.get_name()
        ),
        None => format!("unknown command '{name}': {path} --help lists the commands"),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn message(line: &str) -> String {
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
            ("build a --output=b", "'--out'"),
            ("build a --out b --wrokers 2", "'--workers'"),
            ("build a --out b --site_sample 2", "'--site-sample'"),
            ("run job.toml --bloks", "'--blocks'"),
            ("eval posts a --mises", "'--misses'"),
            ("clean --hlep", "'--help'"),
        ] {
            let message = message(line);
            assert!(
                message.ends_with(&format!(": did you mean {meant}?")),
                "{line}: {message}"
            );
        }
        assert!(message("clean --frobnicate").contains("unexpected argument '--frobnicate' found"));
    }

    #[test]
    fn commands_are_mended() {
        for (typed, meant) in [
            ("buld", "gleaner build"),
            ("templates aply", "gleaner templates apply"),
            ("mine", "gleaner templates mine"),
        ] {
            let message = message(typed);
            assert!(
                message.ends_with(&format!(": did you mean '{meant}'?")),
                "{message}"
            );
        }
        assert_eq!(
            message("serve"),
            "unknown command 'serve': gleaner --help lists the commands"
        );
    }

    #[test]
    fn numbers_below_zero_are_answered_with_the_range() {
        assert_eq!(
            message("build a -o b --limit -3"),
            "'-3' is not a value of '--limit': use a whole number of 1 or more"
        );
        assert_eq!(
            message("run j --workers -5"),
            "'-5' is not a value of '--workers': use a whole number from 1 to 512"
        );
    }
}
