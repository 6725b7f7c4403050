//! The program without its terminal: keys in, pages opened and saved, a screen to be drawn.

use crate::editor::{Edit, Edited, Editor, Motion, Way};
use crate::keys::{Command, Key, command};
use crate::pages::Pages;
use crate::scroll::Scroll;
use crate::search::Pattern;

/// Number of pages whose undo history is kept.
const KEPT_PAGES: usize = 8;

/// Maximum number typed before a key.
const MOST_COUNT: usize = 9_999_999;

/// How the program begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether the page as it will read is shown beside the blocks.
    pub render: bool,
    /// Whether the cursor moves to the least certain block after each label.
    pub walk: bool,
    /// Whether colours are used.
    pub colour: bool,
    /// Whether suggestions are hidden.
    pub blind: bool,
}

/// What the owner of the terminal does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Draw, and wait for a key.
    Draw,
    /// Draw every cell again.
    Redraw,
    /// Hand the terminal to the shell until the program is resumed.
    Suspend,
    /// End.
    Quit,
}

/// The state of the program.
pub struct App<P> {
    pub(crate) pages: P,
    /// The page on the screen.
    pub(crate) at: usize,
    pub(crate) editor: Editor,
    pub(crate) options: Options,
    pub(crate) mode: Mode,
    pub(crate) message: Option<Message>,
    pub(crate) scroll: Scroll,
    pub(crate) pattern: Pattern,
    /// The number typed before a key; 0 for none.
    pub(crate) count: usize,
    /// Whether the labels on the screen differ from the file.
    pub(crate) unsaved: bool,
    /// The last key was to quit, and there was something that could not be saved.
    asked_to_quit: bool,
    /// Pages that were left, the last one last.
    left: Vec<(usize, Editor)>,
}

/// The part of the screen that receives keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    #[default]
    Blocks,
    /// A search is being typed; the block where it began.
    Search { input: String, from: usize },
    /// The help, from this line on.
    Help { top: usize },
    /// The whole text of a block, from this line on.
    Reader { top: usize },
}

/// The message on the last line until the next key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

impl<P: Pages> App<P> {
    /// Opens the first page that is not finished, or the first.
    pub fn new(pages: P, options: Options) -> App<P> {
        let first = (0..pages.count()).find(|&page| !pages.about(page).is_complete());
        let mut app = App {
            pages,
            at: 0,
            editor: Editor::default(),
            options,
            mode: Mode::default(),
            message: None,
            scroll: Scroll::default(),
            pattern: Pattern::default(),
            count: 0,
            unsaved: false,
            asked_to_quit: false,
            left: Vec::new(),
        };
        app.open(first.unwrap_or(0));
        app
    }

    /// The page being labelled.
    pub fn editor(&self) -> &Editor {
        &self.editor
    }

    /// A key was pressed.
    pub fn press(&mut self, key: Key) -> Next {
        self.message = None;
        match self.mode {
            Mode::Blocks => return self.blocks_key(key),
            Mode::Search { .. } => self.search_key(key),
            Mode::Help { .. } | Mode::Reader { .. } => self.overlay_key(key),
        }
        Next::Draw
    }

    /// Text was pasted. It is a search, or an accident: never a row of labels.
    pub fn paste(&mut self, text: &str) {
        match &mut self.mode {
            Mode::Search { input, .. } => {
                input.extend(text.chars().filter(|c| !c.is_control()));
                self.search_typed();
            }
            _ => self.say("pasted text is not taken for keys"),
        }
    }

    /// Saves what has changed. To be called before anything is drawn, so that what is on the
    /// screen is in the file.
    pub fn save(&mut self) {
        self.save_over(false);
    }

    fn save_over(&mut self, force: bool) {
        if !self.unsaved {
            return;
        }
        match self.pages.save(self.editor.decisions(), force) {
            Ok(()) => self.unsaved = false,
            // Another error is already shown until the next key.
            Err(_) if self.message.as_ref().is_some_and(|message| message.is_error) => {}
            Err(error) => self.fail(&format!("not saved: {error}")),
        }
    }

    fn blocks_key(&mut self, key: Key) -> Next {
        let Some(command) = command(key) else {
            self.count = 0;
            self.say("no such key: ? shows them all");
            return Next::Draw;
        };
        self.asked_to_quit &= command == Command::Quit;
        let count = std::mem::take(&mut self.count);
        match command {
            Command::Digit(digit) => self.count = (count * 10 + digit).min(MOST_COUNT),
            Command::Edit(edit) => self.edit(edit),
            Command::Go(motion) => self.go(motion, count),
            Command::Extend(motion) => {
                self.editor.extend_selection();
                self.go(motion, count);
            }
            Command::Screens(halves) => self.go_screens(halves),
            Command::First => self.go(Motion::To(count.saturating_sub(1)), 0),
            Command::Last => self.go(Motion::To(count.checked_sub(1).unwrap_or(usize::MAX)), 0),
            Command::Select => self.editor.toggle_selection(),
            Command::Search => self.begin_search(),
            Command::SearchAgain => self.search(Way::Next),
            Command::SearchBack => self.search(Way::Previous),
            Command::Pages(step) => self.turn(step),
            Command::NextUnfinished => self.turn_to_unfinished(false),
            Command::PreviousUnfinished => self.turn_to_unfinished(true),
            Command::ToggleWalk => self.toggle_walk(),
            Command::ToggleRender => self.options.render = !self.options.render,
            Command::Read => self.mode = Mode::Reader { top: 0 },
            Command::Help => self.mode = Mode::Help { top: 0 },
            Command::Overwrite => self.save_over(true),
            Command::Cancel => drop(self.editor.end_selection()),
            Command::Redraw => return Next::Redraw,
            Command::Suspend => return Next::Suspend,
            Command::Quit => return self.quit(),
        }
        Next::Draw
    }

    fn edit(&mut self, edit: Edit) {
        let (was_complete, cursor) = (self.editor.is_complete(), self.editor.cursor());
        match self.editor.edit(edit) {
            Edited::Blocks(0) => {}
            Edited::Blocks(count) => {
                self.unsaved = true;
                self.edited(edit, count);
                if self.options.walk && matches!(edit, Edit::Label(_) | Edit::Accept) {
                    self.editor.go(Motion::To(cursor));
                    self.editor.go(Motion::LessCertain);
                }
            }
            Edited::NothingToUndo if edit == Edit::Undo => self.say("nothing to undo"),
            Edited::NothingToUndo => self.say("nothing to redo"),
            Edited::NothingToAccept => self.say("nothing is suggested here"),
        }
        if self.editor.is_complete() && !was_complete {
            self.page_is_done();
        }
    }

    fn edited(&mut self, edit: Edit, count: usize) {
        let is_label = matches!(edit, Edit::Label(_) | Edit::Accept);
        let verb = match edit {
            Edit::Undo => "undone",
            Edit::Redo => "done again",
            Edit::Clear => "undecided again",
            _ => "labelled",
        };
        if !is_label || count > 1 {
            let blocks = if count == 1 { "block" } else { "blocks" };
            self.say(&format!("{count} {blocks} {verb}"));
        }
    }

    fn page_is_done(&mut self) {
        let others = (0..self.pages.count()).filter(|&page| page != self.at);
        let left = others
            .filter(|&page| !self.pages.about(page).is_complete())
            .count();
        match left {
            0 => self.say("every block of every page is labelled: q quits"),
            _ => self.say("every block is labelled: } opens the next page"),
        }
    }

    fn go(&mut self, motion: Motion, count: usize) {
        let times = count.max(1);
        let motion = match motion {
            Motion::Up(_) => Motion::Up(times),
            Motion::Down(_) => Motion::Down(times),
            other => other,
        };
        if !self.editor.go(motion) {
            self.say("no other block is left to be labelled");
        }
    }

    fn go_screens(&mut self, halves: i32) {
        let blocks = (self.scroll.visible() * halves.unsigned_abs() as usize / 2).max(1);
        let motion = if halves < 0 {
            Motion::Up(blocks)
        } else {
            Motion::Down(blocks)
        };
        self.editor.go(motion);
    }

    fn toggle_walk(&mut self) {
        self.options.walk = !self.options.walk;
        self.say(match self.options.walk {
            true => "after each label: on to the least certain block",
            false => "after each label: on to the next block",
        });
    }

    fn begin_search(&mut self) {
        self.mode = Mode::Search {
            input: String::new(),
            from: self.editor.cursor(),
        };
    }

    fn search_key(&mut self, key: Key) {
        let Mode::Search { input, from } = &mut self.mode else {
            return;
        };
        match key {
            Key::Char(c) => input.push(c),
            Key::Backspace if input.pop().is_some() => {}
            Key::Enter => return self.end_search(),
            Key::Esc | Key::Backspace | Key::Ctrl('c') => {
                let from = *from;
                self.editor.go(Motion::To(from));
                self.mode = Mode::Blocks;
                return;
            }
            _ => {}
        }
        self.search_typed();
    }

    /// Shows the first match while the pattern is typed.
    fn search_typed(&mut self) {
        let Mode::Search { input, from } = &self.mode else {
            return;
        };
        let pattern = Pattern::new(input);
        self.editor.go(Motion::To(*from));
        if !pattern.is_empty() {
            self.editor.find(&pattern, Way::Here);
        }
    }

    fn end_search(&mut self) {
        if let Mode::Search { input, .. } = std::mem::take(&mut self.mode) {
            if !input.is_empty() {
                self.pattern = Pattern::new(&input);
            }
            self.search(if input.is_empty() { Way::Next } else { Way::Here });
        }
    }

    fn search(&mut self, way: Way) {
        if self.pattern.is_empty() {
            self.say("nothing has been searched for: / begins a search");
        } else if !self.editor.find(&self.pattern, way) {
            self.say("not on this page");
        }
    }

    fn overlay_key(&mut self, key: Key) {
        let page = self.scroll.overlay_rows().max(1);
        let (Mode::Help { top } | Mode::Reader { top }) = &mut self.mode else {
            return;
        };
        *top = match key {
            Key::Up | Key::Char('k') => top.saturating_sub(1),
            Key::Down | Key::Char('j') => *top + 1,
            Key::PageUp | Key::Ctrl('b' | 'u') => top.saturating_sub(page),
            Key::PageDown | Key::Ctrl('f' | 'd') | Key::Char(' ') => *top + page,
            Key::Home | Key::Char('g') => 0,
            Key::End | Key::Char('G') => usize::MAX,
            Key::Esc | Key::Enter | Key::Char('q' | '?' | 'z') | Key::Ctrl('c') => {
                self.mode = Mode::Blocks;
                return;
            }
            _ => *top,
        };
    }

    fn turn(&mut self, step: i32) {
        let target = self.at.checked_add_signed(step as isize);
        match target.filter(|&page| page < self.pages.count()) {
            Some(page) => self.open(page),
            None if step > 0 => self.say("this is the last page"),
            None => self.say("this is the first page"),
        }
    }

    fn turn_to_unfinished(&mut self, backwards: bool) {
        let count = self.pages.count();
        let others = (1..count).map(|step| match backwards {
            true => (self.at + count - step) % count,
            false => (self.at + step) % count,
        });
        let mut unfinished = others.filter(|&page| !self.pages.about(page).is_complete());
        match unfinished.next() {
            Some(page) => self.open(page),
            None => self.say("no other page is left to be labelled"),
        }
    }

    fn open(&mut self, page: usize) {
        self.save();
        if self.unsaved {
            return;
        }
        self.leave();
        (self.at, self.scroll, self.mode) = (page, Scroll::default(), Mode::Blocks);
        match self.pages.open(page) {
            Ok(opened) => {
                self.editor = self.returned(page, Editor::new(opened.blocks, opened.decisions));
                if let Some(notice) = opened.notice {
                    self.say(&notice);
                }
            }
            Err(error) => {
                self.editor = Editor::default();
                self.fail(&format!("this page cannot be labelled: {error}"));
            }
        }
    }

    /// Puts the page on the screen where it is found when it is opened again.
    fn leave(&mut self) {
        let editor = std::mem::take(&mut self.editor);
        self.left.retain(|(page, _)| *page != self.at);
        self.left.push((self.at, editor));
        if self.left.len() > KEPT_PAGES {
            self.left.remove(0);
        }
    }

    /// The page as it was left, if it has not changed since; else as it is, with the cursor where
    /// there is something to do.
    fn returned(&mut self, page: usize, fresh: Editor) -> Editor {
        let known = self.left.iter().position(|(left, _)| *left == page);
        let known = known.map(|at| self.left.remove(at).1);
        let same =
            |known: &Editor| known.blocks() == fresh.blocks() && known.decisions() == fresh.decisions();
        match known.filter(same) {
            Some(known) => known,
            None => self.begun(fresh),
        }
    }

    fn begun(&self, mut editor: Editor) -> Editor {
        if self.options.walk {
            editor.go(Motion::LessCertain);
        } else if !editor.blocks().is_empty() && editor.is_done(0) {
            editor.go(Motion::NextOpen);
        }
        editor
    }

    fn quit(&mut self) -> Next {
        self.save();
        if !self.unsaved || std::mem::replace(&mut self.asked_to_quit, true) {
            return Next::Quit;
        }
        if let Some(message) = &mut self.message {
            message.text.push_str("; q quits all the same");
        }
        Next::Draw
    }

    fn say(&mut self, text: &str) {
        self.show(text, false);
    }

    fn fail(&mut self, text: &str) {
        self.show(text, true);
    }

    fn show(&mut self, text: &str, is_error: bool) {
        let text = text.to_owned();
        self.message = Some(Message { text, is_error });
    }
}
