//! Rows of tables as JSON: with all columns, times and days as text, and numbers with the digits that they need.

use arrow_schema::DataType;
use gleaner_corpus::{Row, Share};
use gleaner_export::Value;
use serde::Serialize;
use serde_json::Value as Json;

/// A row with all its columns.
pub(crate) fn row<R: Row + Serialize>(row: &R) -> Json {
    // (As text first: a share of 32 bits has its own digits there.)
    let text = serde_json::to_string(row).expect("rows are made of texts, numbers and lists");
    let mut json: Json = serde_json::from_str(&text).expect("it was just written");
    for field in R::TABLE.schema().fields() {
        let Some(value) = json.get_mut(field.name()) else {
            continue;
        };
        let Some(number) = value.as_i64() else { continue };
        match field.data_type() {
            DataType::Timestamp(..) => *value = Value::Time(number).json(),
            DataType::Date32 => *value = Value::Day(i32::try_from(number).unwrap_or_default()).json(),
            _ => {}
        }
    }
    json
}

/// A share with the digits that it needs.
pub(crate) fn share(share: Share) -> Json {
    Value::Share(share.0).json()
}

#[cfg(test)]
mod tests {
    use gleaner_corpus::{Day, DocumentRow, Millis};

    use super::*;

    #[test]
    fn rows_have_dates_and_short_numbers() {
        let document = DocumentRow {
            crawl_date: Some(Millis(1500)),
            published: Some(Day(1)),
            confidence: Some(Share(0.65)),
            word_count: 7,
            ..DocumentRow::default()
        };
        let json = row(&document);
        assert_eq!(json["crawl_date"], "1970-01-01T00:00:01.500Z");
        assert_eq!(json["published"], "1970-01-02");
        assert_eq!(json["confidence"].to_string(), "0.65");
        assert_eq!(json["word_count"], 7);
        assert_eq!(json["title"], Json::Null);
    }
}
