//! Servers that others wrote, started for a test and stopped at its end.

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server on 127.0.0.1.
pub struct Server {
    child: Child,
    /// The port on which it listens.
    pub port: u16,
}

impl Server {
    /// Starts `program` with the arguments made for a free port, and waits until it answers. If another program takes the port
    /// first, it is started again with another.
    /// `None`, and a line with the reason, if the program is not installed.
    pub fn start(program: &str, arguments: impl Fn(u16) -> Vec<String>) -> Option<Server> {
        let Some(path) = find(program) else {
            eprintln!("skipped: {program} is not installed; tests/servers/install.sh does it");
            return None;
        };
        for _ in 0..3 {
            let port = free_port();
            let child = Command::new(&path)
                .args(arguments(port))
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let mut server = Server { child, port };
            let mut has_ended = false;
            wait_for(program, || {
                has_ended = server.child.try_wait().unwrap().is_some();
                has_ended || TcpStream::connect(("127.0.0.1", port)).is_ok()
            });
            if !has_ended {
                return Some(server);
            }
        }
        panic!("{program} ended three times at once");
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

impl Drop for Server {
    fn drop(&mut self) {
        // Fails if it has ended.
        self.child.kill().ok();
        self.child.wait().unwrap();
    }
}

/// A program where `tests/servers/install.sh` puts it, else on the path.
pub fn find(program: &str) -> Option<PathBuf> {
    let target = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target"));
    let installed = [target.join("venv/bin"), target.join("npm/node_modules/.bin")];
    let path = std::env::var_os("PATH").unwrap_or_default();
    installed
        .into_iter()
        .chain(std::env::split_paths(&path))
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

/// Waits until something outside of this process is so. Fails after two minutes, which no machine needs.
///
/// # Panics
///
/// If it is not so in time; `what` is part of the message.
pub fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(
            start.elapsed() < Duration::from_secs(120),
            "no {what} in two minutes"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
}
