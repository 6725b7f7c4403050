//! The options of a build as keywords: their names and types follow from the command's.

use std::ffi::{OsStr, OsString};

use clap::{CommandFactory, FromArgMatches};

use super::names::in_python;
use crate::args::nearest::nearest;
use crate::args::whole_number::reason;
use crate::args::{Action, Build, Command};
use crate::misuse::no_effect;
use crate::run::settings::{Setting, ValueKind, build_settings};

/// Options of the command that only say what it prints.
const OF_COMMAND: [&str; 4] = ["json", "log", "log_level", "status"];

/// Options that a call has as arguments of their own.
const ARGUMENTS: [&str; 2] = ["inputs", "out"];

/// An option of a build.
#[derive(Clone, Debug)]
pub struct OptionInfo {
    /// Its name: `part_size`.
    pub name: String,
    /// What it takes.
    pub kind: OptionKind,
}

/// What an option takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// Yes or no
    Flag,
    /// A whole number
    Whole,
    /// A number
    Real,
    /// Bytes: a whole number, or a text such as `64MiB`
    Size,
    /// One of these texts
    Choice(Vec<String>),
    /// A text, or a path
    Text,
    /// Texts
    Texts,
}

/// A value, by its type in the calling program.
#[derive(Clone, Debug)]
pub enum Value {
    /// Yes or no
    Flag(bool),
    /// A whole number, as it is written
    Whole(String),
    /// A number with a fraction
    Real(f64),
    /// A text or a path
    Text(OsString),
    /// Several of them
    Texts(Vec<OsString>),
}

/// What is wrong with options.
#[derive(Clone, Debug)]
pub enum OptionFault {
    /// An option that is not known, or a value that it cannot have.
    Value(String),
    /// A value of another type.
    Type {
        /// The option.
        name: String,
        /// What it takes.
        kind: OptionKind,
    },
}

/// The options of a build, in the order of the command's help.
pub fn build_options() -> Vec<OptionInfo> {
    let options = settings().map(|setting| OptionInfo {
        kind: kind(&setting),
        name: setting.key,
    });
    options.collect()
}

fn settings() -> impl Iterator<Item = Setting> {
    let is_keyword = |setting: &Setting| {
        let key = setting.key.as_str();
        !OF_COMMAND.contains(&key) && !ARGUMENTS.contains(&key)
    };
    build_settings().filter(is_keyword)
}

fn kind(setting: &Setting) -> OptionKind {
    match &setting.kind {
        ValueKind::Flag => OptionKind::Flag,
        ValueKind::Number => OptionKind::Whole,
        ValueKind::Real => OptionKind::Real,
        ValueKind::Size => OptionKind::Size,
        ValueKind::Choice(choices) => OptionKind::Choice(choices.clone()),
        ValueKind::Text => OptionKind::Text,
        ValueKind::Texts => OptionKind::Texts,
    }
}

/// A build whose options are checked.
#[derive(Debug)]
pub struct BuildJob(pub(super) Build);

impl BuildJob {
    /// A build of these inputs. Options that are not given have the defaults of the command.
    ///
    /// # Errors
    /// An option is not known, has a value that it cannot have, or does not go with another one.
    pub fn new(
        inputs: Vec<OsString>,
        out: &OsStr,
        options: Vec<(String, Value)>,
    ) -> Result<BuildJob, OptionFault> {
        let settings: Vec<Setting> = settings().collect();
        let mut arguments: Vec<OsString> = vec!["gleaner".into(), "build".into(), joined("--out", out)];
        for (name, value) in options {
            let known = settings.iter().find(|setting| setting.key == name);
            let setting = known.ok_or_else(|| unknown(&name, &settings))?;
            arguments.extend(words(setting, value)?);
        }
        arguments.push("--".into());
        arguments.extend(inputs);
        match parse(arguments)? {
            Action::Build(build) => Ok(BuildJob(build)),
            other => unreachable!("the arguments begin with the name of another command: {other:?}"),
        }
    }
}

fn unknown(name: &str, settings: &[Setting]) -> OptionFault {
    let known = || settings.iter().map(|setting| setting.key.as_str());
    OptionFault::Value(match nearest(name, known()) {
        Some(meant) => format!("unknown option '{name}' of a build: did you mean '{meant}'?"),
        None if OF_COMMAND.contains(&name) => {
            format!("'{name}' is an option of the command alone: it says what the command prints")
        }
        None => format!(
            "unknown option '{name}' of a build: its options are {}",
            known().collect::<Vec<_>>().join(", ")
        ),
    })
}

/// An option as it is typed, with its value.
fn words(setting: &Setting, value: Value) -> Result<Vec<OsString>, OptionFault> {
    let values = match (&setting.kind, value) {
        (ValueKind::Flag, Value::Flag(true)) => return Ok(vec![setting.flag().into()]),
        (ValueKind::Flag, Value::Flag(false)) => return Ok(Vec::new()),
        (ValueKind::Number | ValueKind::Size | ValueKind::Real, Value::Whole(number)) => vec![number.into()],
        (ValueKind::Real, Value::Real(number)) => vec![number.to_string().into()],
        (ValueKind::Size | ValueKind::Choice(_) | ValueKind::Text | ValueKind::Texts, Value::Text(text)) => {
            vec![text]
        }
        (ValueKind::Texts, Value::Texts(texts)) => texts,
        _ => {
            return Err(OptionFault::Type {
                name: setting.key.clone(),
                kind: kind(setting),
            });
        }
    };
    for value in &values {
        check(setting, value)?;
    }
    Ok(values
        .iter()
        .map(|value| joined(&setting.flag(), value))
        .collect())
}

pub(super) fn joined(option: &str, value: &OsStr) -> OsString {
    let mut word = OsString::from(option);
    word.push("=");
    word.push(value);
    word
}

/// Whether a setting takes a value.
pub(super) fn check(setting: &Setting, value: &OsStr) -> Result<(), OptionFault> {
    // (Only paths need not be UTF-8, and any path is one.)
    let Some(text) = value.to_str() else {
        return Ok(());
    };
    let Err(reason) = setting.check(text) else {
        return Ok(());
    };
    let key = &setting.key;
    Err(OptionFault::Value(match &setting.kind {
        ValueKind::Choice(choices) => {
            let meant = nearest(text, choices.iter().map(String::as_str));
            let mend = meant.map_or_else(String::new, |meant| format!(": did you mean '{meant}'?"));
            format!("'{key}' is one of {}, not '{text}'{mend}", choices.join(", "))
        }
        _ => format!("'{key}' cannot be '{text}': {reason}"),
    }))
}

/// The command that arguments make.
pub(super) fn parse(arguments: Vec<OsString>) -> Result<Action, OptionFault> {
    let refused = |error: clap::Error| OptionFault::Value(in_python(&reason(&error)));
    let matches = Command::command()
        .try_get_matches_from(arguments)
        .map_err(refused)?;
    no_effect::check(&matches, &|option| format!("'{option}'"))
        .map_err(|error| OptionFault::Value(in_python(&error.to_string())))?;
    Ok(Command::from_arg_matches(&matches).map_err(refused)?.action)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(options: &[(&str, Value)]) -> String {
        let options = options
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()));
        match BuildJob::new(vec!["a".into()], OsStr::new("b"), options.collect()) {
            Err(OptionFault::Value(sentence)) => sentence,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn options_are_those_of_the_command_in_python() {
        let names: Vec<String> = build_options().into_iter().map(|option| option.name).collect();
        for name in ["workers", "part_size", "dry_run", "force", "metrics", "hosts"] {
            assert!(names.iter().any(|known| known == name), "{name}");
        }
        for name in ["json", "log", "inputs", "out"] {
            assert!(!names.iter().any(|known| known == name), "{name}");
        }
    }

    #[test]
    fn wrong_options_are_named_with_the_mend() {
        let whole = |number: &str| Value::Whole(number.to_owned());
        let text = |text: &str| Value::Text(text.into());
        for (options, sentence) in [
            (
                &[("wrokers", whole("2"))][..],
                "unknown option 'wrokers' of a build: did you mean 'workers'?",
            ),
            (
                &[("workers", whole("0"))],
                "'workers' cannot be '0': use a whole number from 1 to 512",
            ),
            (
                &[("site", text("hots"))],
                "'site' is one of host, domain, not 'hots': did you mean 'host'?",
            ),
            (
                &[("links", text("inline"))],
                "the following required arguments were not provided: markdown=True",
            ),
            (
                &[("base_url", text("https://a.example/"))],
                "'base_url' has no effect without an @LIST file among the inputs: name one, or leave it out",
            ),
        ] {
            assert_eq!(refused(options), sentence);
        }
        let options = vec![("workers".to_owned(), text("2"))];
        let fault = BuildJob::new(vec!["a".into()], OsStr::new("b"), options).unwrap_err();
        assert!(matches!(fault, OptionFault::Type { name, kind: OptionKind::Whole } if name == "workers"));
    }
}
