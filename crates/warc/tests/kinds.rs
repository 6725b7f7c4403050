//! Files that are no archives whatever they are called, and archives whose beginning is damaged.

mod support;

use std::fmt::Write as _;

use gleaner_warc::{
    Container, Error, Foreign, ForeignKind, Format, Options, PROBE_BYTES, ReadSource, Reader, probe,
};
use support::{gzip, lz4, read, warc_record};

fn record(path: &str) -> Vec<u8> {
    let url = format!("http://a.example/{path}");
    warc_record("response", &url, b"HTTP/1.1 200 OK\r\n\r\n<p>text")
}

/// As the reader, and the probe before it, see a file.
fn look(bytes: &[u8], file: &str) -> Result<Format, Foreign> {
    let head = &bytes[..bytes.len().min(PROBE_BYTES)];
    let found = probe(head, file);
    let mut reader = Reader::new(ReadSource::new(bytes), file, Options::default());
    let step = reader.step().map(|_| ());
    assert_eq!(step.is_ok(), found.is_ok(), "{file}: {step:?}");
    found.map_err(|error| match error {
        Error::NotAnArchive { foreign, .. } => foreign,
        error => panic!("{error}"),
    })
}

fn kind(bytes: &[u8], file: &str) -> ForeignKind {
    look(bytes, file).expect_err("no archive").kind
}

const SIGN_IN: &str =
    "<!-- 1 -->\n<!doctype html><title>Who are you?</title><p>Please give your name and a word.";

#[test]
fn a_name_makes_no_archive() {
    let long = "All work and no play makes an archive dull. ".repeat(40);
    for (text, found) in [
        (SIGN_IN, ForeignKind::Html),
        ("<html><body>502 Bad Gateway</body></html>", ForeignKind::Html),
        ("<h1>404 Not Found</h1>\n", ForeignKind::Html),
        ("<center><b>Please wait", ForeignKind::Html),
        (
            "<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code></Error>",
            ForeignKind::Xml,
        ),
        ("<Error><Code>NoSuchKey</Code></Error>", ForeignKind::Xml),
        ("{\"message\": \"not found\", \"status\": 404}", ForeignKind::Json),
        ("[{\"a\": 1}]", ForeignKind::Json),
        ("{}\n", ForeignKind::Json),
        (
            "The file that you are looking for has moved.\n",
            ForeignKind::Text,
        ),
        (&long, ForeignKind::Text),
        ("crawl/a.warc.gz\n# more\ncrawl/b.warc.gz\n", ForeignKind::List),
        (
            "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n",
            ForeignKind::LfsPointer,
        ),
        ("HTTP/1.1 504 Gateway Timeout\r\n\r\nToo late.", ForeignKind::Text),
    ] {
        for name in [
            "part.warc",
            "b/PART-1.WARC.GZ",
            "x.arc",
            "x.warc.wet.gz",
            "x.warc.gz?token=1",
        ] {
            assert_eq!(kind(text.as_bytes(), name), found, "{name}: {text}");
        }
        let foreign = look(&gzip(text.as_bytes(), 6), "part.warc.gz").expect_err("no archive");
        assert_eq!(
            (foreign.kind, foreign.container),
            (found, Container::Gzip),
            "{text}"
        );
        assert!(
            text.starts_with(&foreign.begin) && !foreign.begin.is_empty(),
            "{foreign}"
        );
        assert_eq!(kind(&lz4(text.as_bytes()), "part.warc.lz4"), found, "{text}");
    }
    let wide: Vec<u8> = "\u{feff}<html><p>Nothing there"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(kind(&wide, "part.warc"), ForeignKind::Html);
}

#[test]
fn other_kinds_are_told_whatever_their_size() {
    let noise: Vec<u8> = (0..200_000_u32)
        .map(|at| (at.wrapping_mul(at) >> 7) as u8)
        .collect();
    for (magic, found) in [
        (
            &b"%PDF-1.7\n"[..],
            ForeignKind::Other("a PDF or PostScript document"),
        ),
        (b"PK\x03\x04", ForeignKind::Zip),
        (b"\x89PNG\r\n\x1a\n", ForeignKind::Other("a picture")),
        (b"7z\xbc\xaf\x27\x1c", ForeignKind::Package("a 7z file")),
        (
            b"\xfd7zXZ\0",
            ForeignKind::Compressed("a file compressed with xz"),
        ),
        (b"PAR1", ForeignKind::Other("a table of data")),
        (b"SQLite format 3\0", ForeignKind::Other("a database")),
        (b"\x7fELF", ForeignKind::Other("a program")),
    ] {
        let bytes = [magic, &noise].concat();
        for name in ["x.warc.gz", "x.html", "x", "http://a.example/x?id=7"] {
            assert_eq!(kind(&bytes, name), found, "{name}");
        }
        assert_eq!(kind(&gzip(&bytes, 1), "x.gz"), found);
    }
    let page = SIGN_IN.to_owned() + &"<p>Please wait.".repeat(20_000);
    assert_eq!(kind(page.as_bytes(), "x.warc"), ForeignKind::Html);
    assert_eq!(
        kind(&gzip(&gzip(&record("1"), 6), 6), "x.warc.gz"),
        ForeignKind::CompressedTwice
    );
    // What only looks like text may be the rest of a record.
    let text = "It was a dark and stormy night. ".repeat(5_000);
    assert!(look(text.as_bytes(), "x.warc").is_ok());
    assert_eq!(kind(text.as_bytes(), "x.txt"), ForeignKind::Text);
}

#[test]
fn archives_in_a_package_are_no_archive() {
    let mut tar = vec![0; 512];
    tar[..6].copy_from_slice(b"a.warc");
    tar[257..262].copy_from_slice(b"ustar");
    tar[148..156].fill(b' ');
    let sum: u32 = tar.iter().map(|&byte| u32::from(byte)).sum();
    tar[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    tar.extend(record("1"));
    assert_eq!(kind(&tar, "crawl.warc.tar"), ForeignKind::Package("a tar file"));
    assert_eq!(
        kind(&gzip(&tar, 6), "crawl.warc.tar.gz"),
        ForeignKind::Package("a tar file")
    );
    let zip = [&b"PK\x03\x04\x14\0"[..], &gzip(&record("1"), 6)].concat();
    assert_eq!(kind(&zip, "crawl.warc.zip"), ForeignKind::Zip);
}

#[test]
fn pages_stay_pages() {
    let is_page = |bytes: &[u8], name: &str| look(bytes, name).expect("a page").page;
    for name in [
        "page.txt",
        "download",
        "http://a.example/?page=7",
        "my.archive",
        "old.watch",
        "p.html",
    ] {
        assert!(is_page(SIGN_IN.as_bytes(), name), "{name}");
        assert!(is_page(&gzip(SIGN_IN.as_bytes(), 6), name), "{name}");
    }
    // A page may mention archives.
    let page = format!("<html><body><pre>{}</pre>", String::from_utf8_lossy(&record("1")));
    assert!(is_page(page.as_bytes(), "about") && is_page(page.as_bytes(), "about.html"));
    for name in [
        "a.html",
        "a.warc.html",
        "a.xhtml.gz",
        "http://a.example/a.htm?file=b.warc",
    ] {
        assert!(
            is_page(b"Just a line, which a browser would show.", name),
            "{name}"
        );
        assert!(is_page(b"<p>A piece.", name), "{name}");
    }
    assert!(is_page(b"<?xml version='1.0'?><html><p>a</p></html>", "a"));
    assert_eq!(kind(b"<?xml version='1.0'?><Error/>", "a.html"), ForeignKind::Xml);
    assert_eq!(kind(b"{\"error\": 7}", "a.html"), ForeignKind::Json);
    assert_eq!(kind(b"<p>A piece.", "a.txt"), ForeignKind::Html);
}

/// The addresses of the records in a file of this name.
fn addresses(bytes: &[u8]) -> String {
    let mut all = String::new();
    for record in read(bytes).records() {
        write!(all, "{} ", &record.uri["http://a.example/".len()..]).expect("a string takes all");
    }
    all
}

#[test]
fn nothing_is_lost_behind_a_damaged_beginning() {
    let records = |count: usize| {
        (0..count)
            .flat_map(|at| record(&at.to_string()))
            .collect::<Vec<u8>>()
    };
    let members = |count: usize| {
        let member = |at: usize| gzip(&record(&at.to_string()), 6);
        (0..count).flat_map(member).collect::<Vec<u8>>()
    };
    // Something else stands before the records.
    let page = SIGN_IN.as_bytes();
    for before in [
        page,
        b"{\"a\": 1}\n",
        b"Some words.\n",
        b"%PDF-1.4\n",
        b"\x89PNG\r\n\x1a\n\0\0",
        b"\xff\xfe\0\x01",
    ] {
        assert_eq!(
            addresses(&[before, &records(2)].concat()),
            "0 1 ",
            "{}",
            before.escape_ascii()
        );
        assert_eq!(
            addresses(&[before, &members(2)].concat()),
            "0 1 ",
            "{}",
            before.escape_ascii()
        );
        assert_eq!(addresses(&[&gzip(before, 6)[..], &members(2)].concat()), "0 1 ");
    }
    // The first record is damaged, and the second begins far behind.
    let large = warc_record(
        "response",
        "http://a.example/large",
        "some words ".repeat(20_000).as_bytes(),
    );
    let archive = [&large[..], &records(1)].concat();
    for (at, by) in [(0, &b"w\0RC"[..]), (0, b"<p>a"), (5, b"next"), (8, b"____")] {
        let mut damaged = archive.clone();
        damaged[at..at + by.len()].copy_from_slice(by);
        assert!(addresses(&damaged).ends_with("0 "), "{}", by.escape_ascii());
    }
    // The file begins in the middle of a record.
    for cut in [3, 40, 90, 200, 1000] {
        assert_eq!(addresses(&archive[cut..]), "0 ", "without the first {cut} bytes");
    }
    // The first member is damaged.
    let mut members = members(3);
    for at in 1..20 {
        members[at] ^= 0x55;
        assert!(addresses(&members).ends_with("1 2 "), "byte {at}");
        members[at] ^= 0x55;
    }
}

#[test]
fn a_damaged_archive_without_a_record_is_a_reject() {
    for bytes in [
        &b"WARC/1.0\r\nno field"[..],
        b"WARC/0.x\r\nWARC-Type: response\r\n\r\n",
        b"filedesc://cut",
        b"\xde\xad\xbe\xef\xde\xad\xbe\xef",
        &[1, 2, 3].repeat(1000),
        b"\x1f\x8b\x08\0\0\0\0\0\0\x03rotten",
    ] {
        let reading = read(bytes);
        assert_eq!(reading.rejects().len(), 1, "{}", bytes.escape_ascii());
        assert_eq!(reading.rejects()[0].offset, 0);
    }
}

#[test]
fn an_archive_may_be_empty() {
    let empty = gzip(b"", 6);
    for bytes in [
        &b""[..],
        b"\n",
        b"\r\n\0\0",
        &[0; 4096],
        &vec![0; 300_000],
        &empty,
        &empty.repeat(3),
        &gzip(b"\n\0\n", 6),
        &gzip(&vec![0; 300_000], 6),
    ] {
        assert!(!look(bytes, "a.warc.gz").expect("an archive").page);
        assert_eq!(read(bytes).items.len(), 0);
    }
    assert_eq!(
        kind(&vec![0; 300_000], "disk.img"),
        ForeignKind::Other("zero bytes")
    );
}

#[test]
fn sentences_name_file_kind_first_bytes_and_mend() {
    let sentence = |bytes: &[u8], file: &str| probe(bytes, file).expect_err("no archive").to_string();
    assert_eq!(
        sentence(b"<html>\x1b[2J\xe2\x80\xae</html>", "x.warc"),
        "x.warc is not a WARC, ARC or WET file: it looks like an HTML page that begins with \
         \"<html>\\u{1b}[2J\\u{202e}</html>\"; if the page is wanted, give the file a name that ends in .html, \
         else download the archive again"
    );
    assert!(
        sentence(b"a.warc\n", "paths").ends_with("put @ before its name to read the archives that it lists")
    );
    assert!(
        sentence(&gzip(b"a.warc\n", 6), "warc.paths.gz")
            .contains("a list of archives in gzip that begins with \"a.warc\\n\"")
    );
}
