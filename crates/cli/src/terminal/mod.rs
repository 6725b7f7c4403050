//! What all commands print with: the two streams, text made safe for a terminal, HTML, signals, used resources.

pub(crate) mod console;
pub(crate) mod html;
pub(crate) mod plain;
pub(crate) mod signals;
pub(crate) mod usage;
