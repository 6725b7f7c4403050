//! `gleaner.main`: the command.

use std::ffi::OsString;

use gleaner_cli::Interrupt;
use pyo3::prelude::*;

use crate::beside::beside;
use crate::errors::guarded;

/// Runs the command with these arguments, and gives its exit status.
#[pyfunction]
pub(crate) fn _main(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<u8> {
    guarded(|| {
        let interrupt = Interrupt::default();
        let of_command = interrupt.clone();
        let run = move || gleaner_cli::main_within(&arguments, &of_command);
        let ended = beside(py, run, |_| Ok(()), || interrupt.stop())?;
        // A command that was stopped says so, and in its status.
        Ok(ended.result)
    })
}
