//! Ctrl-C and SIGTERM.

use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};

use anyhow::{Result, anyhow};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_shutdown};

/// Registered once, when it is first asked for.
static STOP: LazyLock<io::Result<Arc<AtomicBool>>> = LazyLock::new(|| {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        register_conditional_shutdown(signal, 130, Arc::clone(&stop))?;
        register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
});

/// From now on the first Ctrl-C or SIGTERM sets the flag, so that the work can be ended cleanly; a
/// second one ends the process at once.
pub(crate) fn stop_on_signals() -> Result<Arc<AtomicBool>> {
    match &*STOP {
        Ok(stop) => Ok(Arc::clone(stop)),
        Err(error) => Err(anyhow!("could not listen for Ctrl-C: {error}")),
    }
}
