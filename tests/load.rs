//! Work of uneven size is divided among all workers; few huge pages take no more memory than is given, and too little of it
//! is refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use gleaner_testing::Random;
use gleaner_testing::warc::{Archive, article};
use serde_json::Value;

use crate::support::{files, gleaner, is_long, said, sample};

/// A page of some kilobytes, with words of its own.
fn page(number: usize) -> String {
    let mut random = Random::from_page(number);
    let mut word = || format!("w{} ", random.below(5000));
    let paragraph = |_| format!("<p>{}</p>\n", (0..60).map(|_| word()).collect::<String>());
    article() + &(0..12).map(paragraph).collect::<String>()
}

/// Pages of the large shard, and of each of a hundred small ones.
fn pages() -> (usize, usize) {
    if is_long() { (2000, 4) } else { (500, 1) }
}

/// A page that is mostly markup, as those of the web are: to read it takes many times as long as to write its text.
fn heavy_page(number: usize) -> String {
    static MARKUP: LazyLock<String> = LazyLock::new(|| {
        let item = |item| {
            format!(
                "<div class=\"box box-{}\"><a href=\"/{item}\"><i></i></a></div>\n",
                item % 9
            )
        };
        (0..5000).map(item).collect()
    });
    page(number) + &MARKUP
}

/// A shard that is five hundred times as large as each of the hundred beside it.
fn uneven_crawl(folder: &Path) -> PathBuf {
    let (crawl, (large, small)) = (folder.join("crawl"), pages());
    fs::create_dir(&crawl).unwrap();
    let write = |name: &str, numbers: std::ops::Range<usize>| {
        let archive = numbers.fold(Archive::new(), |archive, number| {
            let url = format!("http://{name}{}.example/{number}", number / 20);
            archive.page(&url, heavy_page(number))
        });
        archive.write(&crawl, &format!("{name}.warc.gz"));
    };
    write("large", 0..large);
    for shard in 0..100 {
        let begin = large + shard * small;
        write(&format!("small{shard:02}"), begin..begin + small);
    }
    crawl
}

/// The CPU seconds of each worker of a build. `None` if the system does not report them.
fn cpu_seconds(crawl: &Path, workers: usize) -> Option<Vec<f64>> {
    let out = crawl.with_extension(format!("out{workers}"));
    // As in a crawl of 20 GB, a part is a twentieth of the large shard.
    let part = fs::metadata(crawl.join("large.warc.gz")).unwrap().len() / 20;
    let mut command = gleaner();
    command.arg("build").arg(crawl).arg("--out").arg(out);
    command.args([
        "--workers",
        &workers.to_string(),
        "--part-size",
        &part.to_string(),
    ]);
    let output = command.args(["--log", "json"]).output().unwrap();
    let log = said(&output);
    assert!(output.status.success(), "{log}");
    let events = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut events: Vec<Value> = events.collect();
    let ended = events
        .iter()
        .find(|event| event["event"] == "build ended")
        .unwrap();
    let (large, small) = pages();
    assert_eq!(ended["documents"], large + 100 * small, "{ended}");
    events.retain(|event| event["event"] == "worker ended");
    events
        .iter()
        .map(|event| event["busy_seconds"].as_f64())
        .collect()
}

#[test]
fn a_shard_much_larger_than_the_others_is_divided_among_all_workers() {
    let folder = tempfile::tempdir().unwrap();
    let crawl = uneven_crawl(folder.path());
    let counts: &[usize] = if is_long() { &[2, 4] } else { &[2] };
    for &count in counts {
        let Some(seconds) = cpu_seconds(&crawl, count) else {
            return eprintln!("skipped: the system does not report the CPU time of threads");
        };
        assert_eq!(seconds.len(), count);
        // Other programs may take a processor from a worker; then the others do more. The whole large shard is five times the
        // work of all small ones.
        let [least, most] =
            [f64::min, f64::max].map(|better| seconds.iter().copied().reduce(better).unwrap());
        assert!(least >= most / 3.0, "{seconds:.2?}");
    }
}

/// The workers of builds with a bound of memory.
fn bounded() -> &'static [usize] {
    if is_long() { &[1, 2, 5] } else { &[2] }
}

fn build_of(crawl: &Path, workers: &str) -> Command {
    let mut command = gleaner();
    command.arg("build").arg(crawl).arg("--out");
    command.arg(crawl.with_extension(format!("out{workers}")));
    command.args(["--workers", workers, "--part-size", "64KiB", "--json"]);
    command
}

/// Peak memory of a build.
fn peak(build: &mut Command) -> f64 {
    let output = build.output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    summary["peak_memory_bytes"].as_f64().unwrap()
}

#[test]
fn memory_that_is_too_little_is_refused_with_what_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let mut command = gleaner();
    command.arg("build").arg(sample()).arg("--out").arg(&out);
    let output = command
        .args(["--memory", "64MiB", "--workers", "2"])
        .output()
        .unwrap();
    assert_eq!(
        (output.status.code(), said(&output).as_str()),
        (
            Some(2),
            "error: --memory is too small: 2 workers need at least 224MiB\n"
        )
    );
    assert!(!out.exists());
}

/// Bytes of a huge page, and how many there are.
const HUGE: usize = 4 << 20;
const HUGE_PAGES: usize = 16;

/// Huge pages of one site, which are nearly nothing in the file: they repeat themselves.
fn crawl_of_huge_pages(folder: &Path) -> PathBuf {
    let crawl = folder.join("huge");
    fs::create_dir(&crawl).unwrap();
    let line = "<p>The harbour master adds a line to the diary of the tides every evening.</p>\n";
    let menu = "<ul><li>Home of tides<li>All harbours</ul>";
    let archive = (0..HUGE_PAGES).fold(Archive::new(), |archive, number| {
        let own = format!("<h1>Diary w{number}</h1>");
        let page = format!(
            "<html lang=en>{menu}{own}{}</html>",
            line.repeat(HUGE / line.len())
        );
        // A page that was captured twice is one page of its site.
        let url = format!("http://tides.example/{}", number % (HUGE_PAGES - 3));
        archive.page(&url, page)
    });
    archive.write(&crawl, "huge.warc.gz");
    crawl
}

/// The bytes of all tables' files, by name.
fn table_files(corpus: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let is_table = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "parquet");
    let of_corpus = files(corpus).into_iter().filter(is_table);
    let named = of_corpus.map(|path| {
        (
            path.strip_prefix(corpus).unwrap().to_owned(),
            fs::read(&path).unwrap(),
        )
    });
    let mut named: Vec<_> = named.collect();
    named.sort();
    named
}

/// The least memory that a build of so many workers begins with, in MiB.
fn least(workers: usize) -> usize {
    160 + 64 * (workers - 1)
}

#[test]
fn few_huge_pages_stay_within_memory_and_give_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let crawl = crawl_of_huge_pages(folder.path());
    let stored = fs::metadata(crawl.join("huge.warc.gz")).unwrap().len();
    assert!(stored * 50 < (HUGE * HUGE_PAGES) as u64, "{stored} bytes");
    let tables = [None].into_iter().chain(bounded().iter().copied().map(Some));
    let tables = tables.map(|workers| {
        let mut build = build_of(&crawl, &workers.unwrap_or(2).to_string());
        let memory = workers.map(least);
        build.args(
            memory
                .iter()
                .flat_map(|memory| ["--memory".to_owned(), format!("{memory}MiB")]),
        );
        let peak = peak(&mut build) / f64::from(1 << 20);
        eprintln!("{workers:?} workers: {peak:.1} MiB of {memory:?}");
        let bound = memory.map_or(f64::INFINITY, |memory| 1.2 * memory as f64);
        assert!(peak <= bound, "{peak} MiB of {memory:?}");
        let out = crawl.with_extension(format!("out{}", workers.unwrap_or(2)));
        let tables = table_files(&out);
        fs::remove_dir_all(out).unwrap();
        tables
    });
    let tables: Vec<_> = tables.collect();
    assert!(
        tables[0].len() >= 4,
        "{:?}",
        tables[0].iter().map(|(name, _)| name).collect::<Vec<_>>()
    );
    assert!(
        tables[1..].iter().all(|others| *others == tables[0]),
        "other bytes"
    );
}
