//! Threads that end by themselves.

use crate::error::Error;

pub(crate) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    let failed = |error| Error::Connect(format!("could not start a thread: {error}"));
    thread.map(drop).map_err(failed)
}
