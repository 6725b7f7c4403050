//! The measures of the CleanEval shared task: measures (3) to (5) of the Victor thesis (chapter 5).
//!
//! The task's description gives them in words (Baroni, Chantree, Kilgarriff and Sharoff 2008, and
//! the page of its development set): one score from the edit distance of both files together with
//! the extent to which the tags mark blocks of text that start and end in the same places, one from
//! the alignment of the text alone, and the mean of both. Here that means:
//!
//! - *text only* (4): `1 - d / n`, with d the edit distance of the words and n the number of words
//!   of the longer side;
//! - *markup* (3): the mean of two numbers. One is the same with each tag as one more word in its
//!   place. The other is the F1 of the segments: one is right when the gold has one with the same
//!   tag, and the first words of both and the last words of both are aligned in (4);
//! - *total* (5): the mean of (3) and (4).
//!
//! Words are those of the word score: lower-cased, without punctuation.

use gleaner_content::Label;
use gleaner_document::{LinePlace, Lines, Piece};
use serde::Serialize;

use crate::symbols::Symbols;
use crate::{Score, Segment, edit_alignment};

/// The measures of one page, each from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CleanevalScore {
    /// The similarity of the words with a tag before each segment.
    pub tagged: f64,
    /// Precision, recall and F1 of the segments.
    pub segments: Score,
    /// Measure (3).
    pub markup: f64,
    /// Measure (4).
    pub text: f64,
    /// Measure (5).
    pub total: f64,
}

/// Scores the segments of a result against those of the gold.
///
/// ```
/// use gleaner_gold::{cleaneval_score, segments};
///
/// let gold = segments("<h>A title<p>Some words of text.");
/// assert_eq!(cleaneval_score(&gold, &gold).total, 1.0);
/// // One word of six is missing, and so one of two segments ends elsewhere.
/// let score = cleaneval_score(&segments("<h>A title<p>Some words of"), &gold);
/// assert_eq!((score.text, score.segments.f1), (5.0 / 6.0, 0.5));
/// ```
pub fn cleaneval_score(kept: &[Segment], gold: &[Segment]) -> CleanevalScore {
    let mut symbols = Symbols::default();
    let (kept, gold) = (Side::new(kept, &mut symbols), Side::new(gold, &mut symbols));
    let alignment = edit_alignment(&kept.words, &gold.words);
    let text = similarity(alignment.distance, kept.words.len(), gold.words.len());
    let (with_tags, gold_with_tags) = (kept.tagged(&symbols), gold.tagged(&symbols));
    let distance = edit_alignment(&with_tags, &gold_with_tags).distance;
    let tagged = similarity(distance, with_tags.len(), gold_with_tags.len());
    let segments = segment_score(&kept, &gold, &alignment.pairs);
    let markup = (tagged + segments.f1) / 2.0;
    CleanevalScore {
        tagged,
        segments,
        markup,
        text,
        total: (markup + text) / 2.0,
    }
}

/// Measure (4) alone, for gold without tags.
///
/// ```
/// assert_eq!(gleaner_gold::text_only_score("one two three", "One, too, three, four"), 0.5);
/// ```
pub fn text_only_score(kept: &str, gold: &str) -> f64 {
    let mut symbols = Symbols::default();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    symbols.read(kept, &mut ours);
    symbols.read(gold, &mut theirs);
    let distance = edit_alignment(&ours, &theirs).distance;
    similarity(distance, ours.len(), theirs.len())
}

/// The segments that labelled blocks make: a header, paragraph or list item begins one, and a
/// continuation belongs to the one before, even if blocks between were dropped; without one before it
/// begins a paragraph. One line of the page is one segment, whatever its labels.
pub fn kept_segments<'t>(blocks: impl IntoIterator<Item = Piece<'t>>) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    let mut lines = Lines::default();
    for Piece {
        text, label, joint, ..
    } in blocks
    {
        let (white, label) = match lines.place(label, joint) {
            LinePlace::Dropped => continue,
            LinePlace::Continues(white) => (Some(white), label),
            LinePlace::Begins(_, Label::Continuation) => (Some(" "), label),
            LinePlace::Begins(_, label) => (None, label),
        };
        match (white, segments.last_mut()) {
            (Some(white), Some(last)) => {
                last.text.push_str(white);
                last.text.push_str(text);
            }
            _ => segments.push(Segment {
                label: if label == Label::Continuation {
                    Label::Paragraph
                } else {
                    label
                },
                text: text.to_owned(),
            }),
        }
    }
    segments
}

/// Labelled blocks as a file of the shared task: a `URL:` line, where the address is known, and a tag before each segment.
///
/// ```
/// use gleaner_content::Label::{Continuation, Header, Other, Paragraph};
/// use gleaner_document::Piece;
/// use gleaner_page::{Joint, Tabs};
///
/// let blocks = [("One", Header), ("menu", Other), ("two", Paragraph), ("three", Continuation)];
/// let pieces = blocks.map(|(text, label)| Piece { text, label, joint: Joint::Apart, tabs: Tabs::default() });
/// let text = gleaner_gold::cleaneval_text("http://a.example/", pieces);
/// assert_eq!(text, "URL: http://a.example/\n\n<h>One\n\n<p>two three\n");
/// ```
pub fn cleaneval_text<'t>(url: &str, blocks: impl IntoIterator<Item = Piece<'t>>) -> String {
    let mut text = match url {
        "" => String::new(),
        url => format!("URL: {url}\n"),
    };
    for segment in kept_segments(blocks) {
        text.push_str(match segment.label {
            Label::Header => "\n<h>",
            Label::List => "\n<l>",
            _ => "\n<p>",
        });
        text.push_str(&segment.text);
        text.push('\n');
    }
    text
}

/// `1 - distance / longer`; two empty sides are alike.
fn similarity(distance: usize, one: usize, other: usize) -> f64 {
    match one.max(other) {
        0 => 1.0,
        longer => 1.0 - distance as f64 / longer as f64,
    }
}

/// The words of one side, and the segments that have any: their tag, first word and end.
struct Side {
    words: Vec<u32>,
    segments: Vec<(Label, usize, usize)>,
}

impl Side {
    fn new(segments: &[Segment], symbols: &mut Symbols) -> Side {
        let mut side = Side {
            words: Vec::new(),
            segments: Vec::new(),
        };
        for segment in segments {
            let start = side.words.len();
            symbols.read(&segment.text, &mut side.words);
            if side.words.len() > start {
                side.segments.push((segment.label, start, side.words.len()));
            }
        }
        side
    }

    /// The words, with a symbol for each tag that no word has.
    fn tagged(&self, symbols: &Symbols) -> Vec<u32> {
        let mut tagged = Vec::with_capacity(self.words.len() + self.segments.len());
        for &(label, start, end) in &self.segments {
            tagged.push(symbols.count() + label as u32);
            tagged.extend_from_slice(&self.words[start..end]);
        }
        tagged
    }
}

fn segment_score(kept: &Side, gold: &Side, pairs: &[(usize, usize)]) -> Score {
    let partner = |word: usize| {
        let place = pairs.binary_search_by_key(&word, |pair| pair.0).ok()?;
        Some(pairs[place].1)
    };
    let is_right = |&&(label, start, end): &&(Label, usize, usize)| {
        let Some((first, last)) = partner(start).zip(partner(end - 1)) else {
            return false;
        };
        let place = gold.segments.binary_search_by_key(&first, |segment| segment.1);
        place.is_ok_and(|place| gold.segments[place] == (label, first, last + 1))
    };
    let right = kept.segments.iter().filter(is_right).count();
    Score::of_counts(right, kept.segments.len(), gold.segments.len())
}

#[cfg(test)]
mod tests {
    use gleaner_content::Label::{Continuation, Header, List, Other, Paragraph};
    use gleaner_page::{Joint, Tabs};
    use proptest::prelude::*;

    use super::*;
    use crate::segments;

    fn score(kept: &str, gold: &str) -> CleanevalScore {
        cleaneval_score(&segments(kept), &segments(gold))
    }

    #[test]
    fn a_wrong_tag_is_a_wrong_segment_and_one_edit() {
        let score = score("<p>One two<p>three four", "<h>One two<p>three four");
        assert_eq!((score.text, score.segments.f1), (1.0, 0.5));
        assert!((score.tagged - (1.0 - 1.0 / 6.0)).abs() < 1e-12);
        assert!((score.markup - (score.tagged + 0.5) / 2.0).abs() < 1e-12);
        assert!((score.total - (score.markup + 1.0) / 2.0).abs() < 1e-12);
    }

    #[test]
    fn segments_that_are_joined_are_none_of_both() {
        let score = score("<p>One two three four<p>five", "<p>One two<p>three four<p>five");
        assert_eq!(
            (score.segments.precision, score.segments.recall),
            (0.5, 1.0 / 3.0)
        );
        assert_eq!(score.text, 1.0);
    }

    #[test]
    fn words_that_are_swapped_do_not_count() {
        assert_eq!(text_only_score("one two three four", "three four one two"), 0.0);
        assert_eq!(text_only_score("", " - "), 1.0);
        assert_eq!(text_only_score("", "word"), 0.0);
    }

    #[test]
    fn an_empty_gold_wants_nothing() {
        assert_eq!(score("", "").total, 1.0);
        assert_eq!(score("<p>one", "").total, 0.0);
        assert_eq!(score("", "<p>one").total, 0.0);
    }

    fn made(blocks: &[(&str, Label, Joint)]) -> Vec<(Label, String)> {
        let pieces = blocks.iter().map(|&(text, label, joint)| Piece {
            text,
            label,
            joint,
            tabs: Tabs::default(),
        });
        let segments = kept_segments(pieces).into_iter();
        segments.map(|one| (one.label, one.text)).collect()
    }

    #[test]
    fn a_line_is_in_one_segment() {
        let blocks = [
            ("until", List, Joint::Apart),
            ("Friday,", Other, Joint::Spaced),
            ("and", Paragraph, Joint::Spaced),
            ("(so)", Header, Joint::Glued),
            ("x", Continuation, Joint::Break),
        ];
        assert_eq!(made(&blocks), [(List, "until and(so) x".to_owned())]);
    }

    #[test]
    fn continuations_join_over_what_is_dropped() {
        let blocks = [
            ("went", Continuation),
            ("menu", Other),
            ("out", Continuation),
            ("T", Header),
            ("x", Paragraph),
        ];
        let made = made(&blocks.map(|(text, label)| (text, label, Joint::Apart)));
        let wanted = [(Paragraph, "went out"), (Header, "T"), (Paragraph, "x")];
        assert_eq!(made, wanted.map(|(label, text)| (label, text.to_owned())));
    }

    proptest! {
        #[test]
        fn measures_are_shares(kept in "(<[hpl]>|[a-d ]{1,9}){0,20}", gold in "(<[hpl]>|[a-d ]{1,9}){0,20}") {
            let score = score(&kept, &gold);
            for share in [score.tagged, score.segments.f1, score.markup, score.text, score.total] {
                prop_assert!((0.0..=1.0).contains(&share));
            }
            prop_assert_eq!(cleaneval_score(&segments(&gold), &segments(&gold)).total, 1.0);
        }
    }
}
