//! A fixed number of threads that do the work of all requests.
//!
//! The queue before them has an end. A panic ends one piece of work: its request is answered with 500, and the worker
//! continues with fresh memory.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

use http::StatusCode;
use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::worker::{Models, Worker};
use crate::{Error, StartError};

/// Pieces of work that wait for each worker.
const WAITING: usize = 32;

/// Bytes of the stack of a worker: as much as commands have, which do the same work on the main thread.
const STACK: usize = 16 << 20;

type Work = Box<dyn FnOnce(&mut Worker) + Send>;

/// The workers.
pub(crate) struct Pool {
    /// None when it ends.
    queue: Option<SyncSender<Work>>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Starts workers with these models.
    pub(crate) fn start(workers: usize, models: Models) -> Result<Pool, StartError> {
        let (queue, waiting) = sync_channel(workers * WAITING);
        let waiting = Arc::new(Mutex::new(waiting));
        let first = Worker::new(models)?;
        let start = |number: usize| {
            let (waiting, first) = (Arc::clone(&waiting), first.fresh());
            let thread = Builder::new().name(format!("worker {number}")).stack_size(STACK);
            thread
                .spawn(move || work(&waiting, first))
                .map_err(StartError::Thread)
        };
        Ok(Pool {
            threads: (0..workers).map(start).collect::<Result<_, _>>()?,
            queue: Some(queue),
        })
    }

    /// Does a piece of work on one of the workers, and waits for it without blocking. Work whose request is gone is not begun.
    ///
    /// # Errors
    /// That of the work; 503 if too much is waiting; 500 if the work panicked.
    pub(crate) async fn run<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&mut Worker) -> Result<T, Error> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let work = move |worker: &mut Worker| {
            if !answer.is_closed() {
                // (It is of no use to a client that left meanwhile.)
                drop(answer.send(work(worker)));
            }
        };
        let Some(queue) = &self.queue else {
            return Err(busy());
        };
        queue.try_send(Box::new(work)).map_err(|_| busy())?;
        answered.await.unwrap_or_else(|_| Err(panicked()))
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.queue = None;
        for thread in self.threads.drain(..) {
            drop(thread.join());
        }
    }
}

fn busy() -> Error {
    let sentence = "too many requests are waiting: send it again in a second";
    Error::new(StatusCode::SERVICE_UNAVAILABLE, sentence)
}

fn panicked() -> Error {
    let sentence =
        "the program failed at this request, which is an error in gleaner: please report it with the page";
    Error::new(StatusCode::INTERNAL_SERVER_ERROR, sentence)
}

/// A worker's life.
fn work(waiting: &Mutex<Receiver<Work>>, mut worker: Worker) {
    loop {
        // (In its own statement: the lock is given back before the work.)
        let next = waiting.lock().recv();
        let Ok(next) = next else { return };
        let done = catch_unwind(AssertUnwindSafe(|| next(&mut worker)));
        if done.is_err() {
            worker = worker.fresh();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use gleaner_document::built_in;
    use tokio::runtime::{Builder, Runtime};

    use super::*;

    fn pool() -> (Arc<Pool>, Runtime) {
        let models = Models::new(built_in::pages(), built_in::texts()).unwrap();
        let runtime = Builder::new_multi_thread().worker_threads(1).build().unwrap();
        (Arc::new(Pool::start(1, models).unwrap()), runtime)
    }

    #[test]
    fn a_panic_ends_one_request_and_no_worker() {
        let (pool, runtime) = pool();
        for _ in 0..3 {
            let failed = runtime.block_on(pool.run(|_| -> Result<(), Error> { panic!("at this page") }));
            assert_eq!(failed.unwrap_err().status, StatusCode::INTERNAL_SERVER_ERROR);
            let done = runtime.block_on(pool.run(|worker| {
                let page = worker.parser.parse(b"<p>a", None).unwrap();
                Ok(page.blocks.len())
            }));
            assert_eq!(done, Ok(1));
        }
    }

    #[test]
    fn what_does_not_fit_into_the_queue_is_refused() {
        let (pool, runtime) = pool();
        let (begun, has_begun) = channel();
        let (end, may_end) = channel::<()>();
        let ask = |work: Box<dyn FnOnce() + Send>| {
            let pool = Arc::clone(&pool);
            runtime.spawn(async move {
                pool.run(move |_| {
                    work();
                    Ok(())
                })
                .await
            })
        };
        let first = ask(Box::new(move || {
            begun.send(()).unwrap();
            may_end.recv().unwrap();
        }));
        has_begun.recv().unwrap();
        let waiting: Vec<_> = (0..WAITING).map(|_| ask(Box::new(|| {}))).collect();
        // (Tasks begin in the order in which they were spawned, on the only thread.)
        let refused = runtime.block_on(ask(Box::new(|| {}))).unwrap();
        assert_eq!(refused.unwrap_err().status, StatusCode::SERVICE_UNAVAILABLE);
        end.send(()).unwrap();
        for one in waiting.into_iter().chain([first]) {
            assert_eq!(runtime.block_on(one).unwrap(), Ok(()));
        }
    }

    #[test]
    fn work_of_clients_that_left_is_not_begun() {
        let (pool, runtime) = pool();
        let (done, was_done) = channel();
        let (begun, has_begun) = channel();
        let (end, may_end) = channel::<()>();
        let holding = Arc::clone(&pool);
        let first = runtime.spawn(async move {
            holding
                .run(move |_| {
                    begun.send(()).unwrap();
                    may_end.recv().unwrap();
                    Ok(())
                })
                .await
        });
        has_begun.recv().unwrap();
        let left = pool.run(move |_| {
            done.send(()).unwrap();
            Ok(())
        });
        let mut left = Box::pin(left);
        let waker = &mut std::task::Context::from_waker(std::task::Waker::noop());
        assert!(left.as_mut().poll(waker).is_pending());
        drop(left);
        end.send(()).unwrap();
        runtime.block_on(first).unwrap().unwrap();
        runtime.block_on(pool.run(|_| Ok(()))).unwrap();
        assert!(was_done.try_recv().is_err());
    }
}
