//! The tasks of a phase: dealt by process 0 to the processes that ask, and taken by their workers.
//!
//! A process gets some tasks at a time, neighbours in their order; the fewer are left, the fewer (guided self-scheduling). So all
//! processes end at about the same time, and of chunks that stand side by side one process reads the pages.

use std::collections::VecDeque;

use parking_lot::Mutex;

use crate::epoch::Epoch;

/// The share of the tasks that are left, divided among the processes, that a process gets at a time: one that is four times
/// slower than the others holds up none.
const SHARE: usize = 4;

/// The tasks of a phase, as a process sees them.
#[derive(Debug)]
pub(crate) struct Dealing {
    state: Mutex<DealingState>,
    processes: usize,
}

#[derive(Debug)]
struct DealingState {
    /// Tasks that no worker has taken: of process 0 those of all processes.
    here: VecDeque<Epoch>,
    request: Request,
    /// Processes that have their last task.
    ended: usize,
}

/// How a process stands to process 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Request {
    /// It has not asked for more.
    None,
    /// Its workers wait.
    Wanted,
    Sent,
    /// No more come.
    Over,
}

/// What there is to do for a worker that is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offer {
    Take(Epoch),
    /// Nothing right now; more may come.
    Wait,
    /// No task is left.
    Done,
}

impl Dealing {
    /// All tasks, in the order in which they are dealt. Process 0 deals them, the others ask for them.
    pub(crate) fn new(tasks: Vec<Epoch>, processes: usize, is_first: bool) -> Dealing {
        let here = if is_first { tasks } else { Vec::new() };
        Dealing {
            state: Mutex::new(DealingState {
                here: here.into(),
                request: if is_first { Request::Over } else { Request::None },
                ended: 1,
            }),
            processes,
        }
    }

    /// The next task for a worker of this process.
    pub(crate) fn take(&self) -> Offer {
        let mut state = self.state.lock();
        match (state.here.pop_front(), state.request) {
            (Some(task), _) => Offer::Take(task),
            (None, Request::Over) => Offer::Done,
            (None, Request::Sent) => Offer::Wait,
            (None, Request::None | Request::Wanted) => {
                state.request = Request::Wanted;
                Offer::Wait
            }
        }
    }

    /// Whether process 0 is to be asked for tasks now.
    pub(crate) fn asks(&self) -> bool {
        let mut state = self.state.lock();
        let asks = state.request == Request::Wanted;
        if asks {
            state.request = Request::Sent;
        }
        asks
    }

    /// Takes what process 0 deals to this one.
    pub(crate) fn receive(&self, tasks: Vec<Epoch>) {
        let mut state = self.state.lock();
        state.request = if tasks.is_empty() {
            Request::Over
        } else {
            Request::None
        };
        state.here.extend(tasks);
    }

    /// The next tasks for another process. None at the end.
    pub(crate) fn deal(&self) -> Vec<Epoch> {
        let mut state = self.state.lock();
        let row = (state.here.len() / (SHARE * self.processes))
            .max(1)
            .min(state.here.len());
        state.ended += usize::from(row == 0);
        state.here.drain(..row).collect()
    }

    /// Whether all processes have their last task.
    pub(crate) fn has_dealt_all(&self) -> bool {
        self.state.lock().ended == self.processes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_task_is_taken_once(
            tasks in 0u64..200, processes in 1usize..5,
            turns in proptest::collection::vec(any::<prop::sample::Index>(), 2000),
        ) {
            let all: Vec<Epoch> = (0..tasks).collect();
            let own: Vec<Dealing> = (0..processes)
                .map(|process| Dealing::new(all.clone(), processes, process == 0))
                .collect();
            let mut taken = Vec::new();
            for turn in turns {
                let process = &own[turn.index(processes)];
                match process.take() {
                    Offer::Take(task) => taken.push(task),
                    Offer::Wait => {
                        prop_assert!(process.asks() && !process.asks());
                        prop_assert_eq!(process.take(), Offer::Wait);
                        prop_assert!(!process.asks(), "once");
                        process.receive(own[0].deal());
                    }
                    Offer::Done => {}
                }
            }
            let is_over = own.iter().all(|process| process.take() == Offer::Done);
            prop_assert!(is_over && own[0].has_dealt_all());
            if processes == 1 {
                prop_assert_eq!(&taken, &all);
            }
            taken.sort_unstable();
            prop_assert_eq!(taken, all);
        }
    }

    #[test]
    fn rows_get_shorter() {
        let first = Dealing::new((0..100).collect(), 3, true);
        assert_eq!(first.deal(), (0..8).collect::<Vec<_>>());
        assert_eq!(first.take(), Offer::Take(8));
        let rows: Vec<usize> =
            std::iter::from_fn(|| Some(first.deal().len()).filter(|&row| row > 0)).collect();
        assert!(
            rows.is_sorted_by(|one, next| one >= next) && rows.ends_with(&[1, 1]),
            "{rows:?}"
        );
    }
}
