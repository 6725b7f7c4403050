//! Mends for command lines that clap's own words do not name: the nearest option or command, and numbers below zero.

pub(crate) mod no_effect;

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory, Error};
use gleaner_store::scrubbed;

use crate::args;
use crate::args::nearest::nearest;
use crate::args::whole_number;
use crate::terminal::console::complain;
use crate::terminal::plain;

/// Says what is wrong with the arguments; or writes the help, which was asked for. Returns the exit status.
pub(crate) fn misuse(error: &clap::Error, arguments: &[OsString]) -> u8 {
    let arguments: Vec<String> = arguments
        .iter()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    if let Some(sentence) = sentence(error, &args::Command::command(), &arguments) {
        complain(&plain::line(&scrubbed(&sentence)));
    } else if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        drop(error.print());
    } else if error.use_stderr() {
        // (To leave the styles out would leave out what looks like a style in an argument, and hide the argument.)
        let text = error.render().ansi().to_string();
        let text = fit_arguments(&text, &arguments);
        complain(text.trim_start_matches("error: ").trim_end());
    } else {
        drop(error.print());
    }
    u8::try_from(error.exit_code()).unwrap_or(1)
}

/// A message about arguments in which they are fit, and without credentials.
fn fit_arguments(message: &str, arguments: &[String]) -> String {
    let mut message = message.to_owned();
    for argument in arguments {
        // A message has an option or its value.
        let value = argument.split_once('=').map(|(_, value)| value);
        for part in [Some(argument.as_str()), value].into_iter().flatten() {
            let fit = plain::line(part);
            if fit != part {
                message = message.replace(part, &fit);
            }
        }
    }
    plain::text(&scrubbed(&without_styles(&message))).into_owned()
}

fn without_styles(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |made, part| {
        made + part.split_once('m').map_or(part, |(_, after)| after)
    })
}

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
    let reason = whole_number::check(option, number).err()?;
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
            message("paint"),
            "unknown command 'paint': gleaner --help lists the commands"
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

    #[test]
    fn arguments_in_messages_are_fit() {
        let arguments = ["--ou\nt", "--x=a\nb\u{1b}", "https://me:pass@h/?sig=5", "ok"];
        let message =
            "unexpected '\u{1b}[33m--ou\nt\u{1b}[0m'\n\n  value 'a\nb\u{1b}' of 'https://me:pass@h/?sig=5'\n";
        let fit = fit_arguments(message, &arguments.map(str::to_owned));
        assert_eq!(
            fit,
            "unexpected '--ou\u{fffd}t'\n\n  value 'a\u{fffd}b\u{fffd}' of 'https://h/'\n"
        );
    }
}
