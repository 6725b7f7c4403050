//! The main heading in the text: kept and first, or left out.
//!
//! The page's metadata name the blocks that show the title. They are the main heading if they stand before the main text: if at
//! most half of the kept words stand before them. A page without any other content has no main heading in its text.

use std::ops::Range;

use gleaner_content::Label;

use crate::{Decision, Layout};

impl Layout {
    /// The blocks of the main heading, if labels keep them.
    ///
    /// # Panics
    /// There are not as many labels as blocks.
    pub fn kept_heading(&self, labels: &[Label]) -> Option<Range<usize>> {
        self.main_heading(labels)
            .filter(|heading| labels[heading.start].is_content())
    }

    /// Keeps the main heading, if anything else is kept.
    pub fn keep_heading(&self, decision: &mut Decision) {
        let Some(heading) = self.main_heading(&decision.labels) else {
            return;
        };
        let first = heading.start;
        for block in heading {
            let label = match block == first {
                true => Label::Header,
                false => Label::Continuation,
            };
            decision.change(block, label);
        }
    }

    /// Leaves the main heading out.
    pub fn drop_heading(&self, decision: &mut Decision) {
        if let Some(heading) = self.heading_before_text(&decision.labels) {
            heading.for_each(|block| decision.change(block, Label::Other));
        }
    }

    /// The blocks of the main heading, kept or not; none if nothing else is kept.
    fn main_heading(&self, labels: &[Label]) -> Option<Range<usize>> {
        let heading = self.heading_before_text(labels)?;
        let mut others = labels[..heading.start].iter().chain(&labels[heading.end..]);
        others.any(|label| label.is_content()).then_some(heading)
    }

    /// The blocks that show the title, if they stand before the main text.
    fn heading_before_text(&self, labels: &[Label]) -> Option<Range<usize>> {
        assert_eq!(labels.len(), self.len(), "as many labels as blocks");
        let heading = self.title_blocks();
        if heading.is_empty() {
            return None;
        }
        let kept = |blocks: Range<usize>| -> u64 {
            let blocks = self.sizes()[blocks.clone()].iter().zip(&labels[blocks]);
            let kept = blocks.filter(|(_, label)| label.is_content());
            kept.map(|(&size, _)| u64::from(size)).sum()
        };
        (kept(0..heading.start) <= kept(heading.end..self.len())).then_some(heading)
    }
}

impl Decision {
    /// Gives a block a label that the title of the page decides. Its confidence is then that of the labeller in its being
    /// content, or not.
    fn change(&mut self, block: usize, label: Label) {
        if std::mem::replace(&mut self.labels[block], label) == label {
            return;
        }
        let content = self.content[block];
        self.confidence[block] = if label.is_content() {
            content
        } else {
            1.0 - content
        };
    }
}

#[cfg(test)]
mod tests {
    use gleaner_page::{PageConfig, Parser};

    use super::*;

    use Label::{Continuation, Header, Other, Paragraph};

    /// The layout of lines of a page, of which these show the title.
    fn layout(lines: &[&str], heading: Range<u32>) -> Layout {
        let html: String = lines.iter().map(|line| format!("<p>{line}</p>")).collect();
        let mut parser = Parser::new(PageConfig::default());
        let page = parser.parse(html.as_bytes(), None).unwrap();
        let words = lines.iter().map(|line| line.split(' ').count() as u32);
        Layout::new(page, words).with_heading(heading)
    }

    fn kept(layout: &Layout, labels: &[Label]) -> (Vec<Label>, String) {
        let mut decision = Decision::certain(labels.to_vec());
        layout.keep_heading(&mut decision);
        let text = layout.kept_text(&decision.labels);
        (decision.labels, text)
    }

    const LINES: [&str; 4] = ["May 3", "On tides", "The sea rises and falls.", "Share"];

    #[test]
    fn a_heading_is_kept_and_stands_first() {
        let layout = layout(&LINES, 1..2);
        let wanted = vec![Paragraph, Header, Paragraph, Other];
        let text = "On tides\n\nMay 3\n\nThe sea rises and falls.\n";
        for label in [Other, Paragraph, Header] {
            let labels = [Paragraph, label, Paragraph, Other];
            assert_eq!(kept(&layout, &labels), (wanted.clone(), text.to_owned()));
        }
        let (_, text) = kept(&layout, &[Other, Other, Continuation, Other]);
        assert_eq!(text, "On tides\n\nThe sea rises and falls.\n");
    }

    #[test]
    fn blocks_of_a_heading_are_one_line() {
        let layout = layout(&["On", "tides", "The sea rises and falls."], 0..2);
        let (labels, text) = kept(&layout, &[Other, Other, Paragraph]);
        assert_eq!(labels, [Header, Continuation, Paragraph]);
        assert_eq!(text, "On tides\n\nThe sea rises and falls.\n");
    }

    #[test]
    fn a_title_alone_is_no_text() {
        let layout = layout(&LINES, 1..2);
        assert_eq!(kept(&layout, &[Other; 4]), (vec![Other; 4], String::new()));
    }

    #[test]
    fn a_title_behind_the_text_is_as_the_labeller_says() {
        let lines = ["The sea rises and falls.", "On tides", "Share"];
        let layout = layout(&lines, 1..2);
        let labels = vec![Paragraph, Other, Other];
        let text = "The sea rises and falls.\n".to_owned();
        assert_eq!(kept(&layout, &labels), (labels.clone(), text));
        let (_, text) = kept(&layout, &[Paragraph, Header, Other]);
        assert_eq!(text, "The sea rises and falls.\n\nOn tides\n");
    }

    #[test]
    fn a_heading_may_be_left_out() {
        let layout = layout(&LINES, 1..2);
        for labels in [
            [Paragraph, Header, Paragraph, Other],
            [Other, Header, Other, Other],
        ] {
            let mut decision = Decision::certain(labels.to_vec());
            layout.drop_heading(&mut decision);
            assert_eq!(decision.labels[1], Other);
            assert!(!layout.kept_text(&decision.labels).contains("On tides"));
        }
    }
}
