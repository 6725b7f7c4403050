//! What the allocator of the program (mimalloc) keeps of freed memory.

use std::ffi::c_long;

use libmimalloc_sys::{mi_option_set, mi_option_t};

/// The number of the option `purge_delay` in mimalloc 3.
const PURGE_DELAY: mi_option_t = 15;

/// With the default of a second, two workers on pages of 4 MiB kept up to 75 MiB that were freed. To give memory back sooner costs a
/// build of small pages 1% of its time.
const MILLISECONDS: c_long = 100;

/// Memory that is freed goes back to the system soon.
pub(super) fn give_back_soon() {
    #[expect(unsafe_code, reason = "it sets a number, before there are workers")]
    unsafe {
        mi_option_set(PURGE_DELAY, MILLISECONDS);
    }
}

#[cfg(test)]
mod tests {
    use libmimalloc_sys::mi_option_get;

    use super::*;

    #[test]
    fn the_number_is_that_of_the_delay() {
        let delay = || {
            #[expect(unsafe_code, reason = "it reads a number")]
            unsafe {
                mi_option_get(PURGE_DELAY)
            }
        };
        assert_eq!(
            delay(),
            1000,
            "the default of mimalloc 3, which no other option has"
        );
        give_back_soon();
        assert_eq!(delay(), MILLISECONDS);
    }
}
