//! The names of character references, of the HTML standard: `eacute;` is é.

use std::sync::LazyLock;

/// A name and the code points that it stands for, a line; sorted. What may be written without a semicolon is there twice.
const TABLE: &str = include_str!("names.txt");

/// A name without its `&`, and what it stands for.
type Name = (&'static str, (char, Option<char>));

static NAMES: LazyLock<Vec<Name>> = LazyLock::new(|| TABLE.lines().filter_map(read).collect());

fn read(line: &'static str) -> Option<Name> {
    let mut fields = line.split(' ');
    let name = fields.next()?;
    let mut character = || char::from_u32(u32::from_str_radix(fields.next()?, 16).ok()?);
    Some((name, (character()?, character())))
}

/// The longest name that the text begins with: its bytes, and its one or two characters.
pub(crate) fn longest_name(text: &str) -> Option<(usize, (char, Option<char>))> {
    const FREQUENT: [(&str, char); 6] = [
        ("amp;", '&'),
        ("nbsp;", '\u{a0}'),
        ("quot;", '"'),
        ("lt;", '<'),
        ("gt;", '>'),
        ("copy;", '©'),
    ];
    let frequent = FREQUENT.iter().find(|(name, _)| text.starts_with(name));
    frequent.map_or_else(
        || longest_of_all(text),
        |(name, meant)| Some((name.len(), (*meant, None))),
    )
}

/// Byte after byte, the part of the table whose names begin as the text does.
fn longest_of_all(text: &str) -> Option<(usize, (char, Option<char>))> {
    let mut part = NAMES.as_slice();
    let mut found = None;
    for (at, byte) in text.bytes().enumerate() {
        // Of names that begin alike the shortest, which ends here, is first.
        let own = |name: &Name| name.0.as_bytes().get(at).copied();
        let start = part.partition_point(|name| own(name) < Some(byte));
        let end = start + part[start..].partition_point(|name| own(name) == Some(byte));
        part = &part[start..end];
        let Some((name, meant)) = part.first() else {
            break;
        };
        if name.len() == at + 1 {
            found = Some((name.len(), *meant));
        }
    }
    found
}

#[cfg(all(test, feature = "html5ever"))]
mod tests {
    use html5ever::data::NAMED_ENTITIES;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_those_of_html5ever() {
        let other = NAMED_ENTITIES.entries().filter(|(_, meant)| meant.0 != 0);
        let mut other: Vec<_> = other
            .map(|(&name, &(first, second))| {
                (
                    name,
                    (
                        char::from_u32(first).unwrap(),
                        char::from_u32(second).filter(|&second| second != '\0'),
                    ),
                )
            })
            .collect();
        other.sort_unstable();
        assert_eq!(*NAMES, other);
        assert_eq!(NAMES.len(), TABLE.lines().count());
    }

    /// Every beginning of the text, the longest first.
    fn slowly(text: &str) -> Option<(usize, (char, Option<char>))> {
        let ends = (1..=text.len()).rev().filter(|&end| text.is_char_boundary(end));
        ends.filter_map(|end| {
            let name = NAMES.iter().find(|(name, _)| *name == &text[..end])?;
            Some((end, name.1))
        })
        .next()
    }

    proptest! {
        #[test]
        fn the_longest_name_is_found(at in 0..2231usize, cut in 0..40usize, after in "[a-z;é]{0,3}") {
            let (name, _) = NAMES[at];
            let text = format!("{}{after}", &name[..cut.min(name.len())]);
            prop_assert_eq!(longest_name(&text), slowly(&text));
        }
    }
}
