//! What rules for lines leave of a text.

use super::c4::C4;
use super::dclm::LineSignals;
use super::line::Line;
use super::phrases::phrases;

/// Rules that leave out lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::VariantNames, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum LineRules {
    /// Those of C4: see [`C4Signals`](super::C4Signals).
    C4,
    /// Those of C4 as FineWeb has them: lines may end without a mark of punctuation.
    FineWeb,
    /// Those of RefinedWeb and DCLM: see [`LineSignals`].
    RefinedWeb,
}

/// The lines of a text that the rules keep. Those of C4 and FineWeb are without white space around them and without references, as
/// C4 keeps them; their number and characters are those of [`C4Signals`](super::C4Signals). Those of RefinedWeb are as they were, and
/// empty lines stay.
///
/// ```
/// use gleaner_curate::{LineRules, kept_lines};
///
/// let text = "Home\nThe boat [12] came back. \n\nWe use cookies to help you.\nIt had a hold full of herring";
/// assert_eq!(kept_lines(text, LineRules::C4), "The boat  came back.");
/// assert_eq!(
///     kept_lines(text, LineRules::FineWeb),
///     "The boat  came back.\nIt had a hold full of herring"
/// );
/// assert_eq!(kept_lines("3 likes\nThe boat came back.", LineRules::RefinedWeb), "The boat came back.");
/// ```
pub fn kept_lines(text: &str, rules: LineRules) -> String {
    let mut kept = Vec::new();
    let mut c4 = C4::default();
    for text in text.split('\n') {
        let line = Line::new(text, 0);
        let lower = text.to_ascii_lowercase();
        let found: Vec<_> = phrases(&lower).collect();
        let kept_before = [c4.strict.kept_lines, c4.any_end.kept_lines];
        let (is_kept, text) = match rules {
            LineRules::RefinedWeb => {
                let is_left_out = !text.is_empty() && LineSignals::default().add(&line, &found);
                (!is_left_out, text.into())
            }
            LineRules::C4 | LineRules::FineWeb => {
                let text = c4.add(&line, &found);
                let is_kept = match rules {
                    LineRules::C4 => c4.strict.kept_lines > kept_before[0],
                    _ => c4.any_end.kept_lines > kept_before[1],
                };
                (is_kept, text)
            }
        };
        if is_kept {
            kept.push(text);
        }
    }
    kept.join("\n")
}
