//! How workers share units of work, and the order in which their entries count.

pub(crate) mod ledger;
pub(crate) mod order;
pub(crate) mod running;
pub(crate) mod task;
