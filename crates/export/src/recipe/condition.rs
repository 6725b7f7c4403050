//! Tests of the value of a column.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::column::{Column, find};
use crate::value::{Kind, Value};

/// What must hold for the value of a column: all that is there. Null has no order and is in no list: it fails `min`, `max` and
/// `one_of`, and passes `not_in`. A column of lists of texts passes `one_of` if one of its texts is there, and `not_in` if none
/// is; an empty list is as null.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The column.
    pub column: Column,
    /// The least value.
    pub min: Option<Limit<Value<'static>>>,
    /// The largest value.
    pub max: Option<Limit<Value<'static>>>,
    /// The value is one of these.
    pub one_of: Option<Vec<Value<'static>>>,
    /// The value is none of these.
    pub not_in: Option<Vec<Value<'static>>>,
    /// The value is null, or is not.
    pub is_null: Option<bool>,
}

/// A limit for all languages, or by language. A language without one has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit<T> {
    /// Of languages without their own.
    pub default: Option<T>,
    /// By language.
    pub by_language: BTreeMap<String, T>,
}

impl<T> Limit<T> {
    /// One for all languages.
    pub fn all(limit: T) -> Limit<T> {
        Limit {
            default: Some(limit),
            by_language: BTreeMap::new(),
        }
    }

    /// That of a language.
    pub fn of(&self, language: &str) -> Option<&T> {
        self.by_language.get(language).or(self.default.as_ref())
    }
}

impl Condition {
    /// A condition that always holds.
    pub(super) fn any(column: Column) -> Condition {
        Condition {
            column,
            min: None,
            max: None,
            one_of: None,
            not_in: None,
            is_null: None,
        }
    }

    /// That a count of signals is zero.
    pub(super) fn is_zero(column: &'static str) -> Condition {
        let column = find(column, Some("signals")).expect("signals counts personal data");
        Condition {
            max: Some(Limit::all(Value::Whole(0))),
            ..Condition::any(column)
        }
    }

    /// Whether it holds for a value of a page in a language.
    pub fn holds(&self, value: &Value<'_>, language: &str) -> bool {
        let is_within = |limit: &Option<Limit<Value<'static>>>, wrong: Ordering| {
            let limit = limit.as_ref().and_then(|limit| limit.of(language));
            limit.is_none_or(|limit| value.compare(limit).is_some_and(|order| order != wrong))
        };
        let own = match value {
            Value::List(items) => items.as_slice(),
            value => std::slice::from_ref(value),
        };
        let is_in = |list: &Vec<Value<'static>>| {
            let is_there = |value: &Value<'_>| {
                let equals = |other| value.compare(other).is_some_and(Ordering::is_eq);
                list.iter().any(equals)
            };
            own.iter().any(is_there)
        };
        let is_null = own.is_empty() || *value == Value::Null;
        is_within(&self.min, Ordering::Less)
            && is_within(&self.max, Ordering::Greater)
            && self.one_of.as_ref().is_none_or(is_in)
            && !self.not_in.as_ref().is_some_and(is_in)
            && self.is_null.is_none_or(|null| null == is_null)
    }

    /// Whether a limit differs between languages.
    pub fn is_by_language(&self) -> bool {
        let limits = [&self.min, &self.max].into_iter().flatten();
        limits.into_iter().any(|limit| !limit.by_language.is_empty())
    }

    /// The condition in words: what a filter without a name is called.
    pub fn words(&self) -> String {
        let limit = |limit: &Limit<Value<'static>>| match &limit.default {
            Some(default) if limit.by_language.is_empty() => word(default),
            _ => "the limit of the language".to_owned(),
        };
        let list = |values: &Vec<Value<'static>>| values.iter().map(word).collect::<Vec<_>>().join(", ");
        let parts = [
            self.min.as_ref().map(|min| format!("at least {}", limit(min))),
            self.max.as_ref().map(|max| format!("at most {}", limit(max))),
            self.one_of
                .as_ref()
                .map(|values| format!("one of {}", list(values))),
            self.not_in.as_ref().map(|values| format!("not {}", list(values))),
            self.is_null
                .map(|null| if null { "null" } else { "not null" }.to_owned()),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        format!("{}: {}", self.column.written(), parts.join(", "))
    }
}

fn word(value: &Value<'_>) -> String {
    match value.json() {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    }
}

impl Condition {
    /// Whether an order of values means something for a kind.
    pub(super) fn has_order(kind: Kind) -> bool {
        !matches!(kind, Kind::Flag | Kind::Texts | Kind::List)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(name: &str) -> Condition {
        Condition::any(find(name, None).unwrap())
    }

    #[test]
    fn null_fails_all_but_not_in() {
        let column = condition("http_status");
        let list = Some(vec![Value::Whole(200)]);
        let limit = Some(Limit::all(Value::Whole(0)));
        let fails = [
            Condition {
                min: limit.clone(),
                ..column.clone()
            },
            Condition {
                max: limit,
                ..column.clone()
            },
            Condition {
                one_of: list.clone(),
                ..column.clone()
            },
            Condition {
                is_null: Some(false),
                ..column.clone()
            },
        ];
        assert!(
            fails
                .iter()
                .all(|condition| !condition.holds(&Value::Null, "eng"))
        );
        let holds = [
            Condition {
                not_in: list,
                ..column.clone()
            },
            Condition {
                is_null: Some(true),
                ..column
            },
        ];
        assert!(holds.iter().all(|condition| condition.holds(&Value::Null, "eng")));
    }

    #[test]
    fn lists_are_tested_by_their_texts() {
        let list = |texts: &[&str]| {
            let texts = texts.iter().map(|text| Value::Text((*text).to_owned().into()));
            Value::List(texts.collect())
        };
        let column = Condition::any(find("signals.url_lists", None).unwrap());
        let wanted = Some(vec![Value::Text("a".into()), Value::Text("b".into())]);
        let one_of = Condition {
            one_of: wanted.clone(),
            ..column.clone()
        };
        let not_in = Condition {
            not_in: wanted,
            ..column.clone()
        };
        let is_null = Condition {
            is_null: Some(true),
            ..column
        };
        let rows = [list(&["c", "b"]), list(&["c"]), list(&[]), Value::Null];
        let held = |condition: &Condition| rows.each_ref().map(|row| condition.holds(row, "eng"));
        assert_eq!(held(&one_of), [true, false, false, false]);
        assert_eq!(held(&not_in), [false, true, true, true]);
        assert_eq!(held(&is_null), [false, false, true, true]);
    }

    #[test]
    fn a_language_without_a_limit_has_none() {
        let limit = Limit {
            default: None,
            by_language: [("deu".to_owned(), Value::Share(0.7))].into(),
        };
        let min = Condition {
            min: Some(limit.clone()),
            ..condition("language_probability")
        };
        assert!(!min.holds(&Value::Share(0.69), "deu") && min.holds(&Value::Share(0.7), "deu"));
        assert!(min.holds(&Value::Share(0.0), "eng") && min.holds(&Value::Null, "eng"));
        let default = Limit {
            default: Some(Value::Share(0.5)),
            ..limit
        };
        let min = Condition {
            min: Some(default),
            ..min
        };
        assert!(!min.holds(&Value::Share(0.4), "eng") && !min.holds(&Value::Null, "eng"));
    }

    #[test]
    fn limits_belong_to_the_range() {
        let words = condition("word_count");
        let range = Condition {
            min: Some(Limit::all(Value::Whole(50))),
            max: Some(Limit::all(Value::Real(99.5))),
            ..words
        };
        let held = [49, 50, 99, 100].map(|number| range.holds(&Value::Whole(number), "eng"));
        assert_eq!(held, [false, true, true, false]);
        assert_eq!(range.words(), "word_count: at least 50, at most 99.5");
    }
}
