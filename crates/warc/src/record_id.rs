//! Record ids, in the one form in which they are written.

use std::borrow::Cow;

/// A record id as the WARC standard writes it, in angle brackets: `<urn:uuid:...>`. Writers that leave the brackets
/// off, and gold files without them, mean the same record. `FILE#OFFSET`, which stands for the id of a record that has
/// none, is no URI and gets no brackets; nor does an empty id.
///
/// ```
/// # use gleaner_warc::record_id;
/// assert_eq!(record_id("urn:uuid:1"), "<urn:uuid:1>");
/// assert_eq!(record_id("<urn:uuid:1>"), "<urn:uuid:1>");
/// assert_eq!(record_id("a.warc.gz#120"), "a.warc.gz#120");
/// ```
pub fn record_id(id: &str) -> Cow<'_, str> {
    let bare = id.trim_matches(['<', '>', ' ', '\t']);
    let has_brackets = id.len() == bare.len() + 2 && id.starts_with('<') && id.ends_with('>');
    match bare {
        "" => Cow::Borrowed(""),
        _ if has_brackets => Cow::Borrowed(id),
        _ if id.len() == bare.len() && is_place(bare) => Cow::Borrowed(id),
        _ => Cow::Owned(format!("<{bare}>")),
    }
}

/// Whether it is a place in a file: `FILE#OFFSET`.
fn is_place(id: &str) -> bool {
    let offset = id.rsplit_once('#').map(|(_, offset)| offset);
    offset.is_some_and(|offset| !offset.is_empty() && offset.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn brackets_are_added_once() {
        for (id, written) in [
            ("", ""),
            ("<>", ""),
            ("1", "<1>"),
            (" <urn:uuid:1> ", "<urn:uuid:1>"),
            ("<<urn:uuid:1>>", "<urn:uuid:1>"),
            ("urn:uuid:1>", "<urn:uuid:1>"),
            ("s3://b/a.warc.gz#12", "s3://b/a.warc.gz#12"),
            ("<http://a.example/#12>", "<http://a.example/#12>"),
            ("http://a.example/#top", "<http://a.example/#top>"),
        ] {
            assert_eq!(record_id(id), written, "{id}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_stays_as_it_is(id in "[<> a#1:]{0,12}") {
            let written = record_id(&id).into_owned();
            prop_assert_eq!(record_id(&written), written.as_str());
        }
    }
}
