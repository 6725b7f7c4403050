//! The processes of a browser.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use super::BrowserError;

/// How long a browser may take until it listens.
const START: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(10);
/// The end of what a browser printed that an error repeats.
const MESSAGE_BYTES: usize = 400;

/// A browser and the processes that it started; ended when dropped, and its profile removed.
#[derive(Debug)]
pub(super) struct Process {
    program: PathBuf,
    child: Child,
    // Removed after the processes have ended.
    profile: TempDir,
}

impl Process {
    /// Starts a browser with a new profile and these arguments.
    pub(super) fn start(
        program: &Path,
        arguments: &[String],
        environment: &[(String, String)],
    ) -> Result<Process, BrowserError> {
        let profile = tempfile::Builder::new()
            .prefix("gleaner-browser-")
            .tempdir()
            .map_err(BrowserError::Profile)?;
        let printed = File::create(profile.path().join("printed")).map_err(BrowserError::Profile)?;
        let mut command = Command::new(program);
        command
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("--remote-debugging-port=0")
            .args(arguments)
            .envs(environment.iter().cloned())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(printed);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child = command.spawn().map_err(|source| BrowserError::Start {
            program: program.to_owned(),
            source,
        })?;
        Ok(Process {
            program: program.to_owned(),
            child,
            profile,
        })
    }

    /// Waits until the browser listens: the port, and the path of the WebSocket.
    pub(super) async fn address(&mut self) -> Result<(u16, String), BrowserError> {
        let file = self.profile.path().join("DevToolsActivePort");
        let begin = Instant::now();
        loop {
            if let Some(address) = fs::read_to_string(&file).ok().as_deref().and_then(parse) {
                return Ok(address);
            }
            // (An error is that of a process that was waited for already.)
            if !matches!(self.child.try_wait(), Ok(None)) {
                let program = self.program.clone();
                let message = self.printed();
                return Err(BrowserError::EndedAtStart { program, message });
            }
            if begin.elapsed() > START {
                return Err(BrowserError::Silent {
                    program: self.program.clone(),
                    seconds: START.as_secs(),
                    message: self.printed(),
                });
            }
            sleep(LOOK).await;
        }
    }

    /// Its number, which is also that of its group.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The end of what it printed, in one line.
    fn printed(&self) -> String {
        let printed = fs::read(self.profile.path().join("printed")).unwrap_or_default();
        let end = &printed[printed.len().saturating_sub(MESSAGE_BYTES)..];
        let text = String::from_utf8_lossy(end);
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            [] => "it printed nothing".to_owned(),
            words => words.join(" "),
        }
    }

    fn end(&mut self) -> io::Result<()> {
        #[cfg(unix)]
        if let Some(group) = i32::try_from(self.child.id())
            .ok()
            .and_then(rustix::process::Pid::from_raw)
        {
            // Fails if all have ended.
            rustix::process::kill_process_group(group, rustix::process::Signal::KILL).ok();
        }
        self.child.kill()?;
        self.child.wait().map(drop)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Fails if it has ended.
        self.end().ok();
    }
}

/// The lines of the file by which a browser says where it listens: port and path.
fn parse(lines: &str) -> Option<(u16, String)> {
    let (port, path) = lines.split_once('\n')?;
    // (The path is written last.)
    let path = path.trim_end();
    (path.len() > "/devtools/browser/".len()).then_some((port.parse().ok()?, path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_half_written_is_no_address() {
        let path = "/devtools/browser/8c4b";
        assert_eq!(parse(&format!("1234\n{path}\n")), Some((1234, path.to_owned())));
        for half in ["", "12", "1234\n", "1234\n/devtools/", "x\n/devtools/browser/1"] {
            assert_eq!(parse(half), None, "{half}");
        }
    }
}
