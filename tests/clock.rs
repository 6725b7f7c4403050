//! A clock that jumps by decades while a build runs: the tables are the same.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::resume::{assert_same, contents, crawl};
use crate::support::{gleaner, said};

/// The clock of the machine with a jump at each look: to the next century, before 1970, back by a day. The clock
/// that only goes forward stays as it is.
const JUMPING: &str = r"
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *at) {
    static const long long jumps[] = {0, 3000000000, -1900000000, -86400, 1};
    static unsigned long looks;
    int status = syscall(SYS_clock_gettime, clock, at);
    if (clock == CLOCK_REALTIME)
        at->tv_sec += jumps[__atomic_fetch_add(&looks, 1, __ATOMIC_RELAXED) % 5];
    return status;
}
";

/// The jumping clock as a library that is loaded before others; nothing where that can't be.
fn jumping_clock(folder: &Path) -> Option<PathBuf> {
    if !cfg!(all(target_os = "linux", target_pointer_width = "64")) {
        return None;
    }
    let (source, library) = (folder.join("clock.c"), folder.join("clock.so"));
    std::fs::write(&source, JUMPING).unwrap();
    let mut compiler = Command::new("cc");
    compiler
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(&source);
    compiler
        .status()
        .is_ok_and(|status| status.success())
        .then_some(library)
}

fn build(crawl: &Path, out: &Path, clock: Option<&Path>, options: &[&str]) -> String {
    let mut command = gleaner();
    command.arg("build").arg(crawl).arg("--out").arg(out);
    command.args(["--blocks", "--posts", "--part-size", "16KiB", "--log", "json"]);
    command.args(options);
    if let Some(clock) = clock {
        command.env("LD_PRELOAD", clock);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    said(&output)
}

#[test]
fn when_the_clock_jumps_the_tables_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let Some(clock) = jumping_clock(folder.path()) else {
        return eprintln!("skipped: no C compiler, or no clock that can be put in the place of the system's");
    };
    let (crawl, expected, out) = (
        crawl(folder.path()),
        folder.path().join("expected"),
        folder.path().join("out"),
    );
    build(&crawl, &expected, None, &[]);
    let log = build(&crawl, &out, Some(&clock), &["--phase", "read"]);
    let years = log.lines().map(|line| {
        let event: Value = serde_json::from_str(line).unwrap();
        event["time"].as_str().unwrap()[..2].to_owned()
    });
    let years: std::collections::BTreeSet<String> = years.collect();
    assert!(years.len() > 2, "the clock has not jumped: {years:?}");
    build(&crawl, &out, Some(&clock), &[]);
    assert_same(&out, &contents(&expected));
}
