//! The progress of an export: a line at the bottom of the terminal.

use std::thread::JoinHandle;
use std::time::Duration;

use gleaner_export::Work;
use indicatif::{ProgressBar, ProgressStyle};

use crate::terminal::console;

const LOOK: Duration = Duration::from_millis(100);
const STEPS: u64 = 1000;

/// A bar that a thread draws until this is dropped; nothing where there is no terminal.
pub(super) struct Drawn(Option<(ProgressBar, JoinHandle<()>)>);

impl Drawn {
    pub(super) fn start(work: &Work) -> Drawn {
        Drawn(console::draws_progress().then(|| {
            let template = "export  {bar:24.█░} {percent:>3}%  {eta} left";
            let style = ProgressStyle::with_template(template).expect("the template is well formed");
            let bar = ProgressBar::new(STEPS).with_style(style);
            let (work, drawn) = (work.clone(), bar.clone());
            let draw = move || {
                while !drawn.is_finished() {
                    drawn.set_position((work.share() * STEPS as f64) as u64);
                    std::thread::park_timeout(LOOK);
                }
            };
            (bar, std::thread::spawn(draw))
        }))
    }
}

impl Drop for Drawn {
    fn drop(&mut self) {
        if let Some((bar, thread)) = self.0.take() {
            bar.finish_and_clear();
            thread.thread().unpark();
            drop(thread.join());
        }
    }
}
