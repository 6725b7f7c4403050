//! Disks that fill up.

use std::io::{self, Write};
use std::process::Command;

use gleaner_corpus::{Corpus, DocumentRow, Error, Identity, RejectRow, Settings, TableWriter};

use crate::sample::{self, Folder};

/// Takes this number of bytes and no more.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write_all(sink: Full) -> Result<(), Error> {
    let settings = Settings {
        row_group_bytes: 50_000,
        batch_bytes: 10_000,
        ..Settings::default()
    };
    let mut writer = TableWriter::<DocumentRow, _>::new(sink, "full.parquet", &settings)?;
    (0..300).try_for_each(|at| writer.push(&sample::document(at)))?;
    writer.into_inner().map(drop)
}

#[test]
fn wherever_the_disk_ends_the_error_says_so() {
    let mut failed = 0;
    for room in (0..200_000).step_by(1009) {
        let Err(error) = write_all(Full(room)) else { break };
        assert!(matches!(error, Error::Write(..)), "{error:?}");
        assert_eq!(
            error.to_string(),
            "could not write 'full.parquet': no storage space"
        );
        failed += 1;
    }
    assert!((10..190).contains(&failed), "{failed}");
}

#[test]
fn a_row_too_long_is_an_error() {
    let settings = Settings {
        longest_row: 1000,
        ..Settings::default()
    };
    let mut writer = TableWriter::<RejectRow, _>::new(io::sink(), "x", &settings).unwrap();
    let row = RejectRow {
        detail: "x".repeat(1000),
        ..RejectRow::default()
    };
    let error = writer.push(&row).unwrap_err().to_string();
    assert!(error.starts_with("could not write 'x': a row has "), "{error}");
}

/// Not a test by itself: what [`under_limit`] runs in a process of its own.
#[test]
fn child_that_fills_the_disk() {
    let Some(place) = std::env::var_os("GLEANER_TEST_FULL") else {
        return;
    };
    let store = gleaner_store::Store::new(gleaner_store::Options::default()).unwrap();
    let output = store.output(place.to_str().unwrap()).unwrap();
    let corpus = Corpus::create(output, &Identity::default(), false).unwrap();
    let mut writer = corpus.table::<DocumentRow>(corpus.crawl(), 0).unwrap();
    let outcome = (0..20_000).try_for_each(|at| writer.push(&sample::document(at)));
    let error = outcome.and_then(|()| writer.finish().map(drop)).unwrap_err();
    assert!(error.to_string().contains("File too large"), "{error}");
    assert!(
        error.to_string().contains("documents/part-00000.parquet"),
        "{error}"
    );
}

/// Runs the test above where files cannot grow beyond 64 KiB: an error, or with `kill` the
/// process's end.
#[cfg(unix)]
fn under_limit(folder: &Folder, kill: bool) -> std::process::Output {
    let trap = if kill { "" } else { "trap '' XFSZ;" };
    let script =
        format!("ulimit -c 0; ulimit -f 128; {trap} exec \"$0\" --exact failures::child_that_fills_the_disk");
    Command::new("sh")
        .args(["-c", &script])
        .arg(std::env::current_exe().unwrap())
        .env("GLEANER_TEST_FULL", folder.path())
        .output()
        .unwrap()
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_nothing_half_written() {
    let folder = Folder::new();
    let child = under_limit(&folder, false);
    assert!(
        child.status.success(),
        "{}",
        String::from_utf8_lossy(&child.stdout)
    );
    let names: Vec<_> = folder
        .output()
        .list("")
        .unwrap()
        .into_iter()
        .map(|entry| entry.name)
        .collect();
    assert_eq!(names, ["gleaner.json"]);
}

#[cfg(unix)]
#[test]
fn a_killed_run_leaves_nothing_visible_and_is_cleaned_up() {
    let folder = Folder::new();
    assert!(!under_limit(&folder, true).status.success());
    let names = || {
        folder
            .output()
            .list("")
            .unwrap()
            .into_iter()
            .map(|entry| entry.name)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names(),
        [
            "documents/.part-00000.parquet.partial",
            "gleaner.json",
            "gleaner.lock"
        ]
    );
    drop(folder.corpus());
    assert_eq!(names(), ["gleaner.json"]);
}
