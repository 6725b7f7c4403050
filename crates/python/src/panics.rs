//! Panics as values: caught with their message and place, and without a word on standard error.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

/// A panic that was caught.
#[derive(Clone, Debug)]
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

/// Makes panics silent within [`caught`]; those elsewhere are reported as before.
pub(crate) fn be_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let former = panic::take_hook();
        panic::set_hook(Box::new(move |panic| match DEPTH.try_with(Cell::get) {
            Ok(1..) => PLACE.with_borrow_mut(|place| {
                *place = panic.location().map(ToString::to_string).unwrap_or_default();
            }),
            _ => former(panic),
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

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}
