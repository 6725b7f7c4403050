//! Ctrl-C and SIGTERM.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};

use anyhow::{Result, anyhow};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_shutdown};

/// Who notices Ctrl-C.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Signals<'a> {
    /// This process, which is the command.
    Own,
    /// A program that runs the command within itself, and has handlers of its own.
    Of(&'a Interrupt),
}

impl Signals<'_> {
    /// From now on the first Ctrl-C or SIGTERM sets the flag, so that the work can be ended cleanly; a
    /// second one ends the process at once.
    pub(crate) fn stop(self) -> Result<Arc<AtomicBool>> {
        match self {
            Signals::Own => stop_on_signals(),
            Signals::Of(interrupt) => {
                interrupt.is_heeded.store(true, Relaxed);
                Ok(Arc::clone(&interrupt.stop))
            }
        }
    }
}

/// By which a program stops the command that it runs within itself.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    stop: Arc<AtomicBool>,
    is_heeded: Arc<AtomicBool>,
}

impl Interrupt {
    /// Stops the command, which then ends cleanly and soon. Returns whether it will: commands that write nothing do not
    /// listen, and end with their process.
    pub fn stop(&self) -> bool {
        self.stop.store(true, Relaxed);
        self.is_heeded.load(Relaxed)
    }
}

/// Registered once, when it is first asked for.
static STOP: LazyLock<io::Result<Arc<AtomicBool>>> = LazyLock::new(|| {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        register_conditional_shutdown(signal, 130, Arc::clone(&stop))?;
        register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
});

fn stop_on_signals() -> Result<Arc<AtomicBool>> {
    match &*STOP {
        Ok(stop) => Ok(Arc::clone(stop)),
        Err(error) => Err(anyhow!("could not listen for Ctrl-C: {error}")),
    }
}
