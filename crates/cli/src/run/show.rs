//! A job as a job file that leaves nothing to defaults.

use toml::Value;

use super::job::{Job, Origin, Set};
use super::settings::ValueKind;

/// The job in TOML: the same job, read again, and the same text, shown again.
pub(crate) fn text(job: &Job) -> String {
    let mut text = String::new();
    // Tables come after what stands in none, each once, in the order of their first settings.
    let mut tables = vec![None];
    for set in &job.sets {
        let table = set.setting.table.as_deref();
        if !tables.contains(&table) {
            tables.push(table);
        }
    }
    for table in tables {
        if let Some(table) = table {
            text += &format!("\n[{table}]\n");
        }
        for set in job
            .sets
            .iter()
            .filter(|set| set.setting.table.as_deref() == table)
        {
            text += &format!("{}\n", line(set));
        }
    }
    text
}

/// A setting; in a comment where the program finds its value by itself.
fn line(set: &Set) -> String {
    let key = &set.setting.key;
    let Some(value) = value(&set.setting.kind, &set.values) else {
        let default = set.setting.default_text();
        let note = default.map_or_else(|| "not set".to_owned(), |default| format!("by default {default}"));
        return format!("# {key} = {}  # {note}", set.setting.value_name());
    };
    let instead = |values: &Option<Vec<String>>| match values {
        Some(values) => self::value(&set.setting.kind, values).map(|value| format!("in place of {value}")),
        None => Some("which the file does not set".to_owned()),
    };
    match &set.origin {
        Origin::Typed(in_file) => {
            let note = instead(in_file).unwrap_or_default();
            format!("{key} = {value}  # {}, {note}", set.setting.flag())
        }
        Origin::Default | Origin::File => format!("{key} = {value}"),
    }
}

fn value(kind: &ValueKind, values: &[String]) -> Option<String> {
    let text = |value: &String| Value::from(value.as_str()).to_string();
    let first = values.first()?;
    Some(match kind {
        ValueKind::Flag | ValueKind::Number | ValueKind::Real => first.clone(),
        ValueKind::Size | ValueKind::Choice(_) | ValueKind::Text => text(first),
        ValueKind::Texts => format!("[{}]", values.iter().map(text).collect::<Vec<_>>().join(", ")),
    })
}
