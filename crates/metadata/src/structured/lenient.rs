//! JSON with the faults that pages have.
//!
//! Many pages write their JSON by a template, or by hand: with a comma too many or too few, comments, the marks of CDATA,
//! escapes and quotation marks of JavaScript, quotation marks within strings, two objects side by side, or an end that is cut
//! off. All that is whole is read; a string or a number that is cut off is not.
//!
//! Reading never fails and is linear in the text: what follows a quotation mark is looked at up to the next word.

use gleaner_html::without_references;
use serde_json::{Map, Value};

/// What is nested deeper is not read, nor what stands behind it.
const DEPTH: usize = 100;
/// Bytes of a field's name.
const LONGEST_NAME: usize = 80;
/// Marks around a script that no reader of scripts shall see.
const MARKS: [&str; 4] = ["<![CDATA[", "]]>", "<!--", "-->"];

/// The objects and lists of a text, in their order.
pub(super) fn values(text: &str) -> Vec<Value> {
    let is_escaped = !text.contains('"') && text.contains("&quot;");
    let decoded = is_escaped.then(|| without_references(text));
    let mut reader = Reader {
        rest: decoded.as_deref().unwrap_or(text),
        objects: 0,
        lists: 0,
    };
    let mut values = Vec::new();
    loop {
        reader.blank();
        match reader.peek() {
            Some('{' | '[') => values.extend(reader.value(StringPlace::Item)),
            Some(_) => reader.step(),
            None => return values,
        }
    }
}

/// What a string is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StringPlace {
    /// The name of a field.
    Name,
    /// The value of a field.
    Field,
    /// An item of a list.
    Item,
}

struct Reader<'t> {
    rest: &'t str,
    /// The objects and lists that are open.
    objects: usize,
    lists: usize,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let mut letters = self.rest.chars();
        let letter = letters.next();
        self.rest = letters.as_str();
        letter
    }

    fn step(&mut self) {
        self.next();
    }

    /// Passes over one of some letters, if it is next.
    fn take(&mut self, wanted: &[char]) -> bool {
        let found = self.rest.strip_prefix(wanted);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    /// Passes over white space, comments and marks.
    fn blank(&mut self) {
        loop {
            let rest = self.rest.trim_start_matches(is_blank);
            let mark = || MARKS.iter().find_map(|mark| rest.strip_prefix(mark));
            let after = match rest.as_bytes() {
                [b'/', b'/', ..] => Some(after_line(&rest[2..])),
                [b'/', b'*', ..] => Some(rest[2..].split_once("*/").map_or("", |(_, after)| after)),
                [b'<' | b']' | b'-', ..] => mark(),
                _ => None,
            };
            self.rest = after.unwrap_or(rest);
            if after.is_none() {
                return;
            }
        }
    }

    /// The value that begins here; `None` if it is none, or is cut off.
    fn value(&mut self, place: StringPlace) -> Option<Value> {
        self.blank();
        if self.objects + self.lists > DEPTH {
            self.rest = "";
        }
        // What a template did not fill in.
        if let Some((_, after)) = self
            .rest
            .strip_prefix("{{")
            .and_then(|rest| rest.split_once("}}"))
        {
            self.rest = after;
            return None;
        }
        match self.peek()? {
            '{' => Some(self.object()),
            '[' => Some(self.list()),
            mark if is_quote(mark) => self.string(place).map(Value::String),
            _ => self.word(),
        }
    }

    fn object(&mut self) -> Value {
        self.step();
        self.objects += 1;
        let mut fields = Map::new();
        loop {
            self.blank();
            match self.peek() {
                None => break,
                // The end of the list around: that of the object is missing.
                Some(']') if self.lists > 0 => break,
                Some('}') => {
                    self.step();
                    break;
                }
                Some(_) => {
                    if let Some((name, value)) = self.field() {
                        fields.insert(name, value);
                    }
                }
            }
        }
        self.objects -= 1;
        Value::Object(fields)
    }

    /// A field that is whole. If there is none, a letter is skipped.
    fn field(&mut self) -> Option<(String, Value)> {
        let name = match self.peek()? {
            mark if is_quote(mark) => self.string(StringPlace::Name)?,
            letter if is_of_name(letter) => self.bare_name(),
            _ => {
                self.step();
                return None;
            }
        };
        self.blank();
        let is_field = self.take(&[':', '=']);
        let value = is_field.then(|| self.value(StringPlace::Field)).flatten();
        value.map(|value| (name, value))
    }

    fn list(&mut self) -> Value {
        self.step();
        self.lists += 1;
        let mut values = Vec::new();
        loop {
            self.blank();
            match self.peek() {
                None => break,
                // The end of the object around: that of the list is missing.
                Some('}') if self.objects > 0 => break,
                Some(']') => {
                    self.step();
                    break;
                }
                Some(',' | ';' | '}') => self.step(),
                Some(_) => {
                    let before = self.rest.len();
                    values.extend(self.value(StringPlace::Item));
                    if self.rest.len() == before {
                        self.step();
                    }
                }
            }
        }
        self.lists -= 1;
        Value::Array(values)
    }

    fn bare_name(&mut self) -> String {
        let end = self.rest.find(|letter| !is_of_name(letter));
        let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        name.to_owned()
    }

    /// A number, `true`, `false`, `null`, or what begins with a digit, such as a date without quotation marks. `None` for
    /// names of JavaScript, and at the end of the text, where the word may be cut off.
    fn word(&mut self) -> Option<Value> {
        let end = self.rest.find([',', '}', ']', '\n', ';']);
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        let word = word.split("//").next().unwrap_or_default();
        let word = word.split("/*").next().unwrap_or_default().trim();
        let is_number = word.starts_with(|letter: char| letter.is_ascii_digit());
        let value = serde_json::from_str(word).ok();
        value
            .or_else(|| is_number.then(|| Value::from(word)))
            .filter(|_| end.is_some())
    }

    /// The string that begins here; `None` if its end is cut off.
    fn string(&mut self, place: StringPlace) -> Option<String> {
        let first = self.next()?;
        let mut out = String::new();
        loop {
            match self.next()? {
                '\\' => self.escape(&mut out)?,
                letter if closes(first, letter) && self.is_behind_string(place) => return Some(out),
                '\n' if place == StringPlace::Field && self.is_on_line_of_name() => {
                    out.truncate(out.trim_end_matches([' ', ',']).len());
                    return Some(out);
                }
                letter if letter.is_control() => out.push(' '),
                letter => out.push(letter),
            }
        }
    }

    /// Whether here stands what follows a string: a quotation mark before something else is a part of the text.
    fn is_behind_string(&self, place: StringPlace) -> bool {
        let rest = self.rest.trim_start_matches(is_blank);
        let begins_next = |text: &str| match place {
            StringPlace::Item => begins_value(text),
            _ => begins_name(text),
        };
        match rest.chars().next() {
            _ if place == StringPlace::Name => true,
            None | Some('}' | ']' | ';') => true,
            Some(',') => {
                let next = rest[1..].trim_start_matches(is_blank);
                next.is_empty() || next.starts_with(['}', ']', ',', '/']) || begins_next(next)
            }
            Some('/') => rest.starts_with("//") || rest.starts_with("/*"),
            Some('-') => rest.starts_with("-->"),
            // A comma is missing.
            Some(_) => begins_name(rest),
        }
    }

    /// Whether the next field stands in this line: the string before it has no end.
    fn is_on_line_of_name(&self) -> bool {
        let line = self.rest.trim_start_matches([' ', '\t', '\r']);
        line.starts_with(is_quote) && begins_name(line)
    }

    /// What stands behind a backslash: an escape of JSON or of JavaScript, else the letter itself.
    fn escape(&mut self, out: &mut String) -> Option<()> {
        let letter = match self.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => self.utf16(),
            'x' => self.hex(2).and_then(char::from_u32).unwrap_or('x'),
            '\n' => return Some(()),
            letter => letter,
        };
        out.push(letter);
        Some(())
    }

    /// The character behind `\u`: of one unit of UTF-16, or of two.
    fn utf16(&mut self) -> char {
        let Some(first) = self.hex(4) else { return 'u' };
        let before = self.rest;
        if (0xd800..0xdc00).contains(&first) && self.rest.starts_with("\\u") {
            self.rest = &self.rest[2..];
            match self.hex(4) {
                Some(second @ 0xdc00..0xe000) => {
                    let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                    return char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                }
                _ => self.rest = before,
            }
        }
        char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// The number that `digits` hexadecimal digits are; nothing is skipped if there are fewer.
    fn hex(&mut self, digits: usize) -> Option<u32> {
        let own = self.rest.get(..digits)?;
        let is_hex = own.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u32::from_str_radix(own, 16).ok().filter(|_| is_hex)?;
        self.rest = &self.rest[digits..];
        Some(number)
    }
}

fn is_blank(letter: char) -> bool {
    letter.is_whitespace() || letter.is_control() || matches!(letter, '\u{200b}' | '\u{feff}')
}

/// What stands behind the rest of a line that is a comment. A mark in a comment ends it: what follows may be JSON, if the line
/// breaks of the page were removed.
fn after_line(comment: &str) -> &str {
    let bare = comment.trim_start_matches([' ', '\t', '/']);
    match MARKS.iter().find_map(|mark| bare.strip_prefix(mark)) {
        Some(after) => after,
        None => comment.split_once('\n').map_or("", |(_, after)| after),
    }
}

fn is_quote(letter: char) -> bool {
    matches!(letter, '"' | '\'' | '“' | '”' | '„')
}

/// Whether a quotation mark closes a string that another opened.
fn closes(first: char, letter: char) -> bool {
    match first {
        '"' | '\'' => letter == first,
        _ => matches!(letter, '“' | '”' | '"'),
    }
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '@' | '_' | '$')
}

/// Whether a text begins with a value.
fn begins_value(text: &str) -> bool {
    let is_literal = || {
        ["true", "false", "null"]
            .iter()
            .any(|word| text.starts_with(word))
    };
    let is_value =
        |letter: char| matches!(letter, '{' | '[' | '-') || letter.is_ascii_digit() || is_quote(letter);
    text.starts_with(is_value) || is_literal()
}

/// Whether a text begins with the name of a field and its colon, or is cut off in them.
fn begins_name(text: &str) -> bool {
    let mark = text.chars().next().filter(|&letter| is_quote(letter));
    let mut is_escaped = false;
    let is_end = |letter: char| match mark {
        Some(mark) => {
            let is_mark = closes(mark, letter) && !is_escaped;
            is_escaped = letter == '\\' && !is_escaped;
            is_mark || letter == '\n'
        }
        None => !is_of_name(letter),
    };
    let name = &text[mark.map_or(0, char::len_utf8)..];
    let near = &name[..name.floor_char_boundary(LONGEST_NAME)];
    let Some(end) = near.find(is_end) else {
        return mark.is_some() && near.len() == name.len();
    };
    let behind = match mark {
        Some(_) => name[end..].strip_prefix(is_quote).unwrap_or(&name[end..]),
        None => &name[end..],
    };
    let behind = behind.trim_start_matches(is_blank);
    let is_cut = mark.is_some() && behind.is_empty();
    (mark.is_some() || end > 0) && (behind.starts_with(':') || is_cut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn what_is_whole_is_read() {
        let whole = json!([{"a": "one", "b": {"c": [1, "two"]}, "d": true}]);
        for text in [
            r#"{"a": "one", "b": {"c": [1, "two",],}, "d": true,}"#,
            r#"{"a": "one",, "b": {"c": [1, , "two"]}; "d": true};"#,
            "{\"a\": \"one\"\n \"b\": {\"c\": [1, \"two\"]} \"d\": true}",
            "{'a': 'one', b: {c: [1, 'two']}, d: true}",
            "{“a”: “one”, “b”: {“c”: [1, “two”]}, “d”: true}",
            "{&quot;a&quot;: &quot;one&quot;, &quot;b&quot;: {&quot;c&quot;: [1, &quot;two&quot;]}, &quot;d&quot;: true}",
            "// the mill\n{\"a\": \"one\", /* two */ \"b\": {\"c\": [1, // three\n\"two\"]}, \"d\": true}",
            "\n//<![CDATA[\n{\"a\": \"one\", \"b\": {\"c\": [1, \"two\"]}, \"d\": true}\n//]]>\n",
            "//<![CDATA[ {\"a\": \"one\", \"b\": {\"c\": [1, \"two\"]}, \"d\": true} //]]>",
            "/*<![CDATA[*/{\"a\": \"one\", \"b\": {\"c\": [1, \"two\"]}, \"d\": true}/*]]>*/",
            "<![CDATA[{\"a\": \"one\", \"b\": {\"c\": [1, \"two\"]}, \"d\": true}]]>",
            "<!-- {\"a\": \"one\", \"b\": {\"c\": [1, \"two\"]}, \"d\": true} -->",
            "\u{feff}var data = {\"a\": \"one\", \"b\": {\"c\": [1, \"two\"]}, \"d\": true};",
            "{\"a\": \"one\", \"b\": {\"c\": [1, \"two\"}, \"d\": true}",
            "{\"a\": \"one\", \"b\": {\"c\": [1, \"two\"]}, \"d\": true, \"e\": undefined, \"f\": , \"g\"}",
            "{\"a\": \"one\", \"b\": {\"c\": [1, \"two\"]}, \"d\": true, \"e\": \"cut o",
            "{\"a\": \"one\", \"b\": {\"c\": [1, \"two\"]}, \"d\": true, \"e\": 20",
            "{\"a\": \"one\", \"b\": {\"c\": [1, \"two\"]}, \"d\": true, \"e",
        ] {
            assert_eq!(Value::from(values(text)), whole, "{text}");
        }
    }

    #[test]
    fn strings_are_read_as_they_are_meant() {
        for (text, wanted) in [
            (r"The mill\'s \x26 \u0026 \-", "The mill's & & -"),
            (r"\ud83d\ude00 \ud83d \uzz \xq", "\u{1f600} \u{fffd} uzz xq"),
            (r#"The "old" mill"#, r#"The "old" mill"#),
            (
                r#"He said "go", "run" and left"#,
                r#"He said "go", "run" and left"#,
            ),
            (r#"Ann: "no": never"#, r#"Ann: "no": never"#),
            ("two\nlines\tand a tab", "two lines and a tab"),
            ("one\\\nline", "oneline"),
            ("a // b /* c */ <!-- d -->", "a // b /* c */ <!-- d -->"),
        ] {
            let json = format!("{{\"a\": \"{text}\", \"b\": 1}}");
            assert_eq!(values(&json), [json!({"a": wanted, "b": 1})], "{json}");
        }
        let open = "{\"a\": \"no end,\n  \"b\": \"2024-05-06\", 'c': 'Ann O'Shea'}";
        assert_eq!(
            values(open),
            [json!({"a": "no end", "b": "2024-05-06", "c": "Ann O'Shea"})]
        );
        assert_eq!(values("{a: 2024-05-06, b: f(1)}"), [json!({"a": "2024-05-06"})]);
    }

    #[test]
    fn several_values_are_read() {
        assert_eq!(values(r#"{"a": 1}{"b": 2}"#), [json!({"a": 1}), json!({"b": 2})]);
        assert_eq!(
            values(r#"{"a": 1}, [{"b": 2}]"#),
            [json!({"a": 1}), json!([{"b": 2}])]
        );
        for none in ["", "a", "\"", "}]", "//", "/*", "<!--"] {
            assert!(values(none).is_empty(), "{none}");
        }
    }

    #[test]
    fn hostile_texts_are_read_in_bounded_time() {
        for part in [
            "{",
            "[",
            "{\"a\":",
            "\"",
            "\" ",
            "'\n",
            "[\"",
            "/*",
            "//",
            "\\",
            "{\"a\": \"\n",
            "\" ,",
            "{}",
        ] {
            values(&part.repeat(200_000));
        }
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "\\PC{0,12}|[\"',:{}\\[\\]\\\\/ a]{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec(("\\PC{0,6}", inner), 0..5)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn sound_json_is_read_as_it_is(value in json(), pretty in any::<bool>()) {
            let value = json!([value]);
            let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
            let text = text.unwrap();
            let strict: Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(values(&text), [strict]);
        }

        #[test]
        fn any_text_is_read(text in "\\PC{0,60}|([{}\\[\\]:,;\"'a1\\\\ux/*\n -]|//|<!--|]]>|true){0,40}") {
            values(&text);
        }

        #[test]
        fn what_stands_before_a_cut_is_read(at in 0usize..60) {
            let text = r#"{"a": "one", "b": {"c": ["two", "three"]}, "d": "four", "e": 5}"#;
            let whole: Value = serde_json::from_str(text).unwrap();
            for value in values(&text[..at.min(text.len())]) {
                let own = value.as_object().unwrap();
                prop_assert!(own.iter().all(|(name, value)| name == "b" || whole.get(name) == Some(value)));
                let after = ["\"a\": \"one\"", "\"d\": \"four\""].iter().filter(|part| text[..at].contains(*part)).count();
                prop_assert!(own.len() >= after);
            }
        }
    }
}
