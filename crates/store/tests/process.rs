//! Servers that others wrote, started for a test and stopped at its end.

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server on 127.0.0.1.
pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
}

impl Server {
    /// Starts `program` with the arguments made for a free port, and waits until it answers.
    /// `None`, and a line that says why, where the program is not installed.
    pub(crate) fn start(program: &str, arguments: impl FnOnce(u16) -> Vec<String>) -> Option<Server> {
        let Some(path) = find(program) else {
            eprintln!("skipped: {program} is not installed; tests/servers/install.sh does it");
            return None;
        };
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let child = Command::new(path)
            .args(arguments(port))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut server = Server { child, port };
        server.wait(program);
        Some(server)
    }

    fn wait(&mut self, program: &str) {
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(
                self.child.try_wait().unwrap().is_none(),
                "{program} ended at once"
            );
            assert!(
                start.elapsed() < Duration::from_secs(120),
                "{program} does not answer"
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// A program where `tests/servers/install.sh` puts it, else on the path.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let target = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target"));
    let installed = [target.join("venv/bin"), target.join("npm/node_modules/.bin")];
    let path = std::env::var_os("PATH").unwrap_or_default();
    installed
        .into_iter()
        .chain(std::env::split_paths(&path))
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}
