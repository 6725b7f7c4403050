//! What the workers of a process share while a build runs.

pub(crate) mod dealing;
pub(crate) mod running;
pub(crate) mod task;
