//! ARFF, the attribute-relation files of Weka: numeric and nominal attributes, missing values, quotes, comments. Attributes
//! of strings, dates and relations, and sparse rows, are errors.

use std::collections::BTreeSet;

use crate::c45::{Attribute, Kind, Table};
use crate::error::Error;

/// The largest number of attributes of a file.
const MAX_ATTRIBUTES: usize = 10_000;

/// The largest number of values of an attribute.
const MAX_VALUES: usize = 10_000;

/// Reads a table.
///
/// # Errors
/// A line is damaged, or has what is not supported; with its number.
///
/// ```
/// let text = "% fruit\n@RELATION 'some fruit'\n@ATTRIBUTE grams REAL\n@ATTRIBUTE kind {plum, 'blood orange'}\n\
///             @DATA\n40,plum\n?,'blood orange'\n";
/// let table = gleaner_results::arff::read(text)?;
/// assert_eq!((table.name.as_str(), table.rows()), ("some fruit", 2));
/// assert!(table.column(0)[1].is_nan());
/// # Ok::<(), gleaner_results::Error>(())
/// ```
pub fn read(text: &str) -> Result<Table, Error> {
    let mut header = Header::default();
    let mut table: Option<Table> = None;
    let mut row = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let fault = |what| Error::Arff(at + 1, what);
        let line = line.trim();
        if line.is_empty() || line.starts_with('%') {
            continue;
        }
        match &mut table {
            Some(table) => {
                read_row(line, table.attributes(), &mut row).map_err(fault)?;
                table.push(&row);
            }
            None => {
                if header.read(line).map_err(fault)? {
                    table = Some(Table::new(
                        std::mem::take(&mut header.name),
                        std::mem::take(&mut header.attributes),
                    ));
                }
            }
        }
    }
    table.ok_or_else(|| Error::Arff(text.lines().count(), "the file ends before its @data".to_owned()))
}

/// Writes a table. Numbers have the fewest digits that are read back as the same number.
pub fn write(table: &Table) -> String {
    let mut text = format!("@relation {}\n\n", quoted(&table.name));
    for attribute in table.attributes() {
        let kind = match &attribute.kind {
            Kind::Numeric => "numeric".to_owned(),
            Kind::Nominal(values) => {
                let values: Vec<String> = values.iter().map(|value| quoted(value)).collect();
                format!("{{{}}}", values.join(","))
            }
        };
        text += &format!("@attribute {} {kind}\n", quoted(&attribute.name));
    }
    text.push_str("\n@data\n");
    for row in 0..table.rows() {
        for (at, attribute) in table.attributes().iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            let value = table.column(at)[row];
            match &attribute.kind {
                _ if value.is_nan() => text.push('?'),
                Kind::Numeric => text += &value.to_string(),
                Kind::Nominal(values) => text.push_str(&quoted(&values[value as usize])),
            }
        }
        text.push('\n');
    }
    text
}

/// A word as it is written to a file: in quotes where it could not be read back without.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && !"{},%'\"\\".contains(c);
    if !word.is_empty() && word != "?" && !word.starts_with('@') && word.chars().all(is_plain) {
        return word.to_owned();
    }
    let mut text = String::from("'");
    for c in word.chars() {
        match c {
            '\'' | '\\' | '"' | '%' => text.extend(['\\', c]),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            c => text.push(c),
        }
    }
    text + "'"
}

/// The part of a file before the rows.
#[derive(Default)]
struct Header {
    name: String,
    attributes: Vec<Attribute>,
}

impl Header {
    /// Reads a line. Returns whether the rows begin after it.
    fn read(&mut self, line: &str) -> Result<bool, String> {
        let (keyword, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match keyword.to_ascii_lowercase().as_str() {
            "@relation" => {
                self.name = ArffWords::new(rest)
                    .next_word()?
                    .map_or_else(String::new, |word| word.text)
            }
            "@attribute" if self.attributes.len() == MAX_ATTRIBUTES => {
                return Err(format!("more than {MAX_ATTRIBUTES} attributes"));
            }
            "@attribute" => self.attributes.push(attribute(rest)?),
            "@data" if self.attributes.is_empty() => return Err("no @attribute before @data".to_owned()),
            "@data" => return Ok(true),
            _ => return Err(format!("neither @relation, @attribute nor @data: {keyword:.40}")),
        }
        Ok(false)
    }
}

fn attribute(text: &str) -> Result<Attribute, String> {
    let mut words = ArffWords::new(text);
    let name = words.next_word()?.ok_or("an attribute without a name")?.text;
    let kind = words.rest();
    let lower = kind.to_ascii_lowercase();
    let kind = match lower.split_whitespace().next().unwrap_or_default() {
        "numeric" | "real" | "integer" => Kind::Numeric,
        _ if kind.starts_with('{') => Kind::Nominal(values(kind)?),
        "" => return Err(format!("the attribute {name} has no type")),
        other => {
            return Err(format!(
                "the attribute {name} is of type {other:.40}, which is not supported"
            ));
        }
    };
    Ok(Attribute { name, kind })
}

/// The values between braces; the text starts with the opening brace.
fn values(text: &str) -> Result<Vec<String>, String> {
    let mut words = ArffWords::new(&text[1..]);
    let (mut values, mut seen) = (Vec::new(), BTreeSet::new());
    while let Some(word) = words.next_value()? {
        if !seen.insert(word.text.clone()) {
            return Err(format!("the value {} occurs twice", word.text));
        }
        values.push(word.text);
        if values.len() > MAX_VALUES {
            return Err(format!("more than {MAX_VALUES} values of an attribute"));
        }
    }
    if !words.is_closed {
        return Err("the list of values has no end".to_owned());
    }
    match values.is_empty() {
        true => Err("no values between the braces".to_owned()),
        false => Ok(values),
    }
}

fn read_row(line: &str, attributes: &[Attribute], row: &mut Vec<f64>) -> Result<(), String> {
    if line.starts_with('{') {
        return Err("sparse rows are not supported".to_owned());
    }
    row.clear();
    let mut words = ArffWords::new(line);
    while let Some(word) = words.next_value()? {
        let Some(attribute) = attributes.get(row.len()) else {
            return Err(format!("more than {} values", attributes.len()));
        };
        row.push(value(&word, attribute)?);
    }
    if words.is_closed {
        return Err("a brace in a row".to_owned());
    }
    match row.len() == attributes.len() {
        true => Ok(()),
        false => Err(format!("{} values, not {}", row.len(), attributes.len())),
    }
}

fn value(word: &ArffWord, attribute: &Attribute) -> Result<f64, String> {
    if word.text == "?" && !word.is_quoted {
        return Ok(f64::NAN);
    }
    let name = &attribute.name;
    match &attribute.kind {
        Kind::Numeric => {
            let number = word.text.parse::<f64>().ok().filter(|number| number.is_finite());
            number.ok_or_else(|| format!("{name} is a number, not {:.40}", word.text))
        }
        Kind::Nominal(values) => {
            let place = values.iter().position(|value| *value == word.text);
            place
                .map(|place| place as f64)
                .ok_or_else(|| format!("{name} has no value {:.40}", word.text))
        }
    }
}

/// A word, and whether it was in quotes.
struct ArffWord {
    text: String,
    is_quoted: bool,
}

/// Reads words one after the other.
struct ArffWords<'a> {
    rest: &'a str,
    /// Whether a closing brace has ended a list.
    is_closed: bool,
}

impl<'a> ArffWords<'a> {
    fn new(text: &'a str) -> ArffWords<'a> {
        ArffWords {
            rest: text.trim(),
            is_closed: false,
        }
    }

    fn rest(&self) -> &'a str {
        self.rest.trim()
    }

    /// A word that ends at white space, or at the brace of a list of values.
    fn next_word(&mut self) -> Result<Option<ArffWord>, String> {
        self.next_until(|c| c.is_whitespace() || c == '{')
    }

    /// A word that ends at a comma, which is skipped; a comment ends all, as does a closing brace.
    fn next_value(&mut self) -> Result<Option<ArffWord>, String> {
        if self.is_closed {
            return Ok(None);
        }
        let word = match self.rest.starts_with('}') {
            true => None,
            false => self.next_until(|c| c == ',' || c == '%' || c == '}')?,
        };
        self.rest = self.rest.trim_start();
        if self.rest.starts_with('}') {
            self.is_closed = true;
        } else if let Some(rest) = self.rest.strip_prefix(',') {
            self.rest = rest.trim_start();
            if self.rest.is_empty() {
                return Err("nothing behind the last comma".to_owned());
            }
        } else if !self.rest.is_empty() && !self.rest.starts_with('%') {
            return Err(format!("no comma before {:.40}", self.rest));
        } else {
            self.rest = "";
        }
        Ok(word)
    }

    fn next_until(&mut self, is_end: impl Fn(char) -> bool) -> Result<Option<ArffWord>, String> {
        self.rest = self.rest.trim_start();
        match self.rest.chars().next() {
            None | Some('%') => Ok(None),
            Some(quote @ ('\'' | '"')) => self.quoted(quote).map(Some),
            Some(_) => {
                let end = self.rest.find(is_end).unwrap_or(self.rest.len());
                let (word, rest) = self.rest.split_at(end);
                self.rest = rest;
                match word.trim_end() {
                    "" => Err("a value is empty".to_owned()),
                    word => Ok(Some(ArffWord {
                        text: word.to_owned(),
                        is_quoted: false,
                    })),
                }
            }
        }
    }

    fn quoted(&mut self, quote: char) -> Result<ArffWord, String> {
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                c if c == quote => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(ArffWord {
                        text,
                        is_quoted: true,
                    });
                }
                '\\' => text.extend(chars.next().map(|(_, c)| unescaped(c))),
                c => text.push(c),
            }
        }
        Err("a quote without its end".to_owned())
    }
}

fn unescaped(c: char) -> char {
    match c {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn refused(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_not_sound_is_reported_with_its_line() {
        let head = "@relation r\n@attribute n numeric\n@attribute c {a,b}\n";
        assert_eq!(refused(head), "line 3: the file ends before its @data");
        let cases = [
            ("1", "line 5: 1 values, not 2"),
            ("1,a,b", "line 5: more than 2 values"),
            ("x,a", "line 5: n is a number, not x"),
            ("1e999,a", "line 5: n is a number, not 1e999"),
            ("1,c", "line 5: c has no value c"),
            ("1,'a", "line 5: a quote without its end"),
            ("1,'a' b", "line 5: no comma before b"),
            ("1,", "line 5: nothing behind the last comma"),
            (",a", "line 5: a value is empty"),
            ("{0 1}", "line 5: sparse rows are not supported"),
            ("1,a}", "line 5: a brace in a row"),
        ];
        for (row, expected) in cases {
            assert_eq!(refused(&format!("{head}@data\n{row}\n")), expected);
        }
        assert!(refused("@attribute s string\n").contains("type string, which is not supported"));
        assert!(refused("@attribute s {a,b\n").contains("no end"));
        assert!(refused("@attribute s {a,a}\n").contains("twice"));
        assert!(refused("@data\n").contains("no @attribute"));
        assert!(refused("hello\n").contains("line 1"));
    }

    #[test]
    fn weka_writes_it_in_many_ways() {
        let text = "@relation a{b\n@ATTRIBUTE 'the n' INTEGER\n@attribute x{ 'y z', \"q\\\"\" , w } % why\n%\n@DATA % here\n 1.50 , w % why\n?,'y z'\n";
        let table = read(text).unwrap();
        assert_eq!(table.attributes()[0].name, "the n");
        assert_eq!(table.attributes()[1].values(), ["y z", "q\"", "w"]);
        assert_eq!((table.column(0)[0], table.column(1)), (1.5, &[2.0, 0.0][..]));
    }

    proptest! {
        #[test]
        fn tables_come_back_as_they_were(
            names in prop::collection::vec("[ -~é\\n\\t]{0,8}", 3),
            values in prop::collection::btree_set("[ -~\\n]{0,6}", 1..5),
            rows in prop::collection::vec((prop::option::of(-1e6f64..1e6), prop::option::of(0usize..5)), 0..10),
        ) {
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            let attributes = vec![Attribute::numeric(&names[0]), Attribute::nominal(&names[1], &values)];
            let mut table = Table::new(names[2].clone(), attributes);
            for (number, value) in rows {
                let place = value.map_or(f64::NAN, |value| (value % values.len()) as f64);
                table.push(&[number.unwrap_or(f64::NAN), place]);
            }
            let back = read(&write(&table)).unwrap();
            prop_assert_eq!(format!("{back:?}"), format!("{table:?}"));
        }

        #[test]
        fn any_text_is_a_table_or_an_error(text in "(@relation r\\n)?(@attribute [a-c' ]{1,3} (numeric|\\{[a-c,' ]{0,6}\\})\\n){0,3}(@data\\n)?([0-9a-c,'?% {}\\n]{0,30})") {
            drop(read(&text));
        }
    }
}
