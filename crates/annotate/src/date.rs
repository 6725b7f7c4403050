//! The day it is.

use std::time::SystemTime;

use chrono::{DateTime, Utc};

/// Today by the machine's clock, UTC: `2026-11-21`.
pub(crate) fn today() -> String {
    let now: DateTime<Utc> = SystemTime::now().into();
    now.date_naive().to_string()
}
