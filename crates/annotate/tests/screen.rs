//! The program as the user sees it: keys in, screens out, on terminals of many sizes.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests, not only the tests themselves"
)]

use std::cell::RefCell;
use std::rc::Rc;

use gleaner_annotate::{About, App, Block, Error, Key, Next, Opened, Options, Pages, Suggestion};
use gleaner_content::Label;
use gleaner_gold::annotation::Decision;
use ratatui_core::backend::TestBackend;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier};
use ratatui_core::terminal::Terminal;

/// What was saved of each page.
type Saved = Rc<RefCell<Vec<Option<Vec<Option<Decision>>>>>>;

/// Pages in memory, and what was saved of them.
#[derive(Default)]
struct MemoryPages {
    pages: Vec<Vec<Block>>,
    saved: Saved,
    open: usize,
    /// Saving fails.
    full: Rc<RefCell<bool>>,
}

impl MemoryPages {
    fn new(pages: Vec<Vec<Block>>) -> MemoryPages {
        MemoryPages {
            saved: Rc::new(RefCell::new(vec![None; pages.len()])),
            pages,
            ..MemoryPages::default()
        }
    }
}

impl Pages for MemoryPages {
    fn count(&self) -> usize {
        self.pages.len()
    }

    fn about(&self, page: usize) -> About<'_> {
        let progress =
            |decisions: &Vec<Option<Decision>>| (decisions.iter().flatten().count(), decisions.len());
        About {
            name: [
                "http://tides.example/diary",
                "http://灯台.example/道",
                "http://long.example/",
            ][page],
            progress: self.saved.borrow()[page].as_ref().map(progress),
        }
    }

    fn open(&mut self, page: usize) -> Result<Opened, Error> {
        self.open = page;
        let blocks = self.pages[page].clone();
        let saved = self.saved.borrow()[page].clone();
        Ok(Opened {
            decisions: saved.unwrap_or_else(|| vec![None; blocks.len()]),
            blocks,
            notice: None,
        })
    }

    fn save(&mut self, decisions: &[Option<Decision>], force: bool) -> Result<(), Error> {
        if *self.full.borrow() && !force {
            return Err(Error::Changed("tides.anno".into()));
        }
        self.saved.borrow_mut()[self.open] = Some(decisions.to_vec());
        Ok(())
    }
}

fn block(label: Label, percent: u8, path: &str, text: &str) -> Block {
    let confidence = f32::from(percent) / 100.0;
    let mut block = Block::new(text, path.into());
    block.suggestion = Some(Suggestion {
        label,
        confidence,
        uncertainty: 1.0 - confidence,
    });
    block
}

fn diary() -> Vec<Block> {
    vec![
        block(Label::Other, 99, "html/body/nav/ul/li/a", "Home"),
        block(Label::Header, 95, "html/body/main/h1", "A diary of the tides"),
        block(
            Label::Paragraph,
            61,
            "html/body/main/p",
            "The harbour master has kept a diary",
        ),
        block(
            Label::Continuation,
            88,
            "html/body/main/p",
            "of the tides since the spring.",
        ),
        block(Label::Other, 70, "html/body/footer/p", "Printed at the harbour"),
    ]
}

/// A program on a screen.
struct Harness {
    app: App<MemoryPages>,
    terminal: Terminal<TestBackend>,
}

impl Harness {
    fn new(pages: Vec<Vec<Block>>, options: Options, (width, height): (u16, u16)) -> Harness {
        Harness::of(MemoryPages::new(pages), options, (width, height))
    }

    fn of(memory: MemoryPages, options: Options, (width, height): (u16, u16)) -> Harness {
        let mut session = Harness {
            app: App::new(memory, options),
            terminal: Terminal::new(TestBackend::new(width, height)).unwrap(),
        };
        session.draw();
        session
    }

    fn draw(&mut self) {
        self.app.save();
        let app = &mut self.app;
        self.terminal
            .draw(|frame| app.draw(frame.area(), frame.buffer_mut()))
            .unwrap();
    }

    fn press(&mut self, key: Key) -> Next {
        let next = self.app.press(key);
        self.draw();
        next
    }

    fn keys(&mut self, letters: &str) {
        for letter in letters.chars() {
            self.press(Key::Char(letter));
        }
    }

    fn screen(&self) -> Vec<String> {
        let buffer = self.terminal.backend().buffer();
        let line = |y: u16| {
            let mut line = String::new();
            let mut x = 0;
            while x < buffer.area.width {
                let symbol = buffer[(x, y)].symbol();
                line.push_str(symbol);
                x += 1 + u16::from(symbol.chars().any(|c| c > '\u{2e80}'));
            }
            line.trim_end().to_owned()
        };
        (0..buffer.area.height).map(line).collect()
    }

    fn line(&self, y: usize) -> String {
        self.screen()[y].clone()
    }

    fn last(&self) -> String {
        self.screen().pop().unwrap()
    }
}

fn wide() -> Harness {
    Harness::new(vec![diary()], Options::default(), (90, 9))
}

#[test]
fn the_first_screen_says_it_all() {
    assert_eq!(
        wide().screen(),
        [
            " 1/1 http://tides.example/diary                          0 of 5 blocks, 0 of 1 pages done",
            ">1 .      other  99% …nav/ul/li/a  Home",
            " 2 .      head   95% …ody/main/h1  A diary of the tides",
            " 3 .      para   61% …body/main/p  The harbour master has kept a diary",
            " 4 .      cont   88% …body/main/p  of the tides since the spring.",
            " 5 .      other  70% …dy/footer/p  Printed at the harbour",
            "",
            " html/body/nav/ul/li/a                                               suggested: other 99%",
            " p para  h head  l list  c cont  o other  ? help  Enter accept  u undo  v range",
        ]
    );
}

#[test]
fn labels_show_who_decided_and_are_saved_before_they_are_shown() {
    let memory = MemoryPages::new(vec![diary()]);
    let saved = Rc::clone(&memory.saved);
    let mut session = Harness::of(memory, Options::default(), (90, 9));
    session.keys("oa");
    let screen = session.screen();
    assert!(screen[1].starts_with(" 1 other  other  99%"), "{}", screen[1]);
    assert!(screen[2].starts_with(" 2 head+  head   95%"), "{}", screen[2]);
    assert!(screen[3].starts_with(">3 .      para   61%"), "{}", screen[3]);
    assert!(
        screen[0].ends_with("2 of 5 blocks, 0 of 1 pages done"),
        "{}",
        screen[0]
    );
    assert_eq!(saved.borrow()[0].as_ref().unwrap().iter().flatten().count(), 2);
    session.keys("A");
    assert!(session.line(0).ends_with("5 of 5 blocks, 1 of 1 pages done"));
    assert_eq!(session.last(), " every block of every page is labelled: q quits");
    session.keys("uu");
    assert_eq!(saved.borrow()[0].as_ref().unwrap().iter().flatten().count(), 1);
    assert_eq!(session.last(), " 1 block undone");
    session.keys("j");
    assert!(
        session.last().starts_with(" p para"),
        "a message stays until the next key"
    );
}

#[test]
fn ranges_are_shown_and_labelled() {
    let mut session = wide();
    session.keys("jvj");
    session.press(Key::ShiftDown);
    let screen = session.screen();
    assert!(screen[2].starts_with("|2") && screen[3].starts_with("|3") && screen[4].starts_with(">4"));
    assert_eq!(screen[8], " 3 selected: h p l c o, Esc");
    session.keys("p");
    let labelled = session
        .screen()
        .iter()
        .filter(|line| line.contains(" para "))
        .count();
    assert!(
        labelled >= 3 && session.last() == " 3 blocks labelled",
        "{:?}",
        session.screen()
    );
    session.keys("gv");
    session.press(Key::Esc);
    assert!(session.last().starts_with(" p para"));
}

#[test]
fn searching_shows_what_is_typed_and_marks_what_is_found() {
    let mut session = wide();
    session.keys("/TIDES");
    assert_eq!(session.last(), "/TIDES");
    assert!(session.line(2).starts_with(">2"), "the first match while typing");
    let buffer = session.terminal.backend().buffer();
    let marked = (0..90)
        .filter(|&x| buffer[(x, 4)].modifier.contains(Modifier::UNDERLINED))
        .count();
    assert_eq!(marked, 5);
    session.press(Key::Enter);
    session.keys("n");
    assert!(session.line(4).starts_with(">4"));
    session.keys("N");
    assert!(session.line(2).starts_with(">2"));
    session.keys("/xyz");
    session.press(Key::Enter);
    assert_eq!(session.last(), " not on this page");
    session.keys("/dia");
    session.app.paste("ry of\n");
    session.draw();
    assert_eq!(session.last(), "/diary of");
    for _ in 0..9 {
        session.press(Key::Backspace);
    }
    session.press(Key::Esc);
    assert!(
        session.line(2).starts_with(">2"),
        "back to where the search began"
    );
}

#[test]
fn pasted_text_labels_nothing() {
    let mut session = wide();
    session.app.paste("photo");
    session.draw();
    assert!(session.line(0).contains("0 of 5 blocks"));
    assert_eq!(session.last(), " pasted text is not taken for keys");
}

#[test]
fn numbers_move_by_and_to() {
    let mut session = wide();
    session.keys("3j");
    assert!(session.line(4).starts_with(">4"));
    session.keys("2k");
    assert!(session.line(2).starts_with(">2"));
    session.keys("5");
    assert!(session.last().ends_with(" 5"));
    session.keys("G");
    assert!(session.line(5).starts_with(">5"));
    session.keys("99999999999999999999999g");
    assert!(session.line(5).starts_with(">5"));
    session.keys("g");
    assert!(session.line(1).starts_with(">1"));
}

#[test]
fn the_least_certain_block_comes_first_where_that_is_asked_for() {
    let options = Options {
        walk: true,
        ..Options::default()
    };
    let mut session = Harness::new(vec![diary()], options, (90, 9));
    for row in [3, 5, 4, 2, 1] {
        assert!(session.line(row).starts_with('>'), "{:?}", session.screen());
        session.keys("a");
    }
    assert!(session.line(0).ends_with("5 of 5 blocks, 1 of 1 pages done"));
    session.keys("w");
    assert_eq!(session.last(), " after each label: on to the next block");
}

#[test]
fn without_suggestions_nothing_is_shown_of_them() {
    let mut blind = diary();
    blind.iter_mut().for_each(|block| block.suggestion = None);
    let options = Options {
        blind: true,
        render: true,
        ..Options::default()
    };
    let mut session = Harness::new(vec![blind], options, (90, 9));
    assert!(!session.screen().concat().contains('%'), "{:?}", session.screen());
    assert!(
        session.line(1).ends_with("(nothing is kept here)"),
        "{:?}",
        session.screen()
    );
    session.keys("a");
    assert_eq!(session.last(), " nothing is suggested here");
    assert!(session.line(0).contains("0 of 5 blocks"));
    session.keys("ggjp");
    assert!(
        session.screen().concat().contains("│ A diary of the tides"),
        "{:?}",
        session.screen()
    );
}

#[test]
fn the_page_is_shown_as_it_will_read() {
    let options = Options {
        render: true,
        ..Options::default()
    };
    let mut session = Harness::new(vec![diary()], options, (100, 9));
    let pane = |session: &Harness| -> Vec<String> {
        let right = |line: String| line.split_once('│').map(|(_, right)| right.trim().to_owned());
        session.screen().into_iter().filter_map(right).collect()
    };
    let begin = [
        "A diary of the tides",
        "",
        "The harbour master has kept a diary of",
        "the tides since the spring.",
    ];
    assert_eq!(pane(&session)[..4], begin);
    session.keys("jjo");
    assert_eq!(
        pane(&session)[..2],
        ["A diary of the tides of the tides", "since the spring."]
    );
    session.keys("r");
    assert!(pane(&session).is_empty());
}

#[test]
fn help_shows_every_key_on_any_screen() {
    let mut session = Harness::new(vec![diary()], Options::default(), (80, 50));
    session.keys("?");
    let help = session.screen().join("\n");
    for phrase in [
        "paragraph",
        "accept what is suggested",
        "undo / redo",
        "12G is block 12",
        "next, previous page",
    ] {
        assert!(help.contains(phrase), "no {phrase} in {help}");
    }
    session.press(Key::Esc);
    assert!(session.line(1).starts_with(">1"));
    let mut small = Harness::new(vec![diary()], Options::default(), (20, 5));
    small.keys("?");
    let mut seen = String::new();
    for _ in 0..120 {
        seen += &(small.line(1) + " ");
        small.keys("j");
    }
    seen += &small.screen().join(" ");
    for word in ["paragraph", "continuation:", "suggestion", "accepted"] {
        assert!(seen.contains(word), "no {word} in {seen}");
    }
    small.keys("?");
    assert!(small.line(1).starts_with('>'));
}

#[test]
fn a_block_of_any_length_can_be_read() {
    let long: String = (0..20_000).map(|word| format!("word{word} ")).collect();
    let page = vec![block(Label::Paragraph, 50, "p", long.trim())];
    let mut session = Harness::new(vec![page], Options::default(), (60, 12));
    assert!(session.line(3).ends_with('…'), "{:?}", session.screen());
    session.keys("z");
    assert!(
        session.line(1).starts_with(" word0 word1 "),
        "{:?}",
        session.screen()
    );
    session.keys("G");
    assert!(session.line(10).contains("word19999"), "{:?}", session.screen());
    session.keys("g ");
    assert!(!session.line(1).contains("word0 "), "{:?}", session.screen());
    session.press(Key::Esc);
    assert!(session.line(1).starts_with(">1"));
}

#[test]
fn pages_are_turned_and_remember_what_can_be_undone() {
    let other = vec![block(Label::Paragraph, 90, "p", "灯台までの道は二つある。")];
    let mut session = Harness::new(vec![diary(), other], Options::default(), (90, 9));
    session.keys("oo]");
    assert!(
        session.line(0).starts_with(" 2/2 http://灯台.example/道"),
        "{}",
        session.line(0)
    );
    assert!(
        session.line(1).contains("灯台までの道は二つある。"),
        "{}",
        session.line(1)
    );
    session.keys("p");
    assert_eq!(session.last(), " every block is labelled: } opens the next page");
    session.keys("]");
    assert_eq!(session.last(), " this is the last page");
    session.keys("}");
    assert!(session.line(0).starts_with(" 1/2") && session.line(0).contains("2 of 5 blocks, 1 of 2 pages"));
    assert!(session.line(3).starts_with(">3"), "where it was left");
    session.keys("u");
    assert!(session.line(0).contains("1 of 5 blocks"));
    session.keys("}");
    assert_eq!(session.last(), " no other page is left to be labelled");
}

#[test]
fn what_cannot_be_saved_is_said_until_it_is() {
    let memory = MemoryPages::new(vec![diary(), diary()]);
    let (full, saved) = (Rc::clone(&memory.full), Rc::clone(&memory.saved));
    let mut session = Harness::of(memory, Options::default(), (100, 9));
    *full.borrow_mut() = true;
    session.keys("o");
    assert_eq!(
        session.last(),
        " not saved: tides.anno was changed by another program; ! overwrites it"
    );
    assert!(session.line(0).contains("not saved"));
    session.keys("]");
    assert!(session.line(0).starts_with(" 1/2"), "the page is not left");
    assert_eq!(session.press(Key::Char('q')), Next::Draw);
    assert!(
        session.last().ends_with("q quits all the same"),
        "{}",
        session.last()
    );
    session.keys("j");
    assert_eq!(session.press(Key::Char('q')), Next::Draw);
    assert_eq!(session.press(Key::Char('q')), Next::Quit);
    assert!(saved.borrow()[0].is_none());
    session.keys("!");
    assert!(saved.borrow()[0].is_some() && !session.line(0).contains("not saved"));
    assert_eq!(session.press(Key::Ctrl('c')), Next::Quit);
}

#[test]
fn no_colour_is_used_where_none_is_wanted() {
    for (colour, expected) in [(false, false), (true, true)] {
        let options = Options {
            colour,
            render: true,
            ..Options::default()
        };
        let mut session = Harness::new(vec![diary()], options, (100, 9));
        session.keys("poa/tides");
        let cells = session.terminal.backend().buffer().content();
        let coloured = cells
            .iter()
            .any(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset);
        assert_eq!(coloured, expected);
    }
}

/// Text in many scripts, very long and very odd.
fn odd() -> Vec<Block> {
    let tower = format!("a{}", "\u{301}".repeat(5000));
    let texts = [
        "灯台までの道は二つある。潮が引いているあいだは浜を歩く。",
        "يحتفظ مدير الميناء بدفتر يوميات للمد والجزر",
        "นายท่าเรือจดบันทึกน้ำขึ้นน้ำลง",
        "👩\u{200d}👩\u{200d}👧 family, e\u{301}clat, \u{202e}turned\u{202c}",
        "\u{1b}[2J\u{7}bell",
        &tower,
        &"x".repeat(100_000),
        "\u{200b}\u{feff}\u{200d}",
        "",
    ];
    texts
        .iter()
        .map(|text| block(Label::Paragraph, 50, "html/body/p", text))
        .collect()
}

#[test]
fn every_size_of_screen_is_drawn() {
    for render in [false, true] {
        let options = Options {
            render,
            ..Options::default()
        };
        let mut session = Harness::new(vec![odd(), diary(), Vec::new()], options, (20, 5));
        for (width, height) in [
            (20, 5),
            (1, 1),
            (200, 60),
            (2, 3),
            (40, 2),
            (80, 24),
            (65, 8),
            (7, 30),
            (64, 9),
        ] {
            session.terminal.backend_mut().resize(width, height);
            session.terminal.resize(Rect::new(0, 0, width, height)).unwrap();
            for key in "jjjvkzjGz?jG?/a".chars() {
                session.press(Key::Char(key));
            }
            session.press(Key::Enter);
            session.keys("]]G[[");
        }
    }
}

#[test]
fn a_tiny_screen_has_what_matters() {
    let session = Harness::new(vec![diary()], Options::default(), (20, 5));
    assert_eq!(
        session.screen(),
        [
            " 1/1 http://tid… 0/5",
            ">.o Home",
            " .h A diary of the…",
            " .p The harbour…",
            " p para  h head"
        ]
    );
}

#[test]
fn nothing_of_a_page_reaches_the_terminal_as_a_command() {
    let mut session = Harness::new(vec![odd()], Options::default(), (60, 30));
    session.keys("jjjjz");
    session.press(Key::Esc);
    for cell in session.terminal.backend().buffer().content() {
        let harmful = |c: char| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c);
        assert!(
            !cell.symbol().contains(harmful) && cell.symbol().len() <= 64,
            "{:?}",
            cell.symbol()
        );
    }
}

#[test]
fn a_page_of_ten_thousand_blocks_scrolls_as_a_short_one() {
    let text = "The harbour master has kept a diary of the tides since the spring of 1980. ".repeat(4);
    let blocks = |count: usize| -> Vec<Block> {
        (0..count)
            .map(|_| block(Label::Paragraph, 50, "html/body/div/p", &text))
            .collect()
    };
    let scroll = |count: usize| {
        let options = Options {
            render: true,
            ..Options::default()
        };
        let mut session = Harness::new(vec![blocks(count)], options, (120, 40));
        let begin = std::time::Instant::now();
        for step in 0..60 {
            session.press(if step % 3 == 0 {
                Key::PageDown
            } else {
                Key::Char('j')
            });
        }
        begin.elapsed()
    };
    // The best of some runs: other programs make some of them slow.
    let best = |count: usize| (0..4).map(|_| scroll(count)).min().unwrap();
    let (short, long) = (best(100), best(10_000));
    // A hundred times as many blocks take a hundred times the time if all are laid out; what is less may be noise.
    assert!(
        long < short * 25 + std::time::Duration::from_millis(100),
        "{short:?} and {long:?}"
    );
}
