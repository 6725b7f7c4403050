//! The `gleaner` command: arguments in, tables and text out.

use std::process::ExitCode;

/// Runs the command with the arguments of this process.
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}
