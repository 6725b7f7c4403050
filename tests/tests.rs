//! Whole-program tests: the command as a person types it.
