//! One page being labelled: where the cursor is, what is selected, what is decided.
//!
//! A state machine without a terminal: commands in, state out.

use std::ops::RangeInclusive;

use gleaner_content::Label;
use gleaner_gold::annotation::{By, Decision};

use crate::Block;
use crate::history::{Change, ChangedBlock, History};
use crate::search::Pattern;

/// What can be done to the labels of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Gives the selected blocks this label.
    Label(Label),
    /// Accepts what is suggested for the selected blocks, as far as they are not done.
    Accept,
    /// Accepts what is suggested for all blocks that are not done.
    AcceptAll,
    /// Makes the selected blocks undecided.
    Clear,
    /// Takes the last change back.
    Undo,
    /// Makes the change that was taken back last.
    Redo,
}

/// Where the cursor can go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// This many blocks up.
    Up(usize),
    /// This many blocks down.
    Down(usize),
    /// To the block of this index, or the last.
    To(usize),
    /// To the next block that is not done; from the last on to the first.
    NextOpen,
    /// To the block before that is not done; from the first on to the last.
    PreviousOpen,
    /// To the least certain block that is not done; from there to the next in that order, and
    /// from the last on to the first.
    LessCertain,
    /// The same in the opposite order.
    MoreCertain,
}

/// What came of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edited {
    /// This many blocks changed.
    Blocks(usize),
    /// There was nothing to take back, or nothing was taken back.
    NothingToUndo,
    /// No block has a suggestion to be accepted.
    NothingToAccept,
}

/// A page being labelled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Editor {
    blocks: Vec<Block>,
    decisions: Vec<Option<Decision>>,
    cursor: usize,
    anchor: Option<usize>,
    history: History,
    /// How many blocks are done.
    done: usize,
    /// The blocks from least to most certain.
    by_certainty: Vec<u32>,
    /// Where the last step in that order led.
    walked: Option<usize>,
}

impl Editor {
    /// A page with what has been decided of it, a decision a block.
    ///
    /// # Panics
    /// There are not as many decisions as blocks.
    pub fn new(blocks: Vec<Block>, decisions: Vec<Option<Decision>>) -> Editor {
        assert_eq!(blocks.len(), decisions.len(), "as many decisions as blocks");
        let doubt = |block: u32| {
            blocks[block as usize]
                .suggestion
                .map_or(0.0, |own| own.uncertainty)
        };
        let mut by_certainty: Vec<u32> = (0..blocks.len() as u32).collect();
        by_certainty.sort_by(|&a, &b| doubt(b).total_cmp(&doubt(a)));
        Editor {
            done: decisions.iter().filter(|decision| is_done(decision)).count(),
            blocks,
            decisions,
            by_certainty,
            ..Editor::default()
        }
    }

    /// The page's blocks.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// What is decided, a decision a block.
    pub fn decisions(&self) -> &[Option<Decision>] {
        &self.decisions
    }

    /// The block under the cursor; 0 on a page without blocks.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// How many blocks the user has decided on.
    pub fn done(&self) -> usize {
        self.done
    }

    /// Whether the user has decided on a block.
    pub fn is_done(&self, block: usize) -> bool {
        is_done(&self.decisions[block])
    }

    /// Whether every block is done.
    pub fn is_complete(&self) -> bool {
        self.done == self.blocks.len()
    }

    /// The label that is suggested for a block: from gold text, else from the model.
    pub fn suggested(&self, block: usize) -> Option<Label> {
        let aligned = self.decisions[block].filter(|decision| decision.by == By::Aligned);
        let model = || self.blocks[block].suggestion.map(|own| own.label);
        aligned.map(|decision| decision.label).or_else(model)
    }

    /// Begins a selection at the cursor, or ends the one there is.
    pub fn toggle_selection(&mut self) {
        self.anchor = match self.anchor {
            Some(_) => None,
            None => Some(self.cursor).filter(|_| !self.blocks.is_empty()),
        };
    }

    /// Begins a selection at the cursor, unless there is one.
    pub fn extend_selection(&mut self) {
        self.anchor = self.anchor.or(Some(self.cursor));
    }

    /// Ends the selection. Returns whether there was one.
    pub fn end_selection(&mut self) -> bool {
        self.anchor.take().is_some()
    }

    /// Whether blocks are being selected.
    pub fn is_selecting(&self) -> bool {
        self.anchor.is_some()
    }

    /// The selected blocks: from where the selection began to the cursor, else the one under it.
    pub fn selection(&self) -> RangeInclusive<usize> {
        let anchor = self.anchor.unwrap_or(self.cursor);
        anchor.min(self.cursor)..=anchor.max(self.cursor)
    }

    /// Changes labels. The cursor goes to the block after those that were labelled, or to where
    /// something was taken back.
    pub fn edit(&mut self, edit: Edit) -> Edited {
        match edit {
            Edit::Undo => self.undo(),
            Edit::Redo => self.redo(),
            Edit::AcceptAll => self.accept(0..self.blocks.len()),
            Edit::Accept => {
                let (first, last) = self.selection().into_inner();
                let accepted = self.accept(first..(last + 1).min(self.blocks.len()));
                self.advance();
                accepted
            }
            Edit::Label(label) => self.decide(Some(Decision { label, by: By::Hand })),
            Edit::Clear => self.decide(None),
        }
    }

    fn decide(&mut self, decision: Option<Decision>) -> Edited {
        if self.blocks.is_empty() {
            return Edited::Blocks(0);
        }
        let edited = self.change(self.selection().map(|block| (block, decision)).collect());
        self.advance();
        edited
    }

    fn accept(&mut self, blocks: std::ops::Range<usize>) -> Edited {
        let open = blocks.filter(|&block| !self.is_done(block));
        let accepted = |block| {
            let label = self.suggested(block)?;
            Some((
                block,
                Some(Decision {
                    label,
                    by: By::Accepted,
                }),
            ))
        };
        let changes: Vec<_> = open.clone().filter_map(accepted).collect();
        if changes.is_empty() && open.count() > 0 {
            return Edited::NothingToAccept;
        }
        self.change(changes)
    }

    /// Makes decisions, and remembers those that change something.
    fn change(&mut self, decided: Vec<(usize, Option<Decision>)>) -> Edited {
        let changing = decided
            .into_iter()
            .map(|(block, after)| (block, self.decisions[block], after));
        let blocks: Vec<_> = changing.filter(|(_, before, after)| before != after).collect();
        let count = blocks.len();
        if count > 0 {
            for &(block, _, after) in &blocks {
                set(&mut self.decisions, &mut self.done, block, after);
            }
            self.history.push(Change { blocks });
        }
        Edited::Blocks(count)
    }

    fn undo(&mut self) -> Edited {
        let change = self.history.undo().cloned();
        self.land(change, |&(block, before, _)| (block, before))
    }

    fn redo(&mut self) -> Edited {
        let change = self.history.redo().cloned();
        self.land(change, |&(block, _, after)| (block, after))
    }

    /// Makes the decisions of a change that is taken back or made again, and goes to the first of them.
    fn land(
        &mut self,
        change: Option<Change>,
        decided: fn(&ChangedBlock) -> (usize, Option<Decision>),
    ) -> Edited {
        let Some(Change { blocks }) = change else {
            return Edited::NothingToUndo;
        };
        for (block, decision) in blocks.iter().map(decided) {
            set(&mut self.decisions, &mut self.done, block, decision);
        }
        (self.cursor, self.anchor) = (blocks[0].0, None);
        Edited::Blocks(blocks.len())
    }

    /// To the block after the selected ones, which are no longer selected.
    fn advance(&mut self) {
        let last = *self.selection().end();
        self.anchor = None;
        self.go(Motion::To(last + 1));
    }

    /// Moves the cursor. Returns whether it could.
    pub fn go(&mut self, motion: Motion) -> bool {
        let last = self.blocks.len().saturating_sub(1);
        let target = match motion {
            Motion::Up(count) => Some(self.cursor.saturating_sub(count)),
            Motion::Down(count) => Some(self.cursor.saturating_add(count).min(last)),
            Motion::To(block) => Some(block.min(last)),
            Motion::NextOpen => self.around().find(|&block| !self.is_done(block)),
            Motion::PreviousOpen => self.around().rev().find(|&block| !self.is_done(block)),
            Motion::LessCertain => self.by_certainty(false),
            Motion::MoreCertain => self.by_certainty(true),
        };
        self.cursor = target.unwrap_or(self.cursor);
        target.is_some()
    }

    /// The other blocks, from the one after the cursor to the one before.
    fn around(&self) -> impl DoubleEndedIterator<Item = usize> + use<> {
        let count = self.blocks.len();
        let cursor = self.cursor;
        (1..count).map(move |step| (cursor + step) % count)
    }

    /// The next block that is not done in the order of certainty, from where the last step in that
    /// order led if the cursor is still there, around the end; else the first.
    fn by_certainty(&mut self, backwards: bool) -> Option<usize> {
        let order = &self.by_certainty;
        let at = |place: usize| order[if backwards { order.len() - 1 - place } else { place }] as usize;
        let here = self.walked.filter(|&block| block == self.cursor);
        let place = here.and_then(|block| (0..order.len()).find(|&place| at(place) == block));
        let begin = place.map_or(0, |place| place + 1);
        let places = (begin..order.len()).chain(0..begin);
        let found = places.map(at).find(|&block| !self.is_done(block));
        self.walked = found;
        found
    }

    /// To the next block after the cursor (or before it, or at it) with a text; around the end.
    pub(crate) fn find(&mut self, pattern: &Pattern, way: Way) -> bool {
        let has = |block: &usize| pattern.is_in(self.blocks[*block].shown());
        let here = Some(self.cursor).filter(|&block| block < self.blocks.len());
        let found = match way {
            Way::Here => here.into_iter().chain(self.around()).find(has),
            Way::Next => self.around().chain(here).find(has),
            Way::Previous => self.around().rev().chain(here).find(has),
        };
        self.cursor = found.unwrap_or(self.cursor);
        found.is_some()
    }
}

/// Which way to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// From the cursor on.
    Here,
    /// After the cursor.
    Next,
    /// Before the cursor.
    Previous,
}

/// Whether the user has decided; labels that follow from gold text are not checked yet.
fn is_done(decision: &Option<Decision>) -> bool {
    decision.is_some_and(|decision| decision.by != By::Aligned)
}

fn set(decisions: &mut [Option<Decision>], done: &mut usize, block: usize, decision: Option<Decision>) {
    *done -= usize::from(is_done(&decisions[block]));
    *done += usize::from(is_done(&decision));
    decisions[block] = decision;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Suggestion;

    /// A page of blocks of a letter each, with suggestions of rising uncertainty from the last to
    /// the first.
    fn page(letters: &str) -> Editor {
        let count = letters.chars().count() as f32;
        let block = |(at, letter): (usize, char)| Block {
            suggestion: Some(Suggestion {
                label: if letter.is_uppercase() {
                    Label::Header
                } else {
                    Label::Paragraph
                },
                confidence: 0.5,
                uncertainty: (count - at as f32) / count,
            }),
            ..Block::new(&letter.to_string(), "p".into())
        };
        let blocks: Vec<Block> = letters.chars().enumerate().map(block).collect();
        let decisions = vec![None; blocks.len()];
        Editor::new(blocks, decisions)
    }

    fn state(editor: &Editor) -> String {
        let letter = |decision: &Option<Decision>| match decision {
            None => '?',
            Some(Decision { label, by: By::Hand }) => label.name().chars().next().unwrap(),
            Some(Decision { label, .. }) => label.name().chars().next().unwrap().to_ascii_uppercase(),
        };
        editor.decisions.iter().map(letter).collect()
    }

    #[test]
    fn a_label_moves_on_to_the_next_block() {
        let mut editor = page("abc");
        for (label, cursor) in [(Label::Header, 1), (Label::Other, 2), (Label::List, 2)] {
            assert_eq!(editor.edit(Edit::Label(label)), Edited::Blocks(1));
            assert_eq!(editor.cursor(), cursor);
        }
        assert_eq!((state(&editor).as_str(), editor.is_complete()), ("hol", true));
    }

    #[test]
    fn ranges_are_labelled_as_one_and_undone_as_one() {
        let mut editor = page("abcde");
        editor.go(Motion::To(3));
        editor.toggle_selection();
        editor.go(Motion::Up(2));
        assert_eq!(editor.selection(), 1..=3);
        assert_eq!(editor.edit(Edit::Label(Label::Other)), Edited::Blocks(3));
        assert_eq!(
            (state(&editor).as_str(), editor.cursor(), editor.is_selecting()),
            ("?ooo?", 4, false)
        );
        assert_eq!(editor.edit(Edit::Undo), Edited::Blocks(3));
        assert_eq!((state(&editor).as_str(), editor.cursor()), ("?????", 1));
        assert_eq!(editor.edit(Edit::Undo), Edited::NothingToUndo);
        editor.edit(Edit::Redo);
        assert_eq!(state(&editor), "?ooo?");
        editor.edit(Edit::Clear);
        assert_eq!(editor.edit(Edit::Redo), Edited::NothingToUndo);
    }

    #[test]
    fn accepting_leaves_alone_what_a_hand_has_done() {
        let mut editor = page("Abc");
        editor.go(Motion::Down(1));
        editor.edit(Edit::Label(Label::Other));
        assert_eq!(editor.edit(Edit::AcceptAll), Edited::Blocks(2));
        assert_eq!(state(&editor), "HoP");
        editor.go(Motion::To(0));
        assert_eq!(editor.edit(Edit::Accept), Edited::Blocks(0));
        assert_eq!((state(&editor).as_str(), editor.cursor()), ("HoP", 1));
    }

    #[test]
    fn without_suggestions_there_is_nothing_to_accept() {
        let mut editor = Editor::new(vec![Block::new("a", "p".into())], vec![None]);
        assert_eq!(editor.edit(Edit::Accept), Edited::NothingToAccept);
        assert_eq!(editor.edit(Edit::AcceptAll), Edited::NothingToAccept);
    }

    #[test]
    fn what_follows_from_gold_text_has_to_be_looked_at() {
        let aligned = Decision {
            label: Label::List,
            by: By::Aligned,
        };
        let mut editor = Editor::new(vec![Block::new("a", "p".into())], vec![Some(aligned)]);
        assert_eq!((editor.done(), editor.is_complete()), (0, false));
        editor.edit(Edit::Accept);
        assert_eq!((state(&editor).as_str(), editor.is_complete()), ("L", true));
    }

    #[test]
    fn open_blocks_are_found_around_the_end() {
        let mut editor = page("abcd");
        editor.edit(Edit::Label(Label::Other));
        editor.go(Motion::To(3));
        assert!(editor.go(Motion::NextOpen));
        assert_eq!(editor.cursor(), 1);
        assert!(editor.go(Motion::PreviousOpen));
        assert_eq!(editor.cursor(), 3);
        editor.edit(Edit::AcceptAll);
        assert!(!editor.go(Motion::NextOpen) && !editor.go(Motion::LessCertain));
    }

    #[test]
    fn the_least_certain_come_first() {
        let mut editor = page("abcd");
        editor.go(Motion::To(2));
        let walk = |editor: &mut Editor, motion| {
            editor.go(motion);
            editor.cursor()
        };
        let visited = [(); 5].map(|()| walk(&mut editor, Motion::LessCertain));
        assert_eq!(visited, [0, 1, 2, 3, 0]);
        assert_eq!([(); 2].map(|()| walk(&mut editor, Motion::MoreCertain)), [3, 2]);
        editor.edit(Edit::Label(Label::Other));
        assert_eq!(walk(&mut editor, Motion::LessCertain), 0);
        editor.go(Motion::To(2));
        editor.edit(Edit::AcceptAll);
        assert!(!editor.go(Motion::LessCertain));
    }

    #[test]
    fn searching_goes_around() {
        let mut editor = page("abAb");
        let a = Pattern::new("a");
        let mut visit = |way| {
            assert!(editor.find(&a, way));
            editor.cursor()
        };
        assert_eq!(
            [
                visit(Way::Here),
                visit(Way::Next),
                visit(Way::Next),
                visit(Way::Previous)
            ],
            [0, 2, 0, 2]
        );
        assert!(!editor.find(&Pattern::new("z"), Way::Next));
    }

    #[test]
    fn an_empty_page_is_done_and_takes_any_command() {
        let mut editor = Editor::new(Vec::new(), Vec::new());
        assert!(editor.is_complete());
        editor.toggle_selection();
        editor.extend_selection();
        for edit in [
            Edit::Label(Label::List),
            Edit::Accept,
            Edit::AcceptAll,
            Edit::Clear,
            Edit::Undo,
        ] {
            editor.edit(edit);
        }
        for motion in [
            Motion::Down(1),
            Motion::To(9),
            Motion::NextOpen,
            Motion::LessCertain,
        ] {
            editor.go(motion);
        }
        assert!(!editor.find(&Pattern::new("a"), Way::Here));
        assert_eq!(editor.cursor(), 0);
    }

    fn any_edit() -> impl Strategy<Value = Edit> {
        prop_oneof![
            4 => prop::sample::select(&Label::ALL[..]).prop_map(Edit::Label),
            2 => Just(Edit::Accept),
            1 => Just(Edit::AcceptAll),
            2 => Just(Edit::Clear),
            2 => Just(Edit::Undo),
            1 => Just(Edit::Redo),
        ]
    }

    proptest! {
        #[test]
        fn everything_can_be_undone_and_done_again(
            letters in "[a-fA-F]{1,8}",
            begin in prop::collection::vec(prop::option::of((0usize..5, 0usize..3)), 8),
            commands in prop::collection::vec((any_edit(), 0usize..8, any::<bool>()), 0..30),
        ) {
            let blocks = page(&letters).blocks;
            let decision = |of: &Option<(usize, usize)>| {
                of.map(|(label, by)| Decision { label: Label::ALL[label], by: By::ALL[by] })
            };
            let first: Vec<_> = begin[..blocks.len()].iter().map(decision).collect();
            let mut editor = Editor::new(blocks, first.clone());
            for (edit, to, select) in commands {
                if select {
                    editor.toggle_selection();
                }
                editor.go(Motion::To(to));
                editor.edit(edit);
                let done = (0..editor.blocks.len()).filter(|&block| editor.is_done(block)).count();
                prop_assert_eq!(done, editor.done());
                prop_assert!(editor.cursor() < editor.blocks.len());
            }
            while editor.edit(Edit::Redo) != Edited::NothingToUndo {}
            let last = editor.decisions.clone();
            while editor.edit(Edit::Undo) != Edited::NothingToUndo {}
            prop_assert_eq!(&editor.decisions, &first);
            while editor.edit(Edit::Redo) != Edited::NothingToUndo {}
            prop_assert_eq!(&editor.decisions, &last);
        }
    }
}
