//! The progress bar of a build: a line for the phase that runs, at the bottom of the terminal.
//!
//! ```text
//! 2 of 4 mine     ██████████░░░░░░░░░░░░░░  43%  0:03 left
//! ```
//!
//! A bar is full when its phase is over, and then the next phase has its place: nothing stands at 100%. Each phase is
//! drawn once at least, however short it is. What is said meanwhile stands above the bar, see [`console`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::Duration;

use gleaner_dataflow::{PhaseStatus, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{console, watching};

/// The pause between two looks at the build.
const LOOK: Duration = Duration::from_millis(100);

/// Cells of the bar.
const CELLS: usize = 24;

/// A bar that is drawn, by a thread of its own; nothing where there is no terminal.
pub(crate) struct Drawn {
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drawn {
    pub(crate) fn start(progress: &Arc<Progress>) -> Drawn {
        let done = Arc::new(AtomicBool::new(false));
        let thread = console::draws_progress().then(|| {
            let (progress, done) = (Arc::clone(progress), Arc::clone(&done));
            std::thread::spawn(move || draw(&progress, &done))
        });
        Drawn { done, thread }
    }

    /// Ends it; nothing of it is left on the terminal.
    pub(crate) fn stop(self) {
        self.done.store(true, Relaxed);
        if let Some(thread) = self.thread {
            thread.thread().unpark();
            drop(thread.join());
        }
    }
}

fn draw(progress: &Progress, done: &AtomicBool) {
    // Often enough that no phase is passed over.
    let target = ProgressDrawTarget::stderr_with_hz(u8::MAX);
    let bar = ProgressBar::with_draw_target(None, target);
    bar.set_style(ProgressStyle::with_template("{wide_msg}").expect("the template is well formed"));
    console::set_bar(Some(bar.clone()));
    let mut drawn = 0;
    let mut first = None;
    loop {
        let is_over = done.load(Relaxed);
        let phases = progress.watch.phases();
        for phase in phases.iter().skip(drawn.max(1) - 1) {
            let begin = match first {
                Some((name, share)) if name == phase.name => share,
                _ => phase.share.unwrap_or_default(),
            };
            first = Some((phase.name, begin));
            bar.set_message(line(phase, begin, &counts(phase, progress)));
        }
        drawn = phases.len();
        if is_over {
            break;
        }
        std::thread::park_timeout(LOOK);
    }
    console::set_bar(None);
    bar.finish_and_clear();
}

/// What the phase counts, and who waits.
fn counts(phase: &PhaseStatus, progress: &Progress) -> String {
    let waits = watching::what_waits(progress);
    let seconds = phase.begun.as_secs_f64().max(0.1);
    let rate = |count: u64| console::grouped((count as f64 / seconds).round() as u64);
    match phase.name {
        "extract" | "build" => {
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

/// The line of a phase that had done a share of its work when it was first seen.
fn line(phase: &PhaseStatus, first: f64, counts: &str) -> String {
    let name = format!("{} of {} {:<7}", phase.number, phase.of, phase.name);
    let Some(share) = phase.share else {
        return format!("{name}  {counts}");
    };
    let share = share.clamp(0.0, 0.99);
    let full = (share * CELLS as f64) as usize;
    let bar = "█".repeat(full) + &"░".repeat(CELLS - full);
    let percent = (share * 100.0 + 1e-9) as u32;
    let mut line = format!("{name}  {bar} {percent:>3}%");
    for more in [counts, &left(share, first, phase.begun)] {
        if !more.is_empty() {
            line += "  ";
            line += more;
        }
    }
    line
}

/// How long the rest takes if it goes on as it went so far; nothing before that can be said.
fn left(share: f64, first: f64, begun: Duration) -> String {
    let (done, seconds) = (share - first, begun.as_secs_f64());
    if done < 0.01 || seconds < 1.0 {
        return String::new();
    }
    let left = (seconds * (1.0 - share) / done).ceil() as u64;
    match left / 3600 {
        0 => format!("{}:{:02} left", left / 60, left % 60),
        hours => format!("{hours}:{:02}:{:02} left", left / 60 % 60, left % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase(share: Option<f64>, seconds: f64) -> PhaseStatus {
        PhaseStatus {
            name: "mine",
            number: 2,
            of: 4,
            share,
            begun: Duration::from_secs_f64(seconds),
        }
    }

    #[test]
    fn a_line_says_phase_share_and_time() {
        let drawn = line(&phase(Some(0.5), 3.0), 0.0, "");
        assert_eq!(drawn, "2 of 4 mine     ████████████░░░░░░░░░░░░  50%  0:03 left");
        assert_eq!(
            line(&phase(Some(0.5), 3600.0), 0.25, "9 pages"),
            "2 of 4 mine     ████████████░░░░░░░░░░░░  50%  9 pages  2:00:00 left"
        );
    }

    #[test]
    fn nothing_stands_at_the_end_before_it_is_over() {
        for share in [0.99, 0.999, 1.0, 2.0] {
            let drawn = line(&phase(Some(share), 0.5), 0.0, "");
            assert!(drawn.ends_with("█░  99%"), "{drawn}");
        }
        assert!(line(&phase(Some(0.0), 0.5), 0.0, "").ends_with("░   0%"));
    }

    #[test]
    fn of_an_unknown_length_there_is_no_bar() {
        assert_eq!(line(&phase(None, 3.0), 0.0, "7 pages"), "2 of 4 mine     7 pages");
    }
}
