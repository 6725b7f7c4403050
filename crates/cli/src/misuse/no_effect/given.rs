//! What the command line of a command says.

use clap::ArgMatches;
use clap::parser::ValueSource;

/// What the command line of a command says.
pub(super) struct Given<'a> {
    pub(super) command: &'a clap::Command,
    pub(super) matches: &'a ArgMatches,
}

impl Given<'_> {
    /// Whether an option was typed, with another value than it has by default: that one does no harm.
    pub(super) fn has(&self, option: &str) -> bool {
        self.matches.value_source(option) == Some(ValueSource::CommandLine) && !self.is_as_by_default(option)
    }

    fn is_as_by_default(&self, option: &str) -> bool {
        let mut options = self.command.get_arguments();
        let known = options.find(|known| known.get_id() == option);
        let default = known.map_or(&[][..], |known| known.get_default_values());
        let default: Vec<_> = default.iter().map(|value| value.to_string_lossy()).collect();
        // (The value of a list is taken apart at its commas.)
        !default.is_empty() && default.join(",") == self.values(option).collect::<Vec<_>>().join(",")
    }

    /// Whether an option has this value, typed or by default.
    pub(super) fn is(&self, option: &str, value: &str) -> bool {
        self.values(option).any(|given| given == value)
    }

    /// The values of an option, as they were typed or as they are by default.
    pub(super) fn values(&self, option: &str) -> impl Iterator<Item = String> {
        let values = self.matches.get_raw(option).into_iter().flatten();
        values.map(|value| value.to_string_lossy().into_owned())
    }
}
