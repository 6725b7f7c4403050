//! Pages as objects of JSON.

use super::Fields;
use crate::recipe::Column;
use crate::selection::Page;
use crate::value::Value;

/// The source of pages of a crawl without a name, in files for Dolma.
const SOURCE: &str = "gleaner";

/// A page as a line, with its end.
pub(super) fn line(fields: Fields, columns: &[Column], page: &Page, crawl: Option<&str>) -> Vec<u8> {
    let mut line = Object::default();
    let of = |name: &str| {
        let place = columns.iter().position(|column| column.written() == name);
        place.map_or(&Value::Null, |place| &page.values[place])
    };
    let id = Value::Text(page.row_id.as_str().into());
    let own: &[&str] = match fields {
        Fields::Columns => &[],
        Fields::Dolma => {
            line.add("id", &id);
            line.add("text", of("text"));
            line.add("source", &Value::Text(crawl.unwrap_or(SOURCE).into()));
            line.add_known("added", of("crawl_date"));
            line.add_known("created", of("published"));
            &["row_id", "text", "crawl_date", "published"]
        }
        Fields::DataTrove => {
            line.add("text", of("text"));
            line.add("id", &id);
            &["row_id", "text"]
        }
    };
    let rest = columns.iter().zip(&page.values);
    let rest = rest.filter(|(column, _)| !own.contains(&column.written().as_str()));
    if fields == Fields::Columns {
        rest.for_each(|(column, value)| line.add(&column.written(), value));
    } else {
        let mut metadata = Object::default();
        rest.for_each(|(column, value)| metadata.add(&column.written(), value));
        line.add_object("metadata", metadata);
    }
    let mut bytes = line.end();
    bytes.push(b'\n');
    bytes
}

/// An object with its keys in the order in which they are added.
#[derive(Default)]
struct Object {
    bytes: Vec<u8>,
}

impl Object {
    fn key(&mut self, key: &str) {
        self.bytes.push(if self.bytes.is_empty() { b'{' } else { b',' });
        self.json(&key);
        self.bytes.push(b':');
    }

    fn json(&mut self, value: &impl serde::Serialize) {
        serde_json::to_writer(&mut self.bytes, value).expect("a vector takes all bytes");
    }

    fn add(&mut self, key: &str, value: &Value<'_>) {
        self.key(key);
        match value.text() {
            Some(text) => self.json(&text),
            None => self.json(&value.json()),
        }
    }

    /// Adds what is not null.
    fn add_known(&mut self, key: &str, value: &Value<'_>) {
        if *value != Value::Null {
            self.add(key, value);
        }
    }

    fn add_object(&mut self, key: &str, object: Object) {
        self.key(key);
        self.bytes.extend(object.end());
    }

    fn end(mut self) -> Vec<u8> {
        if self.bytes.is_empty() {
            self.bytes.push(b'{');
        }
        self.bytes.push(b'}');
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_have_the_fields_of_their_readers() {
        let names = [
            "row_id",
            "text",
            "crawl_date",
            "published",
            "language",
            "word_count",
        ];
        let columns: Vec<Column> = names.iter().map(|name| Column::document(name).unwrap()).collect();
        let page = Page {
            row_id: "0a".to_owned(),
            values: vec![
                Value::Text("0a".into()),
                Value::Text("One \"line\"\n".into()),
                Value::Time(0),
                Value::Null,
                Value::Text("eng".into()),
                Value::Whole(2),
            ],
        };
        let written = |fields| String::from_utf8(line(fields, &columns, &page, Some("2024-18"))).unwrap();
        assert_eq!(
            written(Fields::Columns),
            "{\"row_id\":\"0a\",\"text\":\"One \\\"line\\\"\\n\",\"crawl_date\":\"1970-01-01T00:00:00Z\",\"published\":null,\"language\":\"eng\",\"word_count\":2}\n"
        );
        assert_eq!(
            written(Fields::Dolma),
            "{\"id\":\"0a\",\"text\":\"One \\\"line\\\"\\n\",\"source\":\"2024-18\",\"added\":\"1970-01-01T00:00:00Z\",\"metadata\":{\"language\":\"eng\",\"word_count\":2}}\n"
        );
        assert_eq!(
            written(Fields::DataTrove),
            "{\"text\":\"One \\\"line\\\"\\n\",\"id\":\"0a\",\"metadata\":{\"crawl_date\":\"1970-01-01T00:00:00Z\",\"published\":null,\"language\":\"eng\",\"word_count\":2}}\n"
        );
    }
}
