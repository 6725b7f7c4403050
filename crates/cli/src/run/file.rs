//! A job file, as far as it can be understood without running it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::settings::{Setting, ValueKind, is_typed_only};
use crate::args::job_text::{JobText, is_crawl, is_training};
use crate::args::nearest::nearest;

/// Values by the setting's name in clap, as they would be typed.
pub(crate) type Values = BTreeMap<String, Vec<String>>;

/// What a job file sets.
///
/// # Errors
///
/// The file cannot be read, is no TOML, or says what no setting takes: the first place is named.
pub(crate) fn read(path: &Path, settings: &[Setting]) -> Result<Values> {
    let bytes =
        std::fs::read(path).with_context(|| format!("could not read the job file {}", path.display()))?;
    let Ok(text) = String::from_utf8(bytes) else {
        bail!(
            "{} is not a job file (TOML in UTF-8): `gleaner build` reads archives and pages",
            path.display()
        );
    };
    let job = JobText::new(path, &text);
    let table = DeTable::parse(&text)
        .map_err(|error| job.error(&error))?
        .into_inner();
    let keys = || table.keys().map(|key| key.get_ref().as_ref());
    let knows = |key: &str| settings.iter().any(|setting| setting.key == key);
    if is_training(keys()) {
        bail!("{0} is a training job: use gleaner train {0}", path.display());
    }
    if is_crawl(keys()) && !knows("seeds") {
        bail!(
            "{0} is a job of a crawl: use gleaner crawl --job {0}",
            path.display()
        );
    }
    if keys().any(|key| key == "inputs") && !knows("inputs") {
        bail!("{0} is a job of a build: use gleaner run {0}", path.display());
    }
    let mut reader = Reader {
        job,
        settings,
        values: Values::new(),
    };
    reader.tables(&table)?;
    Ok(reader.values)
}

struct Reader<'a> {
    job: JobText<'a>,
    settings: &'a [Setting],
    values: Values,
}

impl Reader<'_> {
    fn tables(&mut self, table: &DeTable<'_>) -> Result<()> {
        for (key, value) in in_order(table) {
            let name = key.get_ref().as_ref();
            let is_table = self
                .settings
                .iter()
                .any(|known| known.table.as_deref() == Some(name));
            match value.get_ref() {
                DeValue::Table(table) if is_table => {
                    for (key, value) in in_order(table) {
                        self.entry(Some(name), key.get_ref(), key.span(), value)?;
                    }
                }
                _ if is_table => bail!(
                    self.job
                        .at(key.span(), &format!("`{name}` is a table: write [{name}]"))
                ),
                _ => self.entry(None, name, key.span(), value)?,
            }
        }
        Ok(())
    }

    fn entry(
        &mut self,
        table: Option<&str>,
        key: &str,
        place: Range<usize>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<()> {
        let known = |setting: &&Setting| setting.table.as_deref() == table && setting.is_called(key);
        let Some(setting) = self.settings.iter().find(known) else {
            bail!(self.job.at(place, &self.unknown(table, key)));
        };
        let values = self.values_of(setting, value)?;
        self.values.insert(setting.id().to_owned(), values);
        Ok(())
    }

    fn unknown(&self, table: Option<&str>, key: &str) -> String {
        if is_typed_only(key) {
            return format!("`{key}` is for the command line only");
        }
        let elsewhere = self.settings.iter().find(|setting| setting.is_called(key));
        if let Some(setting) = elsewhere {
            let place = match &setting.table {
                Some(table) => format!("in [{table}]"),
                None => "above all tables".to_owned(),
            };
            return format!("`{key}` stands {place}");
        }
        let here = || {
            self.settings
                .iter()
                .filter(|setting| setting.table.as_deref() == table)
        };
        let known = here().chain(self.settings).map(|setting| setting.key.as_str());
        let tables = self
            .settings
            .iter()
            .filter_map(|setting| setting.table.as_deref());
        let mend = match nearest(key, known.chain(tables)) {
            Some(nearest) => format!("did you mean `{}`?", self.path_of(nearest)),
            None => {
                let known: Vec<&str> = here().map(|setting| setting.key.as_str()).collect();
                format!("known here: {}", known.join(", "))
            }
        };
        format!("unknown key `{key}`: {mend}")
    }

    fn path_of(&self, key: &str) -> String {
        let setting = self.settings.iter().find(|setting| setting.is_called(key));
        setting.map_or_else(|| format!("[{key}]"), Setting::path)
    }

    fn values_of(&self, setting: &Setting, value: &Spanned<DeValue<'_>>) -> Result<Vec<String>> {
        let wrong = || {
            let wanted = wanted(&setting.kind);
            let found = value.get_ref().type_str();
            let sentence = format!("`{}` takes {wanted}, not a value of type {found}", setting.key);
            anyhow!(self.job.at(value.span(), &sentence))
        };
        let texts = match (&setting.kind, value.get_ref()) {
            (ValueKind::Texts, DeValue::Array(items)) => items
                .iter()
                .map(|item| item.get_ref().as_str().map(str::to_owned).ok_or_else(wrong))
                .collect::<Result<Vec<_>>>()?,
            (_, single) => vec![single_text(&setting.kind, single).ok_or_else(wrong)?],
        };
        for text in &texts {
            self.check(setting, text, value.span())?;
        }
        Ok(texts)
    }

    fn check(&self, setting: &Setting, text: &str, place: Range<usize>) -> Result<()> {
        let Err(reason) = setting.check(text) else {
            return Ok(());
        };
        let sentence = match &setting.kind {
            ValueKind::Choice(choices) => {
                let mend = match nearest(text, choices.iter().map(String::as_str)) {
                    Some(nearest) => format!(": did you mean \"{nearest}\"?"),
                    None => String::new(),
                };
                format!(
                    "`{}` is one of {}, not \"{text}\"{mend}",
                    setting.key,
                    choices.join(", ")
                )
            }
            _ => format!("`{}` cannot be {text}: {reason}", setting.key),
        };
        bail!(self.job.at(place, &sentence))
    }
}

fn in_order<'a, 'i>(table: &'a DeTable<'i>) -> Vec<(&'a Spanned<Cow<'i, str>>, &'a Spanned<DeValue<'i>>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

/// A value as it would be typed; nothing where it is of another type than the setting.
fn single_text(kind: &ValueKind, value: &DeValue<'_>) -> Option<String> {
    match (kind, value) {
        (ValueKind::Flag, DeValue::Boolean(flag)) => Some(flag.to_string()),
        (ValueKind::Number | ValueKind::Real | ValueKind::Size, DeValue::Integer(number))
            if number.radix() == 10 =>
        {
            Some(number.as_str().replace('_', ""))
        }
        (ValueKind::Real, DeValue::Float(number)) => Some(number.as_str().replace('_', "")),
        (
            ValueKind::Size | ValueKind::Choice(_) | ValueKind::Text | ValueKind::Texts,
            DeValue::String(text),
        ) => Some(text.to_string()),
        _ => None,
    }
}

fn wanted(kind: &ValueKind) -> &'static str {
    match kind {
        ValueKind::Flag => "true or false",
        ValueKind::Number => "a whole number",
        ValueKind::Real => "a number",
        ValueKind::Size => "a size, such as \"64MiB\"",
        ValueKind::Choice(_) | ValueKind::Text => "a string",
        ValueKind::Texts => "strings, [\"...\"]",
    }
}
