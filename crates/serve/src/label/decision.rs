//! Decisions as text: as in annotation files, a label and who decided, which is left out if it was a hand.

use gleaner_content::Label;
use gleaner_gold::annotation::{By, Decision};

/// A decision as text.
pub(super) fn written(decision: Decision) -> String {
    match decision.by {
        By::Hand => decision.label.name().to_owned(),
        by => format!("{} {}", decision.label.name(), by.name()),
    }
}

/// The decision of a text; none if it is none.
pub(super) fn read(text: &str) -> Option<Decision> {
    let (label, by) = text.split_once(' ').unwrap_or((text, By::Hand.name()));
    Some(Decision {
        label: Label::ALL.into_iter().find(|known| known.name() == label)?,
        by: By::ALL.into_iter().find(|known| known.name() == by)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_read_as_they_are_written() {
        for label in Label::ALL {
            for by in By::ALL {
                let decision = Decision { label, by };
                assert_eq!(read(&written(decision)), Some(decision));
            }
        }
        assert_eq!(read("header hand"), read("header"));
        for bad in [
            "",
            "Header",
            "header  hand",
            "header accepted twice",
            "h",
            "undecided",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
