//! How much memory a build may have: over that, workers wait with what is new until what is begun is written.

pub(crate) mod large;

/// Memory of a build with one worker: the model, a page with its tree, blocks and rows, row groups of the tables,
/// and what the allocator keeps.
const FIRST_WORKER: u64 = 160 << 20;

/// What each further worker needs.
const WORKER: u64 = 64 << 20;

/// A bound of the memory of the process, as the system counts it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Memory(Option<u64>);

impl Memory {
    pub(crate) fn new(most: Option<u64>) -> Memory {
        Memory(most)
    }

    /// The bound in bytes, if there is one.
    pub(crate) fn most(self) -> Option<u64> {
        self.0
    }

    /// The memory above the minimum of this number of workers; none where there is no bound.
    pub(crate) fn beyond_least(self, workers: usize) -> Option<u64> {
        self.0.map(|most| most.saturating_sub(least_memory(workers)))
    }

    /// Whether the process has more.
    pub(crate) fn is_over(self) -> bool {
        self.0
            .is_some_and(|most| resident_memory().is_some_and(|bytes| bytes > most))
    }
}

/// The minimum memory for a number of workers, in bytes.
pub fn least_memory(workers: usize) -> u64 {
    FIRST_WORKER + WORKER * workers.saturating_sub(1) as u64
}

/// Resident memory of the process in bytes; none where the system does not report it.
#[cfg(not(target_os = "linux"))]
pub fn resident_memory() -> Option<u64> {
    memory_stats::memory_stats().map(|memory| memory.physical_mem as u64)
}

/// Resident memory of the process in bytes; none where the system does not report it.
#[cfg(target_os = "linux")]
pub fn resident_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
