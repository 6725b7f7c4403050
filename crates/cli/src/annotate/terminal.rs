//! The terminal: taken over, drawn to, listened to, and given back as it was, whatever happens.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::sync::Arc;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use gleaner_annotate::{App, Key, Next, Pages};
use ratatui_core::terminal::Terminal;
use ratatui_crossterm::CrosstermBackend;
use ratatui_crossterm::crossterm::event::{
    self, DisableBracketedPaste, EnableBracketedPaste, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers,
};
use ratatui_crossterm::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui_crossterm::crossterm::{cursor, execute};

/// How long a signal may go unnoticed.
const WAIT: Duration = Duration::from_millis(100);

/// Maximum number of typed keys that are handled before the screen is drawn.
const BATCH: usize = 64;

type Screen = Terminal<CrosstermBackend<BufWriter<Stdout>>>;

/// Runs the program until the person quits.
///
/// # Errors
/// When the terminal cannot be used, or is gone.
pub(super) fn run<P: Pages>(app: &mut App<P>) -> Result<()> {
    let signal = listen()?;
    let mut taken = Taken::new().context("could not take over the terminal")?;
    std::thread::spawn(end_with_the_terminal);
    loop {
        app.save();
        taken.draw(app).context("could not draw to the terminal")?;
        let next = wait(app, &signal).context("could not read from the terminal")?;
        match next {
            Some(Next::Draw) => {}
            Some(Next::Redraw) => taken.forget().context("could not draw to the terminal")?,
            Some(Next::Suspend) => {
                drop(taken);
                suspend()?;
                taken = Taken::new().context("could not take over the terminal")?;
            }
            Some(Next::Quit) => return Ok(()),
            None => {
                app.save();
                drop(taken);
                return end_by(signal.load(Ordering::Relaxed));
            }
        }
    }
}

/// Ends the program when its terminal was closed. A terminal sends a signal only to programs that it
/// controls; to others it is silent from then on, and who waits for its keys waits at full speed.
/// Nothing is lost: what was on the screen is in the file.
fn end_with_the_terminal() {
    while io::stdout().is_terminal() {
        std::thread::sleep(Duration::from_secs(1));
    }
    std::process::exit(2);
}

/// Takes what has been typed; `None` when a signal came.
fn wait<P: Pages>(app: &mut App<P>, signal: &AtomicUsize) -> io::Result<Option<Next>> {
    while !event::poll(WAIT)? {
        if signal.load(Ordering::Relaxed) != 0 {
            return Ok(None);
        }
    }
    for _ in 0..BATCH {
        match event::read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                let next = key_of(key).map_or(Next::Draw, |key| app.press(key));
                if next != Next::Draw {
                    return Ok(Some(next));
                }
            }
            Event::Paste(text) => app.paste(&text),
            _ => {}
        }
        if signal.load(Ordering::Relaxed) != 0 {
            return Ok(None);
        }
        if !event::poll(Duration::ZERO)? {
            break;
        }
    }
    Ok(Some(Next::Draw))
}

fn key_of(key: KeyEvent) -> Option<Key> {
    let shift = key.modifiers.contains(KeyModifiers::SHIFT);
    if key
        .modifiers
        .intersects(KeyModifiers::ALT | KeyModifiers::SUPER | KeyModifiers::META)
    {
        return None;
    }
    Some(match key.code {
        KeyCode::Char(c) if key.modifiers.contains(KeyModifiers::CONTROL) => {
            Key::Ctrl(c.to_ascii_lowercase())
        }
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Up if shift => Key::ShiftUp,
        KeyCode::Down if shift => Key::ShiftDown,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::Enter => Key::Enter,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => Key::BackTab,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete => Key::Delete,
        KeyCode::Esc => Key::Esc,
        _ => return None,
    })
}

/// The terminal while it is ours. Dropped, it is as it was.
struct Taken {
    screen: Screen,
    _held: Held,
}

/// Gives the terminal back, even if it could not be taken over to the end.
struct Held;

impl Drop for Held {
    fn drop(&mut self) {
        give_back();
    }
}

impl Taken {
    fn new() -> io::Result<Taken> {
        give_back_on_panic();
        enable_raw_mode()?;
        HELD.store(true, Ordering::SeqCst);
        let held = Held;
        execute!(
            io::stdout(),
            EnterAlternateScreen,
            EnableBracketedPaste,
            cursor::Hide
        )?;
        let screen = Terminal::new(CrosstermBackend::new(BufWriter::new(io::stdout())))?;
        let mut taken = Taken { screen, _held: held };
        taken.forget()?;
        Ok(taken)
    }

    /// Empties the screen, so that every cell is drawn again. (`Terminal::clear` would ask the terminal
    /// where its cursor is, and not every terminal answers.)
    fn forget(&mut self) -> io::Result<()> {
        let size = self.screen.size()?;
        self.screen.resize(size.into())
    }

    fn draw<P: Pages>(&mut self, app: &mut App<P>) -> io::Result<()> {
        self.screen
            .draw(|frame| app.draw(frame.area(), frame.buffer_mut()))?;
        Ok(())
    }
}

/// Whether the terminal has to be given back.
static HELD: AtomicBool = AtomicBool::new(false);

/// Gives the terminal back, once. A terminal that is gone needs nothing any more.
fn give_back() {
    if HELD.swap(false, Ordering::SeqCst) {
        drop(execute!(
            io::stdout(),
            DisableBracketedPaste,
            LeaveAlternateScreen,
            cursor::Show
        ));
        drop(disable_raw_mode());
        drop(io::stdout().flush());
    }
}

/// A panic is printed on the normal screen, since the alternate one is about to vanish.
fn give_back_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            print(panic);
        }));
    });
}

/// The signal that came last; 0 for none. Ctrl-C is a key while the terminal is ours.
#[cfg(unix)]
fn listen() -> Result<Arc<AtomicUsize>> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let signal = Arc::new(AtomicUsize::new(0));
    for number in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register_usize(number, Arc::clone(&signal), number as usize)
            .context("could not listen for signals")?;
    }
    Ok(signal)
}

#[cfg(not(unix))]
fn listen() -> Result<Arc<AtomicUsize>> {
    Ok(Arc::default())
}

/// Restores the default action and raises the signal again.
#[cfg(unix)]
fn end_by(signal: usize) -> Result<()> {
    signal_hook::low_level::emulate_default_handler(signal as i32).context("could not end by a signal")
}

#[cfg(not(unix))]
fn end_by(_: usize) -> Result<()> {
    Ok(())
}

/// Stops until the shell resumes the program.
#[cfg(unix)]
fn suspend() -> Result<()> {
    signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP).context("could not suspend")
}

#[cfg(not(unix))]
fn suspend() -> Result<()> {
    Ok(())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::io::Read;

    use portable_pty::{CommandBuilder, PtySize, native_pty_system};

    use super::*;

    const PANICS: &str = "GLEANER_TEST_PANICS";

    /// Runs itself on a terminal, where it panics with the terminal taken over.
    #[test]
    fn a_panic_gives_the_terminal_back_before_it_is_printed() {
        if std::env::var_os(PANICS).is_some() {
            let _taken = Taken::new().unwrap();
            panic!("printed where people read");
        }
        let pair = native_pty_system().openpty(PtySize::default()).unwrap();
        let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
        command.args([
            "annotate::terminal::tests::a_panic_gives_the_terminal_back_before_it_is_printed",
            "--exact",
            "--nocapture",
        ]);
        command.env(PANICS, "1");
        command.env("TERM", "xterm-256color");
        let mut child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut output = pair.master.try_clone_reader().unwrap();
        let mut written = Vec::new();
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = output.read(&mut buffer) {
            written.extend_from_slice(&buffer[..count]);
        }
        assert!(!child.wait().unwrap().success());
        let written = String::from_utf8_lossy(&written);
        let (ours, theirs) = written.split_once("\u{1b}[?1049l").unwrap();
        assert!(
            ours.contains("\u{1b}[?1049h") && theirs.contains("\u{1b}[?25h"),
            "{written:?}"
        );
        assert!(theirs.contains("printed where people read"), "{written:?}");
        // Lines of a terminal in raw mode would not return to the left.
        assert!(theirs.contains("\r\n"), "{written:?}");
    }
}
