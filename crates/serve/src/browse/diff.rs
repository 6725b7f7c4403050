//! How a text differs from another one: by lines, and within lines that changed by words.

use std::time::Duration;

use serde::Serialize;
use similar::{Algorithm, ChangeTag, DiffTag, TextDiff};

/// The time after which a comparison becomes coarse.
const TIME: Duration = Duration::from_millis(500);

/// A part of both texts, or of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Part {
    op: Op,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Op {
    Same,
    /// Of the document alone.
    OnlyHere,
    /// Of the survivor alone.
    OnlyThere,
}

/// The parts of the text of a survivor (`there`) and of another document (`here`): without `OnlyHere` they are the one, without
/// `OnlyThere` the other.
pub(crate) fn diff(there: &str, here: &str) -> Vec<Part> {
    let mut parts = Parts::default();
    let lines = TextDiff::configure()
        .algorithm(Algorithm::Myers)
        .timeout(TIME)
        .diff_lines(there, here);
    for op in lines.ops() {
        let old = lines.old_slices()[op.old_range()].concat();
        let new = lines.new_slices()[op.new_range()].concat();
        match op.tag() {
            DiffTag::Equal => parts.push(Op::Same, &old),
            DiffTag::Delete => parts.push(Op::OnlyThere, &old),
            DiffTag::Insert => parts.push(Op::OnlyHere, &new),
            DiffTag::Replace => parts.push_words(&old, &new),
        }
    }
    parts.0
}

#[derive(Default)]
struct Parts(Vec<Part>);

impl Parts {
    fn push(&mut self, op: Op, text: &str) {
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            Some(last) if last.op == op => last.text.push_str(text),
            _ => self.0.push(Part {
                op,
                text: text.to_owned(),
            }),
        }
    }

    fn push_words(&mut self, there: &str, here: &str) {
        let words = TextDiff::configure().timeout(TIME).diff_words(there, here);
        for change in words.iter_all_changes() {
            let op = match change.tag() {
                ChangeTag::Equal => Op::Same,
                ChangeTag::Delete => Op::OnlyThere,
                ChangeTag::Insert => Op::OnlyHere,
            };
            self.push(op, change.value());
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn part(op: Op, text: &str) -> Part {
        let text = text.to_owned();
        Part { op, text }
    }

    #[test]
    fn lines_are_compared_and_then_their_words() {
        let there = "The tide\ncomes at six\nSea\n";
        let here = "The tide\ncomes at seven\nSea\nHome\n";
        let parts = diff(there, here);
        assert_eq!(
            parts,
            [
                part(Op::Same, "The tide\ncomes at "),
                part(Op::OnlyThere, "six"),
                part(Op::OnlyHere, "seven"),
                part(Op::Same, "\nSea\n"),
                part(Op::OnlyHere, "Home\n"),
            ]
        );
        assert_eq!(diff("a\n", "a\n"), [part(Op::Same, "a\n")]);
        assert!(diff("", "").is_empty());
    }

    proptest! {
        #[test]
        fn both_texts_are_in_the_parts(there in "[ab é\n\r]{0,60}", here in "[ab é\n\r]{0,60}") {
            let parts = diff(&there, &here);
            let without = |op: Op| -> String {
                parts.iter().filter(|part| part.op != op).map(|part| part.text.as_str()).collect()
            };
            prop_assert_eq!(without(Op::OnlyHere), there);
            prop_assert_eq!(without(Op::OnlyThere), here);
            prop_assert!(parts.windows(2).all(|two| two[0].op != two[1].op));
        }
    }
}
