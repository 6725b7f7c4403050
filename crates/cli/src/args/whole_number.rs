//! Options that take a whole number: which numbers their own parsers take, in plain words.

use std::any::TypeId;
use std::error::Error;

use clap::{Arg, Command};

use crate::args::by_itself;

/// Whether an option takes a whole number.
pub(crate) fn is_whole(option: &Arg) -> bool {
    let of = option.get_value_parser().type_id();
    let types = [
        TypeId::of::<u8>(),
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<usize>(),
    ];
    types.iter().any(|known| of == *known)
}

/// Whether an option takes a value, by its own parser; else what to do instead.
pub(crate) fn check(option: &Arg, value: &str) -> Result<(), String> {
    parsed(option, value).map_err(|error| match is_whole(option) && !is_size(option) {
        true => wanted(option),
        false => reason(&error),
    })
}

/// What an error of clap's says, without the advice that follows.
pub(crate) fn reason(error: &clap::Error) -> String {
    if let Some(source) = error.source() {
        return source.to_string();
    }
    let text = error.to_string();
    let sentence = text.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = sentence.split_ascii_whitespace().collect();
    words.join(" ").trim_start_matches("error: ").to_owned()
}

/// `use a whole number from 1 to 512`.
fn wanted(option: &Arg) -> String {
    match bounds(option) {
        (least, MOST) => format!("use a whole number of {least} or more"),
        (least, most) => format!("use a whole number from {least} to {most}"),
    }
}

/// The largest number that all programs read in JSON: what is beyond it is without bound here.
const MOST: u64 = (1 << 53) - 1;

/// The least and the largest number that the option's own parser takes, which alone knows them.
pub(crate) fn bounds(option: &Arg) -> (u64, u64) {
    let takes = |number: u64| parsed(option, &number.to_string()).is_ok();
    // No option of ours begins later.
    let least = (0..=16).find(|number| takes(*number)).unwrap_or(16);
    // All numbers up to the largest are taken, and none beyond it.
    let (mut taken, mut refused) = (least, MOST + 1);
    while refused - taken > 1 {
        let middle = taken + (refused - taken) / 2;
        if takes(middle) {
            taken = middle;
        } else {
            refused = middle;
        }
    }
    (least, taken)
}

/// Whether it takes bytes as people write them: `64MiB`.
pub(crate) fn is_size(option: &Arg) -> bool {
    let names = option.get_value_names().unwrap_or_default();
    names.iter().any(|name| name.as_str() == "SIZE")
}

fn parsed(option: &Arg, value: &str) -> Result<(), clap::Error> {
    let typed = match option.get_long() {
        None => vec!["--".to_owned(), value.to_owned()],
        Some(long) => vec![format!("--{long}={value}")],
    };
    let command = Command::new("job")
        .no_binary_name(true)
        .arg(by_itself(option.clone()));
    command.try_get_matches_from(typed).map(drop)
}

#[cfg(test)]
mod tests {
    use clap::value_parser;

    use super::*;

    #[test]
    fn allowed_numbers_are_described_in_words() {
        let option = |parser: clap::builder::ValueParser| Arg::new("n").long("n").value_parser(parser);
        let from_one = option(value_parser!(u64).range(1..).into());
        let from_sixteen = option(value_parser!(u64).range(16..).into());
        let few = option(value_parser!(u16).range(2..=100).into());
        let any = option(value_parser!(u16).into());
        for (option, value, said) in [
            (&from_one, "0", "use a whole number of 1 or more"),
            (&from_one, "-3", "use a whole number of 1 or more"),
            (&from_one, "x", "use a whole number of 1 or more"),
            (&from_sixteen, "4", "use a whole number of 16 or more"),
            (&few, "101", "use a whole number from 2 to 100"),
            (&few, "1.5", "use a whole number from 2 to 100"),
            (&any, "-1", "use a whole number from 0 to 65535"),
        ] {
            assert_eq!(check(option, value).unwrap_err(), said, "{value}");
        }
        for (option, value) in [(&from_one, "1"), (&few, "100"), (&any, "0")] {
            assert_eq!(check(option, value), Ok(()), "{value}");
        }
    }
}
