//! A terminal for the command to run on: a pseudo-terminal, and what is written to it as a screen.

use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};
use vt100::{Parser, Screen};

/// How long something that has to happen may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// The command on a terminal of its own.
pub(crate) struct Terminal {
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    seen: Arc<Mutex<Seen>>,
    reader: Option<JoinHandle<()>>,
}

/// What has been written to the terminal.
struct Seen {
    parser: Parser,
    bytes: Vec<u8>,
}

impl Terminal {
    /// Starts `gleaner` with these arguments on a terminal of so many columns and lines.
    pub(crate) fn start(arguments: &[&Path], size: (u16, u16), variables: &[(&str, &str)]) -> Terminal {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_gleaner"));
        command.args(arguments.iter().map(|argument| argument.as_os_str()));
        Terminal::spawn(command, size, variables)
    }

    /// Starts a line of shell, in which `"$0" "$@"` is the command with these arguments.
    pub(crate) fn shell(script: &str, arguments: &[&Path], size: (u16, u16)) -> Terminal {
        let mut command = CommandBuilder::new("sh");
        command.args(["-c", script, env!("CARGO_BIN_EXE_gleaner")]);
        command.args(arguments.iter().map(|argument| argument.as_os_str()));
        Terminal::spawn(command, size, &[])
    }

    fn spawn(mut command: CommandBuilder, size: (u16, u16), variables: &[(&str, &str)]) -> Terminal {
        command.env("TERM", "xterm-256color");
        command.env("USER", "jo");
        command.env_remove("NO_COLOR");
        for (name, value) in variables {
            command.env(name, value);
        }
        let pair = native_pty_system().openpty(pty_size(size)).unwrap();
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let seen = Arc::new(Mutex::new(Seen {
            parser: Parser::new(cells(size.1), cells(size.0), 0),
            bytes: Vec::new(),
        }));
        let mut output = pair.master.try_clone_reader().unwrap();
        let writes = Arc::clone(&seen);
        let reader = std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // The end of a terminal is an error or nothing more.
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                let mut seen = writes.lock().unwrap();
                seen.parser.process(&buffer[..count]);
                seen.bytes.extend_from_slice(&buffer[..count]);
            }
        });
        Terminal {
            keys: pair.master.take_writer().unwrap(),
            master: pair.master,
            child,
            seen,
            reader: Some(reader),
        }
    }

    /// Presses keys.
    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Changes the size of the terminal.
    pub(crate) fn resize(&mut self, size: (u16, u16)) {
        self.seen
            .lock()
            .unwrap()
            .parser
            .screen_mut()
            .set_size(cells(size.1), cells(size.0));
        self.master.resize(pty_size(size)).unwrap();
    }

    /// Looks at the screen.
    pub(crate) fn look<T>(&self, at: impl FnOnce(&Screen) -> T) -> T {
        at(self.seen.lock().unwrap().parser.screen())
    }

    /// The text on the screen.
    pub(crate) fn text(&self) -> String {
        self.look(Screen::contents)
    }

    /// Everything that was ever written to the terminal.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.seen.lock().unwrap().bytes.clone()
    }

    /// Waits until the screen is as it should be.
    pub(crate) fn wait(&self, what: &str, is_there: impl Fn(&Screen) -> bool) {
        let begin = Instant::now();
        while !self.look(&is_there) {
            assert!(
                begin.elapsed() < PATIENCE,
                "no {what} on the screen:\n{}",
                self.text()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until a text is on the screen.
    pub(crate) fn wait_for(&self, text: &str) {
        self.wait(text, |screen| screen.contents().contains(text));
    }

    /// Waits for the end of the command, and for all that it has written.
    pub(crate) fn end(&mut self) -> ExitStatus {
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(begin.elapsed() < PATIENCE, "it does not end:\n{}", self.text());
            std::thread::sleep(Duration::from_millis(5));
        };
        self.reader.take().unwrap().join().unwrap();
        status
    }

    /// The process.
    pub(crate) fn process(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Sends the process a signal.
    pub(crate) fn signal(&self, signal: &str) {
        send(signal, self.process());
    }

    /// Whether the terminal is as it was before the command ran: the screen, the cursor, pasting.
    pub(crate) fn is_given_back(&self) -> bool {
        self.look(|screen| !screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A test that failed leaves nothing behind.
        drop(self.child.kill());
    }
}

/// Sends a signal to a process.
pub(crate) fn send(signal: &str, process: u32) {
    let sent = Command::new("kill").args([signal, &process.to_string()]).status();
    assert!(sent.unwrap().success(), "the process had ended");
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

fn pty_size((cols, rows): (u16, u16)) -> PtySize {
    PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    }
}
