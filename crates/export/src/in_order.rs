//! Work of several threads, whose results come in the order of their tasks.

use std::collections::BTreeMap;

use parking_lot::{Condvar, Mutex};

/// Tasks for each worker that may be done and not taken yet.
const AHEAD: u64 = 2;

struct State<I, R, E> {
    tasks: I,
    /// The next task.
    next: u64,
    /// The next result that is taken.
    taken: u64,
    ready: BTreeMap<u64, Result<R, E>>,
    /// Whether there are no more tasks, or nothing more is wanted.
    is_over: bool,
    working: usize,
}

/// Has `work` done for all tasks, on a number of threads, and gives the results to `take`, in this thread and in the order of
/// the tasks. Results wait in memory, a few for each worker.
///
/// # Errors
/// The first error of a task, of `work` or of `take`, in the order of the tasks.
pub fn in_order<T: Send, R: Send, E: Send>(
    workers: usize,
    tasks: impl Iterator<Item = Result<T, E>> + Send,
    work: impl Fn(T) -> Result<R, E> + Sync,
    mut take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let workers = workers.max(1);
    let state = Mutex::new(State {
        tasks,
        next: 0,
        taken: 0,
        ready: BTreeMap::new(),
        is_over: false,
        working: workers,
    });
    let changed = Condvar::new();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| work_on(&state, &changed, workers, &work));
        }
        let taken = take_all(&state, &changed, &mut take);
        state.lock().is_over = true;
        changed.notify_all();
        taken
    })
}

/// Ends the work of a thread also where it panics.
struct Working<'a, I, R, E> {
    state: &'a Mutex<State<I, R, E>>,
    changed: &'a Condvar,
}

impl<I, R, E> Drop for Working<'_, I, R, E> {
    fn drop(&mut self) {
        let mut state = self.state.lock();
        state.working -= 1;
        state.is_over |= std::thread::panicking();
        self.changed.notify_all();
    }
}

fn work_on<T, R, E, I: Iterator<Item = Result<T, E>>>(
    state: &Mutex<State<I, R, E>>,
    changed: &Condvar,
    workers: usize,
    work: &impl Fn(T) -> Result<R, E>,
) {
    let _working = Working { state, changed };
    loop {
        let mut locked = state.lock();
        let most = AHEAD * workers as u64;
        changed.wait_while(&mut locked, |state| {
            !state.is_over && state.next - state.taken >= most
        });
        if locked.is_over {
            return;
        }
        let Some(task) = locked.tasks.next() else {
            locked.is_over = true;
            return;
        };
        let number = locked.next;
        locked.next += 1;
        let result = match task {
            Ok(task) => {
                drop(locked);
                let result = work(task);
                locked = state.lock();
                result
            }
            Err(error) => Err(error),
        };
        locked.is_over |= result.is_err();
        locked.ready.insert(number, result);
        changed.notify_all();
    }
}

fn take_all<I, R, E>(
    state: &Mutex<State<I, R, E>>,
    changed: &Condvar,
    take: &mut impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    loop {
        let mut locked = state.lock();
        changed.wait_while(&mut locked, |state| {
            !state.ready.contains_key(&state.taken) && state.working > 0
        });
        let number = locked.taken;
        let Some(result) = locked.ready.remove(&number) else {
            return Ok(());
        };
        locked.taken += 1;
        changed.notify_all();
        drop(locked);
        take(result?)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(
        workers: usize,
        tasks: Vec<Result<u64, u64>>,
        fails: impl Fn(u64) -> bool + Sync,
    ) -> (Vec<u64>, Result<(), u64>) {
        let mut taken = Vec::new();
        let work = |task: u64| if fails(task) { Err(task) } else { Ok(task * task) };
        let result = in_order(workers, tasks.into_iter(), work, |result| {
            taken.push(result);
            Ok(())
        });
        (taken, result)
    }

    #[test]
    fn results_come_in_order() {
        for workers in [1, 2, 5] {
            let tasks = (0..1000).map(Ok).collect();
            let (taken, result) = run(workers, tasks, |_| false);
            assert_eq!(result, Ok(()));
            assert!(taken.into_iter().eq((0..1000).map(|task| task * task)));
        }
        assert_eq!(run(3, Vec::new(), |_| false), (Vec::new(), Ok(())));
    }

    #[test]
    fn the_first_error_ends_it() {
        for workers in [1, 4] {
            let tasks: Vec<Result<u64, u64>> = (0..100).map(Ok).collect();
            let (taken, result) = run(workers, tasks.clone(), |task| task == 10 || task == 11);
            assert_eq!((taken.len(), result), (10, Err(10)), "{workers}");
            let mut broken = tasks;
            broken[7] = Err(7);
            let (taken, result) = run(workers, broken, |_| false);
            assert_eq!((taken.len(), result), (7, Err(7)), "{workers}");
        }
        let mut count = 0;
        let refused = in_order(2, (0..50).map(Ok::<u64, u64>), Ok, |_| {
            count += 1;
            if count == 5 { Err(99) } else { Ok(()) }
        });
        assert_eq!((count, refused), (5, Err(99)));
    }
}
