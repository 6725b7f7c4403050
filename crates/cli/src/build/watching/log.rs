//! Events, a line each on standard error. What comes from elsewhere is fit for it, see [`plain`], and has no credentials of
//! URLs.

use std::fmt::Debug;
use std::io::Write as _;
use std::time::{Instant, SystemTime};

use chrono::{DateTime, SecondsFormat, Utc};
use gleaner_store::scrubbed;
use parking_lot::Mutex;
use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber, span};

use crate::args::LogForm;
use crate::terminal::{console, plain};

/// From now on events are written.
pub(crate) fn install(form: LogForm, level: Level) {
    let begin = Instant::now();
    *LOG.lock() = Some(Log { form, level, begin });
    // A process that runs the command again has set it.
    drop(tracing::subscriber::set_global_default(ToLog));
    tracing::callsite::rebuild_interest_cache();
}

/// The log of the command that runs, or that of an earlier one in this process.
static LOG: Mutex<Option<Log>> = Mutex::new(None);

#[derive(Clone, Copy)]
struct Log {
    form: LogForm,
    level: Level,
    begin: Instant,
}

struct ToLog;

impl Subscriber for ToLog {
    /// Events of ours, and of the client that uploads files when it tries again; spans are not logged.
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let is_known = ["gleaner", "object_store::client::retry"]
            .iter()
            .any(|target| metadata.target().starts_with(target));
        let level = LOG.lock().map(|log| log.level);
        console::logs()
            && metadata.is_event()
            && is_known
            && level.is_some_and(|level| *metadata.level() <= level)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LOG.lock().map_or(LevelFilter::OFF, |log| log.level.into()))
    }

    /// Where the command runs again in a process, it may be without a log.
    fn register_callsite(&self, _: &'static Metadata<'static>) -> Interest {
        Interest::sometimes()
    }

    fn event(&self, event: &Event<'_>) {
        let Some(log) = *LOG.lock() else {
            return;
        };
        let mut fields = Fields::default();
        event.record(&mut fields);
        let level = *event.metadata().level();
        let line = match log.form {
            LogForm::Json => fields.json(level, SystemTime::now(), log.begin.elapsed().as_secs_f64()),
            LogForm::Text => fields.text(level, SystemTime::now()),
        };
        let mut stderr = std::io::stderr().lock();
        // A log that cannot be written is no reason to stop.
        drop(stderr.write_all(line.as_bytes()));
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

/// What an event says.
#[derive(Default)]
struct Fields {
    event: String,
    values: Map<String, Value>,
}

impl Fields {
    fn json(self, level: Level, now: SystemTime, seconds: f64) -> String {
        let mut line = Map::new();
        line.insert("time".to_owned(), time(now).into());
        line.insert(
            "seconds_running".to_owned(),
            ((seconds * 1e3).round() / 1e3).into(),
        );
        line.insert("level".to_owned(), level.as_str().to_ascii_lowercase().into());
        line.insert("event".to_owned(), self.event.into());
        line.extend(self.values);
        plain::json(&Value::Object(line).to_string()) + "\n"
    }

    fn text(&self, level: Level, now: SystemTime) -> String {
        let mut line = format!("{} {:5} {}", time(now), level.as_str(), self.event);
        for (name, value) in &self.values {
            line += &match value.as_f64().filter(|_| value.is_f64()) {
                Some(fraction) => format!(" {name}={fraction:.3}"),
                None => format!(" {name}={value}"),
            };
        }
        plain::line(&line).into_owned() + "\n"
    }

    fn add(&mut self, field: &Field, value: impl Into<Value>) {
        self.values.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for Fields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, &*scrubbed(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let value = format!("{value:?}");
        let value = scrubbed(&value);
        match field.name() {
            "message" => self.event = value.into_owned(),
            _ => self.add(field, &*value),
        }
    }
}

/// `2026-11-21T10:29:28.123Z`.
fn time(now: SystemTime) -> String {
    DateTime::<Utc>::from(now).to_rfc3339_opts(SecondsFormat::Millis, true)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn fields() -> Fields {
        let values = [
            ("part", Value::from(3)),
            ("took", Value::from(1.23456)),
            ("url", Value::from("http://a.example/\"\u{1b}[31m\n")),
        ];
        Fields {
            event: "part read".to_owned(),
            values: values
                .map(|(name, value)| (name.to_owned(), value))
                .into_iter()
                .collect(),
        }
    }

    #[test]
    fn lines_for_people_and_for_machines() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_millis(1_795_257_000_007);
        let text = fields().text(Level::INFO, now);
        assert_eq!(
            text,
            "2026-11-21T10:30:00.007Z INFO  part read part=3 took=1.235 url=\"http://a.example/\\\"\\u001b[31m\\n\"\n"
        );
        let json = fields().json(Level::WARN, now, 2.0004);
        assert_eq!(json.matches('\n').count(), 1);
        let line: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(line["time"], "2026-11-21T10:30:00.007Z");
        assert_eq!(
            (&line["level"], &line["event"]),
            (&"warn".into(), &"part read".into())
        );
        assert_eq!(
            (line["part"].as_u64(), line["seconds_running"].as_f64()),
            (Some(3), Some(2.0))
        );
        assert_eq!(line["url"], "http://a.example/\"\u{1b}[31m\n");
    }

    #[test]
    fn a_clock_before_1970_is_no_panic() {
        assert_eq!(
            time(SystemTime::UNIX_EPOCH - Duration::from_secs(5)),
            "1969-12-31T23:59:55.000Z"
        );
    }
}
