//! The progress bar of a build: a line for the phase that runs, at the bottom of the terminal.
//!
//! ```text
//! 2 of 3 label    ██████████░░░░░░░░░░░░░░  43%  9 documents  3s left
//! ```
//!
//! A bar is full when its phase is over, and then the next phase has its place: nothing stands at 100%. Each phase is
//! drawn once at least, however short it is. Messages stand above the bar, see [`console`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::Duration;

use gleaner_dataflow::{PhaseStatus, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::watching;
use crate::terminal::console;

const LOOK: Duration = Duration::from_millis(100);

/// Steps of a bar. The last is left for the next phase: nothing stands at 100%.
const STEPS: u64 = 1000;
const LAST_STEP: u64 = 990;

/// A bar that is drawn, by a thread of its own; or none.
pub(crate) struct Drawn {
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drawn {
    pub(crate) fn start(progress: &Arc<Progress>, draws: bool) -> Drawn {
        let done = Arc::new(AtomicBool::new(false));
        let thread = draws.then(|| {
            let (progress, done) = (Arc::clone(progress), Arc::clone(&done));
            std::thread::spawn(move || draw(&progress, &done))
        });
        Drawn { done, thread }
    }

    pub(crate) fn stop(self) {
        self.done.store(true, Relaxed);
        if let Some(thread) = self.thread {
            thread.thread().unpark();
            drop(thread.join());
        }
    }
}

fn draw(progress: &Progress, done: &AtomicBool) {
    // Often enough that no phase is skipped.
    let target = ProgressDrawTarget::stderr_with_hz(u8::MAX);
    let bar = ProgressBar::with_draw_target(Some(STEPS), target);
    console::set_bar(Some(bar.clone()));
    let mut drawn = 0;
    loop {
        let is_over = done.load(Relaxed);
        let phases = progress.watch.phases();
        for phase in phases.iter().skip(drawn.max(1) - 1) {
            // All of it is drawn at once, with the position.
            bar.set_style(style(phase, &counts(phase, progress)));
            let share = phase.share.unwrap_or_default();
            bar.set_position(((share * STEPS as f64) as u64).min(LAST_STEP));
            bar.tick();
            if phase.number > drawn {
                // The time that is left is estimated from what the phase has done since then.
                bar.reset_elapsed();
                bar.reset_eta();
            }
            drawn = phase.number;
        }
        if is_over {
            break;
        }
        std::thread::park_timeout(LOOK);
    }
    console::set_bar(None);
    bar.finish_and_clear();
}

/// The line of a phase; a phase whose length is not known has no bar.
fn style(phase: &PhaseStatus, counts: &str) -> ProgressStyle {
    let name = format!("{} of {} {:<7}", phase.number, phase.of, phase.name);
    let template = match phase.share {
        Some(_) => format!("{name}  {{bar:24.█░}} {{percent:>3}}%  {counts}  {{eta}} left"),
        None => format!("{name}  {counts}"),
    };
    ProgressStyle::with_template(&template).expect("the template is well formed")
}

fn counts(phase: &PhaseStatus, progress: &Progress) -> String {
    let waits = watching::what_waits(progress);
    let seconds = phase.begun.as_secs_f64().max(0.1);
    let rate = |count: u64| console::grouped((count as f64 / seconds).round() as u64);
    match phase.name {
        "read" => {
            let pages = progress.pages.load(Relaxed);
            format!(
                "{} pages  {} pages/s{waits}",
                console::grouped(pages),
                rate(pages)
            )
        }
        "label" => {
            let documents = progress.watch.documents.load(Relaxed);
            format!("{} documents{waits}", console::grouped(documents))
        }
        _ => String::new(),
    }
}
