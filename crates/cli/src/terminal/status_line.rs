//! A line with the state of long work, at the bottom of the terminal.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::console;

const LOOK: Duration = Duration::from_millis(200);

/// A line that a thread draws until it is stopped; nothing where there is no terminal.
pub(crate) struct StatusLine {
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl StatusLine {
    /// Draws what `state` gives, five times a second.
    pub(crate) fn start(state: impl FnMut() -> String + Send + 'static) -> StatusLine {
        let done = Arc::new(AtomicBool::new(false));
        let thread = console::draws_progress().then(|| {
            let done = Arc::clone(&done);
            std::thread::spawn(move || draw(state, &done))
        });
        StatusLine { done, thread }
    }

    /// Takes the line away.
    pub(crate) fn stop(self) {
        self.done.store(true, Relaxed);
        if let Some(thread) = self.thread {
            thread.thread().unpark();
            drop(thread.join());
        }
    }
}

fn draw(mut state: impl FnMut() -> String, done: &AtomicBool) {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_style(ProgressStyle::with_template("{msg}").expect("the template is well formed"));
    console::set_bar(Some(bar.clone()));
    while !done.load(Relaxed) {
        bar.set_message(state());
        bar.tick();
        std::thread::park_timeout(LOOK);
    }
    console::set_bar(None);
    bar.finish_and_clear();
}
