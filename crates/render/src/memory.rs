//! Ends the process of a page that takes more memory than it may: the browser itself limits only what scripts hold, not the tree of a page.
//! Where there is no `/proc`, nothing is watched.

use std::time::Duration;

use crate::browser::Browser;

/// How often it looks. A page takes some hundred megabytes in this time at most.
pub(crate) const LOOK: Duration = Duration::from_millis(250);

/// Ends those processes of a browser's pages that have more than `limit` bytes of memory.
#[cfg(target_os = "linux")]
pub(crate) fn end_large(browser: &Browser, limit: u64) {
    let page = rustix::param::page_size() as u64;
    for process in processes().filter(|process| process.group == browser.process_id()) {
        if process.pages * page > limit && is_of_page(process.id) {
            let id = i32::try_from(process.id)
                .ok()
                .and_then(rustix::process::Pid::from_raw);
            // Fails if it has ended.
            id.map(|id| rustix::process::kill_process(id, rustix::process::Signal::KILL).ok());
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn end_large(_: &Browser, _: u64) {}

/// A process as `/proc` shows it.
#[cfg(target_os = "linux")]
#[derive(Debug, PartialEq, Eq)]
struct Process {
    id: u32,
    group: u32,
    pages: u64,
}

#[cfg(target_os = "linux")]
fn processes() -> impl Iterator<Item = Process> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        entry.file_name().to_str()?.parse::<u32>().ok()?;
        parse(&std::fs::read_to_string(entry.path().join("stat")).ok()?)
    })
}

/// Parses `/proc/N/stat`: `N (NAME) STATE PARENT GROUP ...`; the 24th field is the resident memory in pages. The name may have
/// spaces and brackets.
#[cfg(target_os = "linux")]
fn parse(stat: &str) -> Option<Process> {
    let id = stat.split(' ').next()?.parse().ok()?;
    let fields: Vec<&str> = stat[stat.rfind(')')? + 1..].split_ascii_whitespace().collect();
    Some(Process {
        id,
        group: fields.get(2)?.parse().ok()?,
        pages: fields.get(21)?.parse().ok()?,
    })
}

#[cfg(target_os = "linux")]
fn is_of_page(id: u32) -> bool {
    let arguments = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    let mut arguments = arguments.split(|byte| matches!(byte, 0 | b' '));
    arguments.any(|argument| argument == b"--type=renderer")
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_proc_is_read() {
        let stat = "17 (a) b (c) S 1 12 12 0 -1 4194560 100 0 0 0 1 2 0 0 20 0 9 0 500 1000000 2500 1844";
        let process = Process {
            id: 17,
            group: 12,
            pages: 2500,
        };
        assert_eq!(parse(stat), Some(process));
        assert_eq!(parse("17 (a"), None);
    }

    #[test]
    fn this_process_is_there() {
        let own = std::process::id();
        assert!(processes().any(|process| process.id == own && process.pages > 0));
        assert!(!is_of_page(own));
    }
}
