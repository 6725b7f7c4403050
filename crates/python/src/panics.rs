//! Panics as values: caught with their message and place, and without a word on standard error.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, Once, PoisonError};

/// A panic that was caught.
#[derive(Clone, Debug, Default)]
pub(crate) struct Panic {
    pub(crate) message: String,
    /// File, line and column.
    pub(crate) place: String,
}

thread_local! {
    /// How many calls of `caught` this thread is in.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// How many pieces of work with threads of their own want silence.
static SILENT: AtomicUsize = AtomicUsize::new(0);

/// The last panic of such threads.
static LAST: Mutex<Option<Panic>> = Mutex::new(None);

/// Makes panics silent within [`caught`] and [`Silence`]; those elsewhere are reported as before.
pub(crate) fn be_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let former = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            let place = panic.location().map(ToString::to_string).unwrap_or_default();
            if DEPTH.try_with(Cell::get).is_ok_and(|depth| depth > 0) {
                PLACE.set(place);
            } else if SILENT.load(SeqCst) > 0 {
                let message = message(panic.payload());
                *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(Panic { message, place });
            } else {
                former(panic);
            }
        }));
    });
}

/// Does work that may panic. State that the work shares with others must be fit for use after a panic.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Panic> {
    DEPTH.set(DEPTH.get() + 1);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    DEPTH.set(DEPTH.get() - 1);
    done.map_err(|panic| Panic {
        message: message(&*panic),
        place: PLACE.take(),
    })
}

/// As long as it lives, the threads that a build starts panic without a word: the build makes errors or rejects of it.
pub(crate) struct Silence(());

impl Silence {
    pub(crate) fn begin() -> Silence {
        SILENT.fetch_add(1, SeqCst);
        Silence(())
    }

    /// The last panic of such a thread.
    pub(crate) fn last(&self) -> Option<Panic> {
        LAST.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        SILENT.fetch_sub(1, SeqCst);
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}
