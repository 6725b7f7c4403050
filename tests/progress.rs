//! The progress bar, on a terminal: a line for each phase, which never stands at its end, and which is gone when the
//! build is.

use std::path::{Path, PathBuf};

use gleaner_testing::Random;
use gleaner_testing::warc::{Archive, article};

use crate::terminal::Terminal;

const PHASES: [&str; 3] = ["read", "label", "finish"];

/// A crawl of so many pages on ten sites, which repeat their menus.
fn crawl(folder: &Path, pages: usize) -> PathBuf {
    let archive = (0..pages).fold(Archive::new(), |archive, number| {
        let mut random = Random::from_page(number);
        let site = number % 10;
        let menu: String = (0..8)
            .map(|item| format!("<li><a href=/{item}>Part {item} of site {site}</a></li>"))
            .collect();
        let text: String = (0..12).map(|_| format!("<p>{}.</p>", random.words(60))).collect();
        archive.page(
            &format!("http://s{site}.example/{number}"),
            format!("<ul>{menu}</ul>") + &article() + &text,
        )
    });
    archive.write(folder, "crawl.warc.gz")
}

/// The lines of a bar that were ever drawn: phase and percent.
fn frames(bytes: &[u8]) -> Vec<(usize, u32)> {
    let text = String::from_utf8_lossy(bytes);
    let mut frames = Vec::new();
    for (at, name) in PHASES.iter().enumerate() {
        let head = format!("{} of {} {name}", at + 1, PHASES.len());
        for (place, _) in text.match_indices(&head) {
            let line = text[place..].split(['\r', '\n', '\u{1b}']).next().unwrap();
            let percent = line.split('%').next().unwrap().rsplit(' ').next().unwrap();
            frames.push((place, at, percent.parse().unwrap()));
        }
    }
    frames.sort();
    frames
        .into_iter()
        .map(|(_, phase, percent)| (phase, percent))
        .collect()
}

#[test]
fn each_phase_is_drawn_and_none_stands_at_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let crawl = crawl(folder.path(), 1500);
    let out = folder.path().join("out");
    let arguments = [
        "build".as_ref(),
        crawl.as_path(),
        "--out".as_ref(),
        &out,
        "--workers=1".as_ref(),
        "--part-size=32KiB".as_ref(),
    ];
    let mut terminal = Terminal::start(&arguments, (100, 40), &[("NO_COLOR", "1")]);
    terminal.wait_for("1 of 3 read");
    // What is said meanwhile stands above the bar, on lines of its own.
    terminal.signal("-USR1");
    terminal.wait("worker's line", |screen| {
        screen
            .contents()
            .lines()
            .any(|line| line.starts_with("worker 0: "))
    });
    let said = terminal.text();
    let line = said.lines().find(|line| line.contains("worker 0: ")).unwrap();
    assert!(
        line.starts_with("worker 0: ") && !line.contains(" of 3 "),
        "{line}"
    );
    assert!(terminal.end().success(), "{}", terminal.text());

    let bytes = terminal.bytes();
    let frames = frames(&bytes);
    for (phase, name) in PHASES.iter().enumerate() {
        assert!(frames.iter().any(|frame| frame.0 == phase), "{name} is not drawn");
    }
    assert!(frames.is_sorted(), "phases and percents go on: {frames:?}");
    assert!(frames.iter().all(|frame| frame.1 < 100), "{frames:?}");
    let extract = frames.iter().filter(|frame| frame.0 == 0);
    assert!(extract.map(|frame| frame.1).max() > Some(50), "{frames:?}");
    // No colours, and nothing of the bar at the end.
    assert!(!String::from_utf8_lossy(&bytes).contains("\u{1b}[3"), "colours");
    let text = terminal.text();
    assert!(
        !text.contains(" of 3 ") && text.contains("\nwords kept "),
        "{text}"
    );
    let last = text.trim_end().lines().last().unwrap();
    assert!(
        last.starts_with("1,500 captures + 0 damaged places = 1,500 documents + 0 rejects: "),
        "{text}"
    );
}

#[test]
fn a_build_of_a_moment_draws_each_phase_too_and_a_log_draws_none() {
    let folder = tempfile::tempdir().unwrap();
    let crawl = crawl(folder.path(), 3);
    let drawn = |out: &str, option: &str| {
        let out = folder.path().join(out);
        let arguments = [
            "build".as_ref(),
            crawl.as_path(),
            "--out".as_ref(),
            &out,
            option.as_ref(),
        ];
        // Narrower than the line.
        let mut terminal = Terminal::start(&arguments, (30, 30), &[]);
        assert!(terminal.end().success(), "{}", terminal.text());
        assert!(!terminal.text().contains("█"), "{}", terminal.text());
        String::from_utf8_lossy(&terminal.bytes()).into_owned()
    };
    let bytes = drawn("plain", "--strict");
    for (at, name) in PHASES.iter().enumerate() {
        assert!(
            bytes.contains(&format!("{} of 3 {name}", at + 1)),
            "{name}: {bytes}"
        );
    }
    assert!(!drawn("log", "--log=text").contains("1 of 3"));
}
