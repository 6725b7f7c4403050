//! What the process has used so far, as the kernel counts it.

use std::fs;

/// Peak resident memory in bytes; `None` where the system doesn't say.
pub(crate) fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Processor time of all threads in seconds, user and system; 0 where the system doesn't say.
pub(crate) fn cpu_seconds() -> f64 {
    // Clock ticks are 100 a second on every Linux that runs user programs.
    const TICKS: f64 = 100.0;
    let read = || -> Option<f64> {
        let stat = fs::read_to_string("/proc/self/stat").ok()?;
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        let ticks = |index: usize| fields.get(index)?.parse::<f64>().ok();
        Some((ticks(11)? + ticks(12)?) / TICKS)
    };
    read().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    #[test]
    fn linux_reports_what_was_used() {
        if cfg!(target_os = "linux") {
            assert!(super::peak_memory().is_some_and(|bytes| bytes > 1 << 16));
            let begin = super::cpu_seconds();
            let mut sum = 0u64;
            while super::cpu_seconds() < begin + 0.03 {
                sum = std::hint::black_box(sum.wrapping_add(1));
            }
        }
    }
}
