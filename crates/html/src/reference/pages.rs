//! Real pages: each third, and all of them with `GLEANER_LONG=1`.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::assert_same_tree;
use crate::charset::decode;

/// The bodies of a WARC file of gzip members, one response record each.
fn bodies(path: &Path) -> Vec<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).expect("it was listed");
    flate2::read::MultiGzDecoder::new(file)
        .read_to_end(&mut bytes)
        .expect("gzip");
    let mut bodies = Vec::new();
    let mut rest = &bytes[..];
    while let Some(head) = memchr::memmem::find(rest, b"\r\n\r\n") {
        let header = String::from_utf8_lossy(&rest[..head]);
        let length = header
            .lines()
            .find_map(|line| line.strip_prefix("Content-Length:"));
        let length: usize = length.expect("a length").trim().parse().expect("a number");
        let block = &rest[head + 4..head + 4 + length];
        if header.contains("WARC-Type: response") {
            let body = memchr::memmem::find(block, b"\r\n\r\n").expect("an HTTP header") + 4;
            bodies.push(block[body..].to_vec());
        }
        rest = rest.get(head + 4 + length + 4..).unwrap_or_default();
    }
    bodies
}

fn archives(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("it is a folder");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.to_string_lossy().ends_with(".warc.gz"));
    paths.sort();
    paths
}

fn check(folder: &str, at_least: usize) {
    let folder = gleaner_testing::data(folder);
    let is_long = std::env::var_os("GLEANER_LONG").is_some_and(|value| value == "1");
    let each = if is_long { 1 } else { 3 };
    let mut count = 0;
    for path in archives(&folder) {
        for body in bodies(&path) {
            if count % each == 0 {
                let html = decode(&body, None).text;
                assert_same_tree(
                    &html,
                    &format!("page {count} of the folder, of {}", path.display()),
                );
            }
            count += 1;
        }
    }
    assert!(count >= at_least, "{count} pages in {}", folder.display());
}

#[test]
#[ignore = "reads the data sets: set GLEANER_DATA"]
fn trees_of_single_pages_are_those_of_html5ever() {
    check("pages", 2_200);
}

#[test]
#[ignore = "reads the data sets: set GLEANER_DATA"]
fn trees_of_pages_of_sites_are_those_of_html5ever() {
    check("sites", 3_000);
}

#[test]
#[ignore = "reads the data sets: set GLEANER_DATA"]
fn trees_of_pages_of_blogs_are_those_of_html5ever() {
    check("blogs", 5_000);
}
