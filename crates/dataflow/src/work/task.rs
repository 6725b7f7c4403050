//! Work beside the workers: what waits for a disk or a store, such as a commit.

use std::thread::{Builder, JoinHandle};

use crate::error::Error;

/// Something that is done on a thread of its own.
#[derive(Debug)]
pub(crate) struct Task(Option<JoinHandle<Result<(), Error>>>);

impl Task {
    pub(crate) fn start(work: impl FnOnce() -> Result<(), Error> + Send + 'static) -> Result<Task, Error> {
        let thread = Builder::new().name("commit".to_owned()).spawn(work);
        let thread = thread.map_err(|error| Error::System("start a thread", error))?;
        Ok(Task(Some(thread)))
    }

    /// Whether it is done by now. Returns at once.
    ///
    /// # Errors
    /// It failed.
    pub(crate) fn poll(&mut self) -> Result<bool, Error> {
        match self.0.take_if(|thread| thread.is_finished()) {
            Some(thread) => {
                let outcome = thread.join();
                let failed = |_| Err(Error::Worker("a commit panicked".to_owned()));
                outcome.unwrap_or_else(failed).map(|()| true)
            }
            None => Ok(self.0.is_none()),
        }
    }
}

/// Forgets what is done by now of several things.
///
/// # Errors
/// One of them failed.
pub(crate) fn poll(tasks: &mut Vec<Task>) -> Result<(), Error> {
    let mut failed = Ok(());
    tasks.retain_mut(|task| match task.poll() {
        Ok(is_done) => !is_done,
        Err(error) => {
            failed = Err(error);
            false
        }
    });
    failed
}

impl Drop for Task {
    /// Nothing is written any more when a build has ended, however it ends.
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            drop(thread.join());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn outcome(mut task: Task) -> Result<(), Error> {
        while !task.poll()? {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    #[test]
    fn outcomes_are_returned() {
        let done = Task::start(|| {
            std::thread::sleep(Duration::from_millis(5));
            Ok(())
        });
        outcome(done.unwrap()).unwrap();
        assert!(outcome(Task::start(|| Err(Error::Damaged)).unwrap()).is_err());
        let panics = Task::start(|| panic!("on purpose")).unwrap();
        let error = outcome(panics).unwrap_err().to_string();
        assert!(error.contains("a commit panicked"), "{error}");
    }
}
