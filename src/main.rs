//! The `gleaner` command. Everything it does lives in the crates below `crates/`.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    gleaner_cli::main()
}
