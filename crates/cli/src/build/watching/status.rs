//! A line a worker on standard error, when it is asked for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use gleaner_dataflow::{Progress, WorkerStatus};

use crate::terminal::{console, plain};

/// Polling interval for SIGUSR1.
const LOOK: Duration = Duration::from_millis(100);

/// Prints the status of workers until it is dropped.
pub(crate) struct Status {
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Status {
    /// Prints at an interval, and whenever the process gets SIGUSR1. None where there are no signals
    /// and nothing else was asked for.
    pub(crate) fn start(progress: &Arc<Progress>, seconds: Option<u64>) -> Result<Option<Status>> {
        let Some(asked) = asked()? else {
            return Ok(None);
        };
        let stopped = Arc::new(AtomicBool::new(false));
        let (over, progress) = (Arc::clone(&stopped), Arc::clone(progress));
        let every = seconds.map(Duration::from_secs);
        let print = move || {
            let mut last = Instant::now();
            while !over.load(Relaxed) {
                let is_due = every.is_some_and(|every| last.elapsed() >= every);
                if asked.swap(false, Relaxed) || is_due {
                    last = Instant::now();
                    progress
                        .watch
                        .workers()
                        .iter()
                        .for_each(|worker| console::say(&line(worker)));
                }
                // It is woken when the build is over, which would wait for it.
                std::thread::park_timeout(LOOK);
            }
        };
        let thread = std::thread::Builder::new().name("status".to_owned()).spawn(print);
        Ok(Some(Status {
            stopped,
            thread: Some(thread.context("could not start the thread that prints worker status")?),
        }))
    }
}

impl Drop for Status {
    fn drop(&mut self) {
        self.stopped.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            drop(thread.join());
        }
    }
}

/// A flag that SIGUSR1 sets.
#[cfg(unix)]
fn asked() -> Result<Option<Arc<AtomicBool>>> {
    let flag = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGUSR1, Arc::clone(&flag))
        .context("could not listen for SIGUSR1")?;
    Ok(Some(flag))
}

#[cfg(not(unix))]
fn asked() -> Result<Option<Arc<AtomicBool>>> {
    Ok(Some(Arc::default()))
}

/// A worker, in a line: `worker 1: reading a.warc.gz at 1.2 MB, waits for the store (3 s)`.
pub(crate) fn line(status: &WorkerStatus) -> String {
    let words = plain::line(&status.words);
    match status.lasts.as_secs() {
        0 => format!("worker {}: {words}", status.worker),
        _ => format!(
            "worker {}: {words} ({})",
            status.worker,
            console::seconds(status.lasts)
        ),
    }
}
