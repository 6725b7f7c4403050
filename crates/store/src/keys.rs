//! Keys of buckets that the client of a store rejects: those with an empty, `.` or `..` segment, control
//! characters, or bytes that are not UTF-8. One of them would make the listing of all others fail.
//!
//! The client sees such a key under another name, an alias that encodes its bytes. Aliases are put into the answers to
//! listings before the client reads them, and replaced in the URLs of its requests before they are sent.

use std::borrow::Cow;
use std::fmt::Write;

use object_store::path::Path;

/// How an alias begins; the bytes of the key follow in hexadecimal digits.
const ALIAS: &str = "gleaner-odd-key-";

/// The client's path of a key.
pub(crate) fn path_of(key: &str) -> Path {
    match Path::parse(key) {
        Ok(path) if path.as_ref() == key && is_plain(key.as_bytes()) => path,
        // It was no text when it was listed.
        Ok(path) if key_behind(key).is_some_and(|key| String::from_utf8(key).is_err()) => path,
        _ => Path::from(alias(key.as_bytes())),
    }
}

/// The key of the client's path, and its name for people.
pub(crate) fn key_of(path: &Path) -> (String, String) {
    match key_behind(path.as_ref()).map(String::from_utf8) {
        Some(Ok(key)) => (key.clone(), key),
        Some(Err(error)) => {
            let shown = String::from_utf8_lossy(error.as_bytes()).into_owned();
            (path.to_string(), shown)
        }
        None => (path.to_string(), path.to_string()),
    }
}

/// The key that means all keys with a prefix (empty, or with a slash at its end): the client adds a slash.
pub(crate) fn folder(prefix: &str) -> &str {
    match prefix.strip_suffix('/') {
        Some(folder) if is_plain(folder.as_bytes()) => folder,
        _ => prefix,
    }
}

/// Whether the client reads a key as it is.
fn is_plain(key: &[u8]) -> bool {
    let Ok(key) = std::str::from_utf8(key) else {
        return false;
    };
    !key.is_empty()
        && !key.starts_with(ALIAS)
        // What reads the listing leaves out white space around a key.
        && key.trim() == key
        && key
            .split('/')
            .all(|segment| !matches!(segment, "" | "." | "..") && !segment.chars().any(char::is_control))
}

fn alias(key: &[u8]) -> String {
    let mut alias = ALIAS.to_owned();
    for byte in key {
        write!(alias, "{byte:02x}").expect("writing to a string does not fail");
    }
    alias
}

/// The key that a name is an alias of.
fn key_behind(name: &str) -> Option<Vec<u8>> {
    let digits = name.strip_prefix(ALIAS)?.as_bytes();
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

/// What of a listing has keys in it. Names of folders end with a slash, which is no fault.
const ELEMENTS: [(&str, bool); 3] = [("Key", false), ("Name", true), ("Prefix", true)];

/// The answer to a listing with aliases for odd keys.
pub(crate) fn with_aliases(listing: &[u8]) -> Cow<'_, [u8]> {
    let mut changed = Vec::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(open) = find(listing, b"<", at) {
        at = open + 1;
        let Some((text, is_folder)) = element(listing, open) else {
            continue;
        };
        at = text.end;
        let key = unescaped(&listing[text.clone()]);
        let plain = match is_folder {
            true => key.strip_suffix(b"/").unwrap_or(&key),
            false => &key,
        };
        if !plain.is_empty() && !is_plain(plain) {
            changed.extend_from_slice(&listing[copied..text.start]);
            changed.extend_from_slice(alias(&key).as_bytes());
            copied = text.end;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(listing);
    }
    changed.extend_from_slice(&listing[copied..]);
    Cow::Owned(changed)
}

/// The text of the first element of a name.
pub(crate) fn text_of(listing: &[u8], name: &str) -> Option<Vec<u8>> {
    let open = format!("<{name}>");
    let start = find(listing, open.as_bytes(), 0)? + open.len();
    let end = find(listing, format!("</{name}>").as_bytes(), start)?;
    Some(unescaped(&listing[start..end]))
}

/// Where the text of an element with a key is, if one begins here, and whether it may be a folder.
fn element(listing: &[u8], open: usize) -> Option<(std::ops::Range<usize>, bool)> {
    let (name, is_folder) = ELEMENTS.into_iter().find(|(name, _)| {
        let tag = listing.get(open + 1..open + 2 + name.len());
        tag.is_some_and(|tag| tag == [name.as_bytes(), b">"].concat())
    })?;
    let start = open + name.len() + 2;
    let end = find(listing, format!("</{name}>").as_bytes(), start)?;
    Some((start..end, is_folder))
}

fn find(text: &[u8], what: &[u8], from: usize) -> Option<usize> {
    let found = text
        .get(from..)?
        .windows(what.len())
        .position(|part| part == what)?;
    Some(from + found)
}

/// The text of an element without character references.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        let end = after.iter().take(12).position(|&byte| byte == b';');
        let letter = end.filter(|_| byte == b'&').and_then(|end| {
            let letter = letter(std::str::from_utf8(&after[..end]).ok()?)?;
            Some((letter, end))
        });
        match letter {
            Some((letter, end)) => {
                plain.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                rest = &after[end + 1..];
            }
            None => {
                plain.push(byte);
                rest = after;
            }
        }
    }
    plain
}

/// The character of a character reference.
fn letter(reference: &str) -> Option<char> {
    match reference {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        number => {
            let number = number.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)
        }
    }
}

#[cfg(feature = "cloud")]
pub(crate) use address::{Odd, odd, spelled_query};

#[cfg(feature = "cloud")]
mod address {
    use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
    use url::form_urlencoded;

    use super::{ALIAS, key_behind};

    /// What stands encoded in a query, and in a path.
    const IN_QUERY: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~');
    const IN_PATH: &AsciiSet = &IN_QUERY.remove(b'/');

    /// An address without an alias.
    #[derive(Debug, PartialEq, Eq)]
    pub(crate) struct Odd {
        /// The path of the URL, as it has to be sent.
        pub(crate) path: String,
        /// The query, in the order and spelling that is signed.
        pub(crate) query: String,
        /// The path has `.` or `..` segments, which most clients resolve.
        pub(crate) has_dots: bool,
    }

    /// The address that is meant by an address with an alias: of an object, or of the folder that is listed.
    pub(crate) fn odd(path: &str, query: &str) -> Option<Odd> {
        let key = path
            .rsplit_once('/')
            .and_then(|(folder, name)| Some((folder, aliased(name)?)));
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        if key.is_none() && !pairs.any(|(name, value)| behind(&name, &value).is_some()) {
            return None;
        }
        let (path, has_dots) = match key {
            Some((folder, key)) => (
                format!("{folder}/{}", percent_encode(&key, IN_PATH)),
                has_dots(&key),
            ),
            None => (path.to_owned(), false),
        };
        Some(Odd {
            path,
            query: spelled_query(query),
            has_dots,
        })
    }

    fn aliased(name: &str) -> Option<Vec<u8>> {
        name.starts_with(ALIAS).then(|| key_behind(name)).flatten()
    }

    /// The key that a page of a listing begins behind.
    fn behind(name: &str, value: &str) -> Option<Vec<u8>> {
        matches!(name, "start-after" | "marker")
            .then(|| aliased(value))
            .flatten()
    }

    /// A query in the order and spelling that is signed.
    pub(crate) fn spelled_query(query: &str) -> String {
        let pair = |(name, value): (std::borrow::Cow<'_, str>, std::borrow::Cow<'_, str>)| {
            let value = behind(&name, &value).unwrap_or_else(|| value.as_bytes().to_vec());
            let name = percent_encode(name.as_bytes(), IN_QUERY);
            format!("{name}={}", percent_encode(&value, IN_QUERY))
        };
        let mut pairs: Vec<_> = form_urlencoded::parse(query.as_bytes()).map(pair).collect();
        pairs.sort();
        pairs.join("&")
    }

    fn has_dots(key: &[u8]) -> bool {
        key.split(|&byte| byte == b'/')
            .any(|segment| segment == b"." || segment == b"..")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn odd_keys_have_aliases_and_others_have_none() {
        for key in [
            "a",
            "a/b c/ü",
            "a.b/..c/.d",
            "%2F//".trim_end_matches('/'),
            "x&<>\"'",
        ] {
            assert_eq!(path_of(key).as_ref(), key);
        }
        for key in [
            "a//b",
            "/a",
            "a/",
            "./a",
            "a/../b",
            "a\u{1}",
            " a",
            "a\n",
            "gleaner-odd-key-61",
        ] {
            let path = path_of(key);
            assert!(path.as_ref().starts_with(ALIAS), "{key:?}: {path}");
            assert_eq!(key_of(&path).0, key);
        }
    }

    #[test]
    fn a_listing_is_changed_where_keys_are_odd() {
        let listing = b"<R><Name>b</Name><Prefix>a/</Prefix><Contents><Key>a/x&amp;y</Key></Contents><Contents><Key>a//\
            b&#x1;</Key><Size>1</Size></Contents><CommonPrefixes><Prefix>../</Prefix></CommonPrefixes><Key>\xff</Key></R>";
        let expected = "<R><Name>b</Name><Prefix>a/</Prefix><Contents><Key>a/x&amp;y</Key></Contents><Contents><Key>gleaner\
            -odd-key-612f2f6201</Key><Size>1</Size></Contents><CommonPrefixes><Prefix>gleaner-odd-key-2e2e2f</Prefix>\
            </CommonPrefixes><Key>gleaner-odd-key-ff</Key></R>";
        assert_eq!(String::from_utf8_lossy(&with_aliases(listing)), expected);
        let plain = b"<Key>a/b</Key><Key></Key><Key>unclosed";
        assert!(matches!(with_aliases(plain), Cow::Borrowed(_)));
    }

    #[test]
    fn keys_in_no_charset_keep_their_alias_as_key() {
        let path = Path::from("gleaner-odd-key-61ff");
        let (key, name) = key_of(&path);
        assert_eq!(
            (key.as_str(), name.as_str()),
            ("gleaner-odd-key-61ff", "a\u{fffd}")
        );
        assert_eq!(path_of(&key), path);
    }

    #[test]
    fn folders_are_listed_as_they_are_typed() {
        for (prefix, expected) in [
            ("a/b/", "a/b"),
            ("a//", "a//"),
            ("/", "/"),
            ("a/../", "a/../"),
            ("", ""),
        ] {
            assert_eq!(folder(prefix), expected, "{prefix}");
        }
    }

    #[cfg(feature = "cloud")]
    #[test]
    fn addresses_are_those_of_the_keys() {
        let of = |key: &str| odd(&format!("/bucket/{}", path_of(key)), "");
        assert_eq!(of("a/b"), None);
        let found = of("a/./b c\u{7}").unwrap();
        assert_eq!(
            (found.path.as_str(), found.has_dots),
            ("/bucket/a/./b%20c%07", true)
        );
        let found = of("a//ü..").unwrap();
        assert_eq!(
            (found.path.as_str(), found.has_dots),
            ("/bucket/a//%C3%BC..", false)
        );
        let query = format!(
            "prefix=a%2F&list-type=2&start-after={}&continuation-token=a%2B+b",
            path_of("a b//")
        );
        let found = odd("/bucket", &query).unwrap();
        assert_eq!(found.path, "/bucket");
        assert_eq!(
            found.query,
            "continuation-token=a%2B%20b&list-type=2&prefix=a%2F&start-after=a%20b%2F%2F"
        );
        assert_eq!(odd("/bucket", "list-type=2&prefix=a%2F"), None);
    }

    proptest! {
        #[test]
        fn every_key_comes_back(key in "[ -~é\u{0}-\u{2}./]{1,12}") {
            prop_assert_eq!(key_of(&path_of(&key)).0, key.clone());
            let mut escaped = String::new();
            for letter in key.chars() {
                match letter {
                    '&' | '<' | '>' => write!(escaped, "&#{};", letter as u32).unwrap(),
                    letter => escaped.push(letter),
                }
            }
            let listing = format!("<Contents><Key>{escaped}</Key></Contents>");
            let aliased = with_aliases(listing.as_bytes());
            let text = std::str::from_utf8(&aliased).unwrap();
            let inner = text.trim_start_matches("<Contents><Key>").trim_end_matches("</Key></Contents>");
            let seen = unescaped(inner.as_bytes());
            let path = Path::parse(String::from_utf8(seen).unwrap()).unwrap();
            prop_assert_eq!(key_of(&path).0, key);
        }
    }
}
