//! The Python package `gleaner`, as the interpreter loads it: the module `gleaner._gleaner`. What users import is
//! in `python/gleaner/`.
//!
//! A file has the functions and classes of one subject; `_gleaner` below lists them. Every function that Python calls
//! does its work within `errors::guarded`, so that a panic is an exception of Python and the process lives.

mod arrow;
mod beside;
mod build;
mod cleaner;
mod command;
mod document;
mod errors;
mod export;
mod html;
mod many;
mod panics;
mod to_arrow;
mod warc;

// Faster than the allocator of most systems, as for the command. Only what Rust allocates comes from it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Objects of Python are aligned to 16 bytes: a class that has to be aligned otherwise boxes its parts.
const _: () = {
    assert!(align_of::<cleaner::Cleaner>() <= 16);
    assert!(align_of::<document::Document>() <= 16);
    assert!(align_of::<many::CleanedPages>() <= 16);
    assert!(align_of::<warc::WarcReader>() <= 16);
};

#[pyo3::pymodule]
mod _gleaner {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::arrow::{ArrowStream, ArrowTable};
    #[pymodule_export]
    use crate::build::{_build_options, build, files, verify};
    #[pymodule_export]
    use crate::cleaner::{Cleaner, extract};
    #[pymodule_export]
    use crate::command::_main;
    #[pymodule_export]
    use crate::document::{Block, Comment, Document, Post};
    #[pymodule_export]
    use crate::errors::{_panic, _panic_in_thread};
    #[pymodule_export]
    use crate::export::export;
    #[pymodule_export]
    use crate::many::CleanedPages;
    #[pymodule_export]
    use crate::to_arrow::to_arrow;
    #[pymodule_export]
    use crate::warc::{WarcReader, read_warc};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::panics::be_quiet();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
