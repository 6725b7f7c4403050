//! What a job file can set: the options of `gleaner build` or `gleaner crawl`, as clap knows them.

use std::any::TypeId;
use std::time::Duration;

use clap::{Arg, ArgAction};

use crate::args::{build_options, crawl_options, export_options, whole_number};

/// Options that are of one run, not of a job: a file that said `force` would begin again and again, and one that said
/// `dry_run` would never build.
const TYPED_ONLY: [&str; 2] = ["force", "dry_run"];

pub(crate) struct Setting {
    option: Arg,
    /// The name in job files.
    pub(crate) key: String,
    /// The table it stands in, named as the group of options is in the help.
    pub(crate) table: Option<String>,
    pub(crate) kind: ValueKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// true or false
    Flag,
    /// A whole number
    Number,
    /// A number, with a fraction or without
    Real,
    /// Bytes, as people write them: a string, or a number
    Size,
    /// One of these strings
    Choice(Vec<String>),
    /// Any string
    Text,
    /// Strings
    Texts,
}

/// All settings, in the order of the help.
pub(crate) fn settings() -> Vec<Setting> {
    build_settings()
        .filter(|setting| !is_typed_only(setting.id()))
        .collect()
}

/// The settings of a build and those of one run, in the order of the help.
pub(crate) fn build_settings() -> impl Iterator<Item = Setting> {
    build_options().map(Setting::of)
}

/// The settings of a crawl, in the order of the help.
pub(crate) fn crawl_settings() -> Vec<Setting> {
    crawl_options().map(Setting::of).collect()
}

/// The options of an export.
pub(crate) fn export_settings() -> impl Iterator<Item = Setting> {
    export_options().map(Setting::of)
}

/// The name of an option that stands on command lines only.
pub(crate) fn is_typed_only(key: &str) -> bool {
    TYPED_ONLY.contains(&key)
}

impl Setting {
    fn of(option: Arg) -> Setting {
        Setting {
            key: option.get_id().as_str().replace('-', "_"),
            table: option.get_help_heading().map(table),
            kind: kind(&option),
            option,
        }
    }

    /// The name that clap has for it.
    pub(crate) fn id(&self) -> &str {
        self.option.get_id().as_str()
    }

    /// Whether a key of a job file means it: its own name, or another one of its option.
    pub(crate) fn is_called(&self, key: &str) -> bool {
        let others = self.option.get_visible_aliases().unwrap_or_default();
        self.key == key || others.iter().any(|name| name.replace('-', "_") == key)
    }

    /// Table and key, as in `limits.max_record`.
    pub(crate) fn path(&self) -> String {
        match &self.table {
            Some(table) => format!("{table}.{}", self.key),
            None => self.key.clone(),
        }
    }

    /// As it is typed, without its value: `--out`.
    pub(crate) fn flag(&self) -> String {
        match self.option.get_long() {
            Some(long) => format!("--{long}"),
            None => self.value_name(),
        }
    }

    pub(crate) fn value_name(&self) -> String {
        let names = self.option.get_value_names().unwrap_or_default();
        names.first().map(ToString::to_string).unwrap_or_default()
    }

    /// Whether it is typed without a name.
    pub(crate) fn is_positional(&self) -> bool {
        self.option.is_positional()
    }

    pub(crate) fn is_required(&self) -> bool {
        self.option.is_required_set()
    }

    /// Its default; empty where the program finds a value.
    pub(crate) fn default(&self) -> Vec<String> {
        let defaults = self.option.get_default_values().iter();
        match self.kind {
            ValueKind::Flag => vec!["false".to_owned()],
            _ => defaults
                .map(|value| value.to_string_lossy().into_owned())
                .collect(),
        }
    }

    /// How the help puts what the program finds by itself: `one a core`.
    pub(crate) fn default_text(&self) -> Option<String> {
        let help = self.help();
        let (_, default) = help.split_once("[default: ")?;
        Some(default.trim_end_matches(']').to_owned())
    }

    pub(crate) fn help(&self) -> String {
        self.option
            .get_help()
            .map(ToString::to_string)
            .unwrap_or_default()
    }

    pub(crate) fn arguments(&self, values: &[String]) -> Vec<String> {
        match self.kind {
            ValueKind::Flag if values == ["true"] => vec![self.flag()],
            ValueKind::Flag => Vec::new(),
            _ if self.is_positional() => values.to_vec(),
            _ => values
                .iter()
                .map(|value| format!("{}={value}", self.flag()))
                .collect(),
        }
    }

    /// Whether the option takes the value, by its own parser; else what that says against it.
    pub(crate) fn check(&self, value: &str) -> Result<(), String> {
        whole_number::check(&self.option, value)
    }

    /// The least and the largest whole number that it takes.
    pub(crate) fn bounds(&self) -> (u64, u64) {
        whole_number::bounds(&self.option)
    }
}

fn table(heading: &str) -> String {
    heading.to_lowercase().replace([' ', '-'], "_")
}

fn kind(option: &Arg) -> ValueKind {
    let choices: Vec<String> = option
        .get_possible_values()
        .iter()
        .map(|value| value.get_name().to_owned())
        .collect();
    match option.get_action() {
        ArgAction::SetTrue => ValueKind::Flag,
        ArgAction::Append => ValueKind::Texts,
        _ if !choices.is_empty() => ValueKind::Choice(choices),
        _ if whole_number::is_size(option) => ValueKind::Size,
        _ if whole_number::is_whole(option) => ValueKind::Number,
        _ if is_real(option) => ValueKind::Real,
        _ => ValueKind::Text,
    }
}

/// Durations are typed as seconds.
fn is_real(option: &Arg) -> bool {
    let of = option.get_value_parser().type_id();
    of == TypeId::of::<f64>() || of == TypeId::of::<Duration>()
}
