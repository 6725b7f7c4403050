//! Values of columns: what conditions test, and what is written.

use std::borrow::Cow;
use std::cmp::Ordering;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Float32Type, Float64Type, Int32Type, Int64Type, TimestampMillisecondType, UInt16Type,
    UInt32Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use chrono::{DateTime, NaiveDate, SecondsFormat};
use serde::{Deserialize, Serialize};

/// A value of a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value<'a> {
    /// None.
    Null,
    /// True or false.
    Flag(bool),
    /// A whole number.
    Whole(i64),
    /// A share, in the precision of its column.
    Share(f32),
    /// Any other number.
    Real(f64),
    /// A text.
    Text(Cow<'a, str>),
    /// Milliseconds since 1970, UTC.
    Time(i64),
    /// Days since 1970-01-01.
    Day(i32),
    /// Several values.
    List(Vec<Value<'a>>),
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// True or false.
    Flag,
    /// Whole numbers.
    Whole,
    /// Shares from 0 to 1.
    Share,
    /// Any numbers.
    Real,
    /// Texts.
    Text,
    /// Times.
    Time,
    /// Days.
    Day,
    /// Several texts in each row.
    Texts,
    /// Several other values in each row.
    List,
}

impl Kind {
    /// What a column of this type holds.
    pub fn of(column: &DataType) -> Option<Kind> {
        Some(match column {
            DataType::Boolean => Kind::Flag,
            DataType::UInt16 | DataType::UInt32 | DataType::Int32 | DataType::Int64 => Kind::Whole,
            DataType::Float32 => Kind::Share,
            DataType::Float64 => Kind::Real,
            DataType::Utf8 => Kind::Text,
            DataType::Timestamp(TimeUnit::Millisecond, _) => Kind::Time,
            DataType::Date32 => Kind::Day,
            DataType::List(item) if *item.data_type() == DataType::Utf8 => Kind::Texts,
            DataType::List(item) => Kind::of(item.data_type()).map(|_| Kind::List)?,
            _ => return None,
        })
    }

    /// Its values, in words.
    pub fn words(self) -> &'static str {
        match self {
            Kind::Flag => "true or false",
            Kind::Whole | Kind::Share | Kind::Real => "a number",
            Kind::Text | Kind::Texts => "a string",
            Kind::Time => "a date with a time, such as 2024-05-17T00:00:00Z",
            Kind::Day => "a date, such as 2024-05-17",
            Kind::List => "a list",
        }
    }

    /// The value that TOML has for a column of this kind, or for an item of a list; none where it is of another type.
    pub(crate) fn value(self, written: &toml::Value) -> Option<Value<'static>> {
        Some(match (self, written) {
            (Kind::Flag, toml::Value::Boolean(flag)) => Value::Flag(*flag),
            (Kind::Whole, toml::Value::Integer(number)) => Value::Whole(*number),
            // A limit between two whole numbers.
            (Kind::Whole | Kind::Real, toml::Value::Float(number)) => Value::Real(*number),
            (Kind::Real, toml::Value::Integer(number)) => Value::Real(*number as f64),
            (Kind::Share, toml::Value::Float(number)) => Value::Share(*number as f32),
            (Kind::Share, toml::Value::Integer(number)) => Value::Share(*number as f32),
            (Kind::Text | Kind::Texts, toml::Value::String(text)) => Value::Text(text.clone().into()),
            (Kind::Day, toml::Value::Datetime(date)) => day(&date.to_string())?,
            (Kind::Time, toml::Value::Datetime(time)) => moment(&time.to_string())?,
            _ => return None,
        })
    }
}

fn day(text: &str) -> Option<Value<'static>> {
    let date: NaiveDate = text.parse().ok()?;
    let days = date.signed_duration_since(NaiveDate::default()).num_days();
    Some(Value::Day(i32::try_from(days).ok()?))
}

/// A time; a date is its midnight, UTC.
fn moment(text: &str) -> Option<Value<'static>> {
    let time = match text.contains(['T', 't', ' ']) {
        true => DateTime::parse_from_rfc3339(text).ok()?.to_utc(),
        false => text.parse::<NaiveDate>().ok()?.and_hms_opt(0, 0, 0)?.and_utc(),
    };
    Some(Value::Time(time.timestamp_millis()))
}

impl<'a> Value<'a> {
    /// The value of a row. A column of a type that tables do not have is all null.
    pub fn at(column: &'a ArrayRef, row: usize) -> Value<'a> {
        if column.is_null(row) {
            return Value::Null;
        }
        match column.data_type() {
            DataType::Boolean => Value::Flag(column.as_boolean().value(row)),
            DataType::UInt16 => Value::Whole(column.as_primitive::<UInt16Type>().value(row).into()),
            DataType::UInt32 => Value::Whole(column.as_primitive::<UInt32Type>().value(row).into()),
            DataType::Int32 => Value::Whole(column.as_primitive::<Int32Type>().value(row).into()),
            DataType::Int64 => Value::Whole(column.as_primitive::<Int64Type>().value(row)),
            DataType::Float32 => Value::Share(column.as_primitive::<Float32Type>().value(row)),
            DataType::Float64 => Value::Real(column.as_primitive::<Float64Type>().value(row)),
            DataType::Utf8 => Value::Text(column.as_string::<i32>().value(row).into()),
            DataType::Timestamp(TimeUnit::Millisecond, _) => {
                Value::Time(column.as_primitive::<TimestampMillisecondType>().value(row))
            }
            DataType::Date32 => Value::Day(column.as_primitive::<Date32Type>().value(row)),
            DataType::List(_) => {
                let items = column.as_list::<i32>().value(row);
                let values = (0..items.len()).map(|item| Value::at(&items, item).into_owned());
                Value::List(values.collect())
            }
            _ => Value::Null,
        }
    }

    /// The same without what it borrows.
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Value::Null => Value::Null,
            Value::Flag(flag) => Value::Flag(flag),
            Value::Whole(number) => Value::Whole(number),
            Value::Share(number) => Value::Share(number),
            Value::Real(number) => Value::Real(number),
            Value::Text(text) => Value::Text(text.into_owned().into()),
            Value::Time(time) => Value::Time(time),
            Value::Day(day) => Value::Day(day),
            Value::List(items) => Value::List(items.into_iter().map(Value::into_owned).collect()),
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The order of two values of one column; none with null, and with what is no number.
    pub(crate) fn compare(&self, other: &Value<'_>) -> Option<Ordering> {
        match (self, other) {
            (Value::Flag(one), Value::Flag(other)) => Some(one.cmp(other)),
            (Value::Whole(one), Value::Whole(other)) | (Value::Time(one), Value::Time(other)) => {
                Some(one.cmp(other))
            }
            (Value::Day(one), Value::Day(other)) => Some(one.cmp(other)),
            (Value::Share(one), Value::Share(other)) => one.partial_cmp(other),
            (Value::Real(one), Value::Real(other)) => one.partial_cmp(other),
            (Value::Whole(one), Value::Real(other)) => (*one as f64).partial_cmp(other),
            (Value::Text(one), Value::Text(other)) => Some(one.cmp(other)),
            _ => None,
        }
    }

    /// As JSON: times as RFC 3339 has them, days as dates, numbers that JSON cannot have as null.
    pub fn json(&self) -> serde_json::Value {
        match self {
            Value::Null => serde_json::Value::Null,
            Value::Flag(flag) => (*flag).into(),
            Value::Whole(number) => (*number).into(),
            Value::Share(number) => shortest(*number),
            Value::Real(number) => (*number).into(),
            Value::Text(text) => text.as_ref().into(),
            Value::Time(millis) => DateTime::from_timestamp_millis(*millis)
                .map_or(serde_json::Value::Null, |time| {
                    time.to_rfc3339_opts(SecondsFormat::AutoSi, true).into()
                }),
            Value::Day(days) => date(*days).map_or(serde_json::Value::Null, |date| date.to_string().into()),
            Value::List(items) => items.iter().map(Value::json).collect(),
        }
    }
}

/// A date, by days since 1970.
pub(crate) fn date(days: i32) -> Option<NaiveDate> {
    NaiveDate::default().checked_add_signed(chrono::TimeDelta::days(days.into()))
}

/// A number with the digits that it needs in its own precision: 0.65, not 0.6499999761581421.
fn shortest(number: f32) -> serde_json::Value {
    let number = number.to_string().parse::<f64>().unwrap_or(f64::NAN);
    number.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_toml_are_those_of_their_columns() {
        let parse = |kind: Kind, text: &str| {
            let table: toml::Table = text.parse().unwrap();
            kind.value(&table["a"])
        };
        assert_eq!(parse(Kind::Share, "a = 0.65"), Some(Value::Share(0.65)));
        assert_eq!(parse(Kind::Whole, "a = 5"), Some(Value::Whole(5)));
        assert_eq!(parse(Kind::Whole, "a = true"), None);
        assert_eq!(parse(Kind::Text, "a = 5"), None);
        assert_eq!(parse(Kind::Day, "a = 1970-01-03"), Some(Value::Day(2)));
        assert_eq!(parse(Kind::Time, "a = 1970-01-02"), Some(Value::Time(86_400_000)));
        let with_zone = parse(Kind::Time, "a = 1970-01-01T01:00:00+01:00");
        assert_eq!(with_zone, Some(Value::Time(0)));
    }

    #[test]
    fn json_has_short_numbers_and_times() {
        assert_eq!(Value::Share(0.65).json().to_string(), "0.65");
        assert_eq!(Value::Real(0.1).json().to_string(), "0.1");
        assert_eq!(Value::Real(f64::NAN).json().to_string(), "null");
        assert_eq!(Value::Time(1500).json(), "1970-01-01T00:00:01.500Z");
        assert_eq!(Value::Day(1).json(), "1970-01-02");
        assert_eq!(Value::List(vec![Value::Whole(1)]).json().to_string(), "[1]");
    }
}
