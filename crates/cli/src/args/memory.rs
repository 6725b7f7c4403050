//! The memory limit of a run.

use anyhow::{Result, bail};
use clap::Args;
use gleaner_dataflow::least_memory;

#[derive(Clone, Debug, Args)]
pub(crate) struct Memory {
    /// Memory limit, such as 4GiB [default: none]
    ///
    /// When memory is short, nothing new is read until the current parts are written. If the number of workers is not given,
    /// it is the largest that fits.
    #[arg(long, value_name = "SIZE", value_parser = crate::args::size::parse)]
    pub(crate) memory: Option<u64>,
}

impl Memory {
    /// How many workers there are, of those that are asked for or else of a default.
    ///
    /// # Errors
    /// The memory is too little for them.
    pub(crate) fn workers(&self, asked: Option<usize>, default: usize) -> Result<usize> {
        let Some(memory) = self.memory else {
            return Ok(asked.unwrap_or(default));
        };
        let workers = asked.unwrap_or_else(|| {
            let fits = |workers: &usize| least_memory(*workers) <= memory;
            (1..=default).rev().find(fits).unwrap_or(1)
        });
        let least = least_memory(workers) >> 20;
        if memory < least_memory(workers) {
            let need = if workers == 1 {
                "worker needs"
            } else {
                "workers need"
            };
            bail!("--memory is too small: {workers} {need} at least {least}MiB");
        }
        Ok(workers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_are_as_many_as_fit() {
        let of = |memory| Memory { memory };
        assert_eq!(of(None).workers(None, 8).unwrap(), 8);
        assert_eq!(of(Some(least_memory(3))).workers(None, 8).unwrap(), 3);
        assert_eq!(of(Some(1 << 40)).workers(None, 8).unwrap(), 8);
        let error = of(Some(least_memory(2)))
            .workers(Some(3), 8)
            .unwrap_err()
            .to_string();
        let least = least_memory(3) >> 20;
        assert_eq!(
            error,
            format!("--memory is too small: 3 workers need at least {least}MiB")
        );
        assert!(of(Some(1 << 20)).workers(None, 8).is_err());
    }
}
