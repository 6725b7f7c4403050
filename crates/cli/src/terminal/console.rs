//! The two streams of a terminal program: results on standard output, the rest on standard error.
//!
//! Names and pages come from elsewhere. Standard error shows no control characters and no credentials of URLs. Results are
//! unchanged where another program reads them; a terminal gets no control characters.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use gleaner_store::scrubbed;
use indicatif::ProgressBar;
use parking_lot::Mutex;
use serde::Serialize;

use crate::terminal::plain;

/// Writes a result. A closed pipe is an error here and a clean end in `main`.
pub(crate) fn out(text: &str) -> io::Result<()> {
    match io::stdout().is_terminal() {
        true => write_out(plain::text(text).as_bytes()),
        false => write_out(text.as_bytes()),
    }
}

/// Writes a result: as JSON, or in words.
pub(crate) fn out_as(
    json: bool,
    result: &impl Serialize,
    words: impl FnOnce() -> String,
) -> anyhow::Result<()> {
    let text = match json {
        true => serde_json::to_string_pretty(result)? + "\n",
        false => words(),
    };
    Ok(out(&text)?)
}

/// Writes a result that is drawn in colours; what comes from elsewhere in it was made fit.
pub(crate) fn out_drawn(text: &str) -> io::Result<()> {
    write_out(text.as_bytes())
}

pub(crate) fn out_bytes(bytes: &[u8]) -> io::Result<()> {
    match io::stdout().is_terminal() {
        true => write_out(plain::text(&String::from_utf8_lossy(bytes)).as_bytes()),
        false => write_out(bytes),
    }
}

/// Writes to standard output, to the last byte: what is left to the end of the process fails unseen.
fn write_out(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
    written.map_err(|error| {
        let sentence = format!("could not write to standard output: {error}");
        io::Error::new(error.kind(), sentence)
    })
}

static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Draws this bar from now on, or none. Messages stand above it.
pub(crate) fn set_bar(bar: Option<ProgressBar>) {
    *BAR.lock() = bar;
}

/// Writes to standard error. A bar is taken away meanwhile, and drawn again below.
fn write_error(text: &str) {
    let write = || drop(io::stderr().lock().write_all(text.as_bytes()));
    match &*BAR.lock() {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

static LOGS: AtomicBool = AtomicBool::new(false);

pub(crate) fn logs() -> bool {
    LOGS.load(Relaxed)
}

/// Makes all messages lines from now on, as they are at the beginning of a process.
pub(crate) fn no_log() {
    LOGS.store(false, Relaxed);
}

/// Makes all messages events of the log from now on.
pub(crate) fn log() {
    LOGS.store(true, Relaxed);
}

/// Takes messages of one line.
pub(crate) type Say = Arc<dyn Fn(&str) + Send + Sync>;

/// Prints a message of one line. A message that cannot be written is no reason to stop.
pub(crate) fn say(line: &str) {
    print(&scrubbed(line), plain::line);
}

/// Prints a message unless it was printed before.
pub(crate) fn say_once(line: &str) {
    static PRINTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut printed = PRINTED.lock();
    if printed.insert(line.to_owned()) {
        say(line);
    }
}

/// Prints several lines, in which text from elsewhere was made fit.
pub(crate) fn say_lines(text: &str) {
    print(&scrubbed(text), plain::text);
}

/// (The log makes it fit by itself, in its own way.)
fn print(text: &str, fit: fn(&str) -> Cow<'_, str>) {
    if LOGS.load(Relaxed) {
        return tracing::info!(text, "said");
    }
    write_error(&format!("{}\n", fit(text)));
}

/// An error and its causes in one sentence.
pub(crate) fn sentence(chain: anyhow::Chain<'_>) -> String {
    let mut text = String::new();
    for cause in chain {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            let separator = if text.is_empty() { "" } else { ": " };
            text.push_str(separator);
            text.push_str(&cause);
        }
    }
    text
}

pub(crate) fn error(error: &anyhow::Error) {
    let text = sentence(error.chain());
    let text = scrubbed(&text);
    if LOGS.load(Relaxed) {
        return tracing::error!(error = &*text, "failed");
    }
    let lines = error
        .chain()
        .find_map(lines)
        .filter(|lines| text.ends_with(lines.as_str()));
    let (sentence, lines) = text.split_at(text.len() - lines.map_or(0, |lines| lines.len()));
    complain(&format!("{}{}", plain::line(sentence), plain::text(lines)));
}

/// An error of several lines; what comes from elsewhere in them was made fit.
#[derive(Debug)]
pub(crate) struct Lines(pub(crate) String);

impl std::fmt::Display for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Lines {}

/// The lines of a cause that has lines: [`Lines`], and what TOML's reader says, which shows the place.
fn lines(cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    let own = cause.downcast_ref::<Lines>().map(ToString::to_string);
    let toml = || cause.downcast_ref::<toml::de::Error>().map(ToString::to_string);
    let boxed = || {
        cause
            .downcast_ref::<Box<toml::de::Error>>()
            .map(ToString::to_string)
    };
    own.or_else(toml).or_else(boxed)
}

/// Writes an error, after its label.
pub(crate) fn complain(text: &str) {
    let label = if colours(io::stderr().is_terminal()) {
        "\x1b[1;31merror\x1b[0m"
    } else {
        "error"
    };
    write_error(&format!("{label}: {text}\n"));
}

/// Whether the reader of the output is gone, as under `| head`.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

pub(crate) fn draws_progress() -> bool {
    io::stderr().is_terminal() && !LOGS.load(Relaxed)
}

pub(crate) fn colours(terminal: bool) -> bool {
    terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// A number with thin groups: `12,345,678`.
pub(crate) fn grouped(number: u64) -> String {
    indicatif::HumanCount(number).to_string()
}

/// A number with its unit: `1 capture`, `1,234 captures`.
pub(crate) fn counted(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", grouped(number))
}

/// How many places of the input are damaged: `1 damaged place`, `1,234 damaged places`.
pub(crate) fn damaged_places(count: u64) -> String {
    counted(count, "damaged place")
}

/// A size in the unit that fits: `3.4 MB`.
pub(crate) fn bytes(number: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "kB", "MB", "GB", "TB"];
    let mut value = number as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 {
        format!("{number} bytes")
    } else {
        format!("{value:.1} {}", UNITS[unit])
    }
}

/// A duration in words: `3.2 s`, `4 min 10 s`.
pub(crate) fn seconds(duration: Duration) -> String {
    let whole = duration.as_secs();
    match whole {
        0..60 => format!("{:.1} s", duration.as_secs_f64()),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(
            ["1", "999", "1,000", "12,345,678"],
            [1, 999, 1000, 12_345_678].map(grouped).each_ref().map(|s| &s[..])
        );
        assert_eq!([bytes(999), bytes(3_400_000)], ["999 bytes", "3.4 MB"]);
        assert_eq!(seconds(Duration::from_millis(3210)), "3.2 s");
        assert_eq!(seconds(Duration::from_secs(250)), "4 min 10 s");
    }
}
