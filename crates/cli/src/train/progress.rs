//! The progress of a training.

use gleaner_content::{Progress, TrainingPart};
use indicatif::{ProgressBar, ProgressStyle};

use crate::terminal::console;

/// Prints the progress: on a terminal in a line that changes, elsewhere every tenth iteration. Each part ends with its
/// result.
pub(super) enum ProgressLines {
    Lines(Last),
    Bar(Last, ProgressBar),
}

/// The last iteration of the part at hand, and the one that was best on the pages held out.
#[derive(Default)]
pub(super) struct Last {
    progress: Option<Progress>,
    best: Option<Progress>,
}

impl ProgressLines {
    pub(super) fn new() -> ProgressLines {
        if !console::draws_progress() {
            return ProgressLines::Lines(Last::default());
        }
        let style = ProgressStyle::with_template("{spinner} {msg}").expect("the template is well formed");
        ProgressLines::Bar(Last::default(), ProgressBar::new_spinner().with_style(style))
    }

    /// After each iteration.
    pub(super) fn add(&mut self, progress: &Progress) {
        match self {
            ProgressLines::Lines(last) => {
                last.follow(progress).iter().for_each(|line| console::say(line));
                if progress.iteration.is_multiple_of(10) {
                    console::say(&line(progress));
                }
            }
            ProgressLines::Bar(last, bar) => {
                let ended = last.follow(progress);
                if !ended.is_empty() {
                    bar.suspend(|| ended.iter().for_each(|line| console::say(line)));
                }
                bar.set_message(line(progress));
                bar.tick();
            }
        }
    }

    pub(super) fn end(&mut self) {
        if let ProgressLines::Bar(_, bar) = self {
            bar.finish_and_clear();
        }
        let (ProgressLines::Lines(last) | ProgressLines::Bar(last, _)) = self;
        last.sum_up().iter().for_each(|line| console::say(line));
    }
}

impl Last {
    /// Takes note of an iteration. Where it is the first of a part, returns the result of the part before.
    fn follow(&mut self, progress: &Progress) -> Vec<String> {
        let is_new = self.progress.is_some_and(|last| last.part != progress.part);
        let ended = if is_new {
            std::mem::take(self).sum_up()
        } else {
            Vec::new()
        };
        self.progress = Some(*progress);
        let loss = |progress: &Progress| progress.dev_loss.unwrap_or(f64::INFINITY);
        if self.best.as_ref().is_none_or(|best| loss(progress) < loss(best)) {
            self.best = Some(*progress);
        }
        ended
    }

    fn sum_up(&self) -> Vec<String> {
        let Some(last) = &self.progress else {
            return Vec::new();
        };
        let (part, step) = names(last.part);
        let plural = if last.iteration == 1 { "" } else { "s" };
        let taken = self.best.and_then(|best| {
            let loss = best.dev_loss?;
            let number = best.iteration;
            Some(format!(
                "{part}: uses {step} {number}, the best on held-out pages ({loss:.4} per block)"
            ))
        });
        let ended = format!(
            "{part}: {} {step}{plural} in {}, objective {:.1}",
            last.iteration,
            console::seconds(last.elapsed),
            last.objective
        );
        [Some(ended), taken].into_iter().flatten().collect()
    }
}

fn names(part: TrainingPart) -> (&'static str, &'static str) {
    match part {
        TrainingPart::Labels => ("labels", "iteration"),
        TrainingPart::LabelTrees => ("labels", "tree"),
        TrainingPart::Content => ("content", "iteration"),
        TrainingPart::ContentTrees => ("content", "tree"),
    }
}

fn line(progress: &Progress) -> String {
    let (part, step) = names(progress.part);
    let dev = progress
        .dev_loss
        .map_or_else(String::new, |loss| format!("  held out {loss:.4} per block"));
    let gradient = progress
        .gradient_norm
        .map_or_else(String::new, |norm| format!("  gradient {norm:.2}"));
    format!(
        "{part}: {step} {:4}  objective {:.1}{gradient}{dev}  {}, at most {} left",
        progress.iteration,
        progress.objective,
        console::seconds(progress.elapsed),
        console::seconds(progress.time_left()),
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn at(part: TrainingPart, iteration: usize, dev_loss: Option<f64>) -> Progress {
        Progress {
            part,
            iteration,
            objective: 7.25,
            gradient_norm: None,
            evaluations: iteration,
            dev_loss,
            elapsed: Duration::from_millis(500 * iteration as u64),
            iterations_left: 3,
        }
    }

    #[test]
    fn each_part_is_summed_up_once() {
        let mut last = Last::default();
        let lines: Vec<Vec<String>> = [
            at(TrainingPart::Labels, 1, Some(0.5)),
            at(TrainingPart::Labels, 2, Some(0.25)),
            at(TrainingPart::Labels, 3, Some(0.75)),
            at(TrainingPart::LabelTrees, 1, None),
            at(TrainingPart::Content, 1, None),
            at(TrainingPart::ContentTrees, 1, None),
            at(TrainingPart::ContentTrees, 2, None),
        ]
        .iter()
        .map(|progress| last.follow(progress))
        .collect();
        let silent: &[String] = &[];
        assert_eq!(lines[..3], [silent; 3]);
        assert_eq!(
            lines[3],
            [
                "labels: 3 iterations in 1.5 s, objective 7.2",
                "labels: uses iteration 2, the best on held-out pages (0.2500 per block)",
            ]
        );
        assert_eq!(lines[4], ["labels: 1 tree in 0.5 s, objective 7.2"]);
        assert_eq!(lines[5], ["content: 1 iteration in 0.5 s, objective 7.2"]);
        assert_eq!(lines[6], silent);
        assert_eq!(last.sum_up(), ["content: 2 trees in 1.0 s, objective 7.2"]);
    }

    #[test]
    fn trees_are_called_trees() {
        assert_eq!(
            line(&at(TrainingPart::ContentTrees, 10, None)),
            "content: tree   10  objective 7.2  5.0 s, at most 1.5 s left"
        );
    }
}
