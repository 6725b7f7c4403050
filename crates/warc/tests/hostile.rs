//! Files made to exhaust memory or time, and files that are no archives: what is reported, and that the
//! rest of the file is still read.

mod support;

use std::io::Write as _;

use gleaner_warc::{
    Error, Limits, Options, ReadSource, Reader, Reason, RecordType, Step, Wanted, http, probe,
};
use support::{Reading, Store, gzip, lz4, read, read_range, warc_record, write};

/// Bounds small enough for tests to reach them.
fn small() -> Limits {
    Limits {
        header_bytes: 64 << 10,
        record_bytes: 256 << 10,
        skip_bytes: 4 << 20,
        lookback_bytes: 64 << 10,
    }
}

fn read_small(bytes: &[u8]) -> Reading {
    read_range(bytes, 0..u64::MAX, 64 << 10, &small())
}

fn response(path: &str) -> Vec<u8> {
    warc_record(
        "response",
        &format!("http://a.example/{path}"),
        b"HTTP/1.1 200 OK\r\n\r\n<p>text",
    )
}

/// The bad part lies between two sound records: both come, and one reject for one reason between them.
fn assert_passed_over(parts: [&[u8]; 3], reason: Reason, detail: &str) {
    let reading = read_small(&parts.concat());
    let uris: Vec<&str> = reading
        .records()
        .iter()
        .map(|record| record.uri.as_str())
        .collect();
    assert_eq!(uris, ["http://a.example/before", "http://a.example/after"]);
    let rejects = reading.rejects();
    assert_eq!(rejects.len(), 1, "{rejects:?}");
    assert_eq!((rejects[0].reason, rejects[0].detail.as_str()), (reason, detail));
    assert_eq!(
        (rejects[0].offset, rejects[0].length),
        (parts[0].len() as u64, Some(parts[1].len() as u64))
    );
}

#[test]
fn a_record_over_the_limit_is_passed_over() {
    let large = warc_record("response", "http://a.example/large", &vec![b'x'; 300_000]);
    let detail = "the block has 300000 bytes, the limit is 262144";
    assert_passed_over(
        [&response("before"), &large, &response("after")],
        Reason::RecordTooLarge,
        detail,
    );
    let members = [
        gzip(&response("before"), 6),
        gzip(&large, 6),
        gzip(&response("after"), 6),
    ];
    assert_passed_over(
        [&members[0], &members[1], &members[2]],
        Reason::RecordTooLarge,
        detail,
    );
}

#[test]
fn a_gzip_bomb_is_given_up() {
    let bomb = gzip(
        &warc_record("response", "http://a.example/bomb", &vec![0; 64 << 20]),
        9,
    );
    assert!(bomb.len() < 100_000, "a thousand to one");
    let members = [gzip(&response("before"), 6), bomb, gzip(&response("after"), 6)];
    let detail = "the block has 67108864 bytes, the limit is 262144";
    assert_passed_over(
        [&members[0], &members[1], &members[2]],
        Reason::RecordTooLarge,
        detail,
    );
}

#[test]
fn an_lz4_bomb_is_given_up() {
    let bomb = lz4(&warc_record(
        "response",
        "http://a.example/bomb",
        &vec![0; 16 << 20],
    ));
    let members = [lz4(&response("before")), bomb, lz4(&response("after"))];
    let detail = "the block has 16777216 bytes, the limit is 262144";
    assert_passed_over(
        [&members[0], &members[1], &members[2]],
        Reason::RecordTooLarge,
        detail,
    );
}

#[test]
fn an_address_of_a_megabyte_is_a_reject() {
    let long = response(&"a".repeat(1 << 20));
    let detail = "the header is longer than 65536 bytes";
    assert_passed_over(
        [&response("before"), &long, &response("after")],
        Reason::HeaderTooLong,
        detail,
    );
    let sound = read(&long);
    assert_eq!(sound.rejects().len(), 1, "the default is 256 KiB");
}

#[test]
fn a_header_without_end_is_a_reject() {
    let endless = [
        b"WARC/1.0\r\nWARC-Type: response\r\nX: ".to_vec(),
        vec![b'h'; 100 << 20],
    ]
    .concat();
    let detail = "the header is longer than 65536 bytes";
    assert_passed_over(
        [&response("before"), &endless, &response("after")],
        Reason::HeaderTooLong,
        detail,
    );
    let member = gzip(&endless, 9);
    let parts = [gzip(&response("before"), 6), member, gzip(&response("after"), 6)];
    assert_passed_over([&parts[0], &parts[1], &parts[2]], Reason::HeaderTooLong, detail);
}

#[test]
fn a_page_over_the_limit_writes_no_records() {
    let mut page = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
    page.resize(200 << 10, b'.');
    page.extend_from_slice(&response("forged"));
    page.resize(400 << 10, b'.');
    let large = warc_record("response", "http://a.example/large", &page);
    let plain = [response("before"), large, response("after")];
    let detail = format!("the block has {} bytes, the limit is 262144", page.len());
    assert_passed_over(
        plain.each_ref().map(|part| &**part),
        Reason::RecordTooLarge,
        &detail,
    );
    let members = plain.each_ref().map(|record| gzip(record, 6));
    assert_passed_over(
        members.each_ref().map(|part| &**part),
        Reason::RecordTooLarge,
        &detail,
    );
    let one = read_small(&gzip(&plain.concat(), 6));
    assert_eq!((one.records().len(), one.rejects().len()), (2, 1));
}

#[test]
fn a_length_out_of_this_world_costs_one_record() {
    let lie = String::from_utf8(response("lie"))
        .expect("text")
        .replace("Content-Length: 26", "Content-Length: 18446744073709551615");
    let reading = read(&[response("before"), lie.into_bytes(), response("after")].concat());
    let uris: Vec<&str> = reading
        .records()
        .iter()
        .map(|record| record.uri.as_str())
        .collect();
    assert_eq!(uris, ["http://a.example/before", "http://a.example/after"]);
    assert_eq!(reading.rejects()[0].reason, Reason::RecordTooLarge);
    assert_eq!(reading.rejects()[0].target_uri, "http://a.example/lie");
}

#[test]
fn zeros_are_padding_between_records_and_content_inside() {
    let block = [b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), vec![0; 1000]].concat();
    let zeros = warc_record("response", "http://a.example/zeros", &block);
    let reading = read(&[zeros.clone(), vec![0; 512], response("after"), vec![0; 512]].concat());
    assert_eq!(reading.rejects().len(), 0);
    assert_eq!(reading.records()[0].content.0, block);
    let members = [
        gzip(&zeros, 6),
        vec![0; 512],
        gzip(&response("after"), 6),
        vec![0; 512],
    ]
    .concat();
    assert_eq!(read(&members).items.len(), 2);
}

#[test]
fn members_cut_anywhere_are_one_stream() {
    let text = [response("1"), response("2"), response("3")].concat();
    let bytes: Vec<u8> = text.chunks(100).flat_map(|chunk| gzip(chunk, 6)).collect();
    let reading = read(&bytes);
    assert_eq!((reading.records().len(), reading.rejects().len()), (3, 0));
    for cut in 0..bytes.len() as u64 {
        let first = read_range(&bytes, 0..cut, 77, &Limits::default());
        let second = read_range(&bytes, cut..u64::MAX, 77, &Limits::default());
        assert_eq!(
            [first.items, second.items].concat(),
            reading.items,
            "cut at {cut}"
        );
    }
}

#[test]
fn beginnings_of_members_within_members_end_none() {
    let block = [&b"\x1f\x8b\x08\0"[..], b"a", b"\x1f\x8b\x08\xff"]
        .concat()
        .repeat(40);
    let record = |path: &str| warc_record("response", &format!("http://a.example/{path}"), &block);
    for (level, between) in [(0, &b""[..]), (0, b"\0\0\0\0\0"), (6, b"\r\n\r\n"), (6, b"")] {
        let members =
            (0..20).map(|number| [&gzip(&record(&number.to_string()), level)[..], between].concat());
        let bytes = members.collect::<Vec<_>>().concat();
        let whole = read(&bytes);
        assert_eq!((whole.records().len(), whole.rejects().len()), (20, 0));
        assert!(whole.records().iter().all(|record| record.content.0 == block));
        let in_steps = read_range(&bytes, 0..u64::MAX, 7, &Limits::default());
        assert_eq!(in_steps.items, whole.items);
    }
}

#[test]
fn damage_behind_a_member_of_the_same_length_is_a_reject() {
    let mut members: Vec<Vec<u8>> = (1..=8)
        .map(|path| gzip(&response(&path.to_string()), 6))
        .collect();
    members[4][..40].fill(0);
    let bytes = members.concat();
    let whole = read(&bytes);
    assert_eq!((whole.records().len(), whole.rejects().len()), (7, 1));
    let in_steps = read_range(&bytes, 0..u64::MAX, 7, &Limits::default());
    assert_eq!(in_steps.items, whole.items);
}

#[test]
fn members_without_number_cost_no_memory() {
    let text = warc_record("response", "http://a.example/tiny", &vec![b'x'; 30_000]);
    let members: Vec<Vec<u8>> = (0..=255).map(|byte| gzip(&[byte], 1)).collect();
    let tiny = text
        .iter()
        .map(|&byte| &members[usize::from(byte)][..])
        .collect::<Vec<_>>()
        .concat();
    let bytes = [
        gzip(&response("before"), 6),
        tiny,
        gzip(b"", 6).repeat(30_000),
        gzip(&response("after"), 6),
    ]
    .concat();
    let reading = read_small(&bytes);
    let uris: Vec<&str> = reading
        .records()
        .iter()
        .map(|record| record.uri.as_str())
        .collect();
    assert_eq!(
        uris,
        [
            "http://a.example/before",
            "http://a.example/tiny",
            "http://a.example/after"
        ]
    );
    assert_eq!(reading.records()[1].content.0.len(), 30_000);
    assert_eq!(reading.rejects().len(), 0);
}

#[test]
fn unwanted_records_are_counted_and_checked() {
    let records = [
        warc_record("request", "http://a.example/", b"GET / HTTP/1.1\r\n\r\n"),
        response("1"),
    ];
    let mut damaged = gzip(&records[0], 6);
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0xff;
    let bytes = [gzip(&records[0], 6), damaged, gzip(&records[1], 6)].concat();
    let options = Options {
        wanted: Wanted::CAPTURES,
        ..Options::default()
    };
    let mut reader = Reader::new(ReadSource::new(&bytes[..]), "a.warc.gz", options);
    let (mut records, mut rejects) = (0, 0);
    loop {
        match reader.step().expect("a slice") {
            Step::Record(record) => {
                assert_eq!(record.kind, RecordType::Response);
                records += 1;
            }
            Step::Reject(_) => rejects += 1,
            Step::Pending => unreachable!("a slice is there"),
            Step::End => break,
        }
    }
    assert_eq!((records, rejects), (1, 1));
    assert_eq!(
        (reader.counts().of(RecordType::Request), reader.counts().total()),
        (1, 2)
    );
}

/// A record with such fields.
fn record_with(fields: &str, kind: &str, number: u32) -> Vec<u8> {
    let record = warc_record(kind, &format!("http://a.example/{number}"), b"<p>part");
    let (version, rest) = record.split_at(b"WARC/1.0\r\n".len());
    [version, fields.as_bytes(), rest].concat()
}

/// What a reader of a range that wants captures reports: the address of each record, with the reason why it is cut, and of
/// each reject, with its reason and detail.
fn reported(bytes: &[u8], range: std::ops::Range<u64>) -> Vec<(String, String)> {
    let options = Options {
        range: range.clone(),
        wanted: Wanted::CAPTURES,
        format: Some(support::format_of(bytes, "a.warc")),
        ..Options::default()
    };
    let source = ReadSource::new(&bytes[range.start as usize..]);
    let mut reader = Reader::new(source, "a.warc", options);
    let mut reported = Vec::new();
    loop {
        reported.push(match reader.step().expect("a slice") {
            Step::Record(record) => (record.target_uri.to_owned(), record.truncated.to_owned()),
            Step::Reject(reject) => {
                assert!(reject.length.is_some() && !reject.record_id.is_empty());
                (reject.target_uri, format!("{}: {}", reject.reason, reject.detail))
            }
            Step::Pending => unreachable!("a slice is there"),
            Step::End => return reported,
        });
    }
}

#[test]
fn parts_of_a_record_are_cut_or_rejects() {
    let number = |number: u32| format!("WARC-Segment-Number: {number}\r\n");
    let origin = "WARC-Segment-Origin-ID: <urn:x:1>\r\n";
    let total = |bytes: u32| format!("warc-segment-total-length: {bytes}\r\n");
    let cases = [
        ("response", number(1), "segment"),
        (
            "continuation",
            number(2) + origin,
            "segment: segment 2 of <urn:x:1>: segments of a record are not joined",
        ),
        ("response", number(1) + "WARC-Truncated: length\r\n", "length"),
        ("response", String::new(), ""),
        // A later part under the type of its origin, as old crawlers wrote it.
        (
            "response",
            number(3) + origin + &total(21),
            "segment: segment 3 of <urn:x:1>: segments of a record are not joined",
        ),
        (
            "continuation",
            String::new(),
            "segment: segment of a record that is not named: segments of a record are not joined",
        ),
        ("resource", number(1) + &total(7), ""),
        ("resource", total(8), "segment"),
    ];
    for is_gzip in [false, true] {
        let records = cases.iter().zip(0..).map(|((kind, fields, _), number)| {
            let record = record_with(fields, kind, number);
            if is_gzip { gzip(&record, 6) } else { record }
        });
        let bytes = records.collect::<Vec<_>>().concat();
        let all = reported(&bytes, 0..u64::MAX);
        let expected = cases
            .iter()
            .zip(0..)
            .map(|((_, _, what), number)| (format!("http://a.example/{number}"), (*what).to_owned()));
        assert_eq!(all, expected.collect::<Vec<_>>());
        for at in (1..bytes.len() as u64).step_by(29) {
            let parts = [reported(&bytes, 0..at), reported(&bytes, at..u64::MAX)];
            assert_eq!(parts.concat(), all, "{at}");
        }
    }
}

#[test]
fn pages_are_records_of_their_own() {
    let page = b"<!DOCTYPE html><title>t</title><p>text";
    for (bytes, file) in [
        (page.to_vec(), "folder/page.html"),
        (page.to_vec(), "index"),
        (gzip(page, 6), "p.htm.gz"),
    ] {
        let mut reader = Reader::new(ReadSource::new(&bytes[..]), file, Options::default());
        let Ok(Step::Record(record)) = reader.step() else {
            panic!("{file} is a page")
        };
        assert_eq!(
            (record.kind, record.content, record.content_type),
            (RecordType::Resource, &page[..], "text/html")
        );
        assert_eq!(
            (record.target_uri, record.length),
            (format!("file://{file}").as_str(), bytes.len() as u64)
        );
        assert!(matches!(reader.step(), Ok(Step::End)));
    }
}

#[test]
fn a_page_over_the_limit_is_a_reject() {
    let page = [b"<html>".to_vec(), vec![b'x'; 300_000]].concat();
    let options = Options {
        limits: small(),
        ..Options::default()
    };
    let mut reader = Reader::new(ReadSource::new(&page[..]), "page.html", options);
    let Ok(Step::Reject(reject)) = reader.step() else {
        panic!("it is too large")
    };
    assert_eq!(
        (reject.reason, reject.detail.as_str()),
        (Reason::RecordTooLarge, "the page has more than 262144 bytes")
    );
    assert!(matches!(reader.step(), Ok(Step::End)));
}

#[test]
fn what_is_no_archive_is_refused_in_a_sentence() {
    let sentence = |bytes: &[u8], file: &str| probe(bytes, file).expect_err("no archive").to_string();
    assert_eq!(
        sentence(b"PK\x03\x04rest", "a/b.zip"),
        "a/b.zip is not a WARC, ARC, WET or HTML file: it looks like a ZIP file that begins with \
         \"PK\\u{3}\\u{4}rest\"; unpack it (gleaner build reads ZIP files that end in .wacz)"
    );
    assert_eq!(
        sentence(b"%PDF-1.4 and more and more and more", "paper.pdf"),
        "paper.pdf is not a WARC, ARC, WET or HTML file: it looks like a PDF or PostScript document that begins with \
         \"%PDF-1.4 and more and more and m\"; leave it out, or download it again if it should be an archive"
    );
    assert!(probe(b"", "empty.warc").is_ok());
    assert_eq!(read(b"").items.len(), 0);
}

#[test]
fn a_source_that_fails_is_an_error_with_its_place() {
    struct Broken(bool);
    impl std::io::Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            if std::mem::replace(&mut self.0, true) {
                return Err(std::io::Error::other("the disk is gone"));
            }
            let text = response("1");
            buffer[..text.len()].copy_from_slice(&text);
            Ok(text.len())
        }
    }
    let mut reader = Reader::new(ReadSource::new(Broken(false)), "a.warc", Options::default());
    let error = loop {
        match reader.step() {
            Ok(Step::End) => panic!("an error must not be an end"),
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert!(matches!(error, Error::Source { .. }));
    let offset = response("1").len();
    assert_eq!(
        error.to_string(),
        format!("could not read a.warc at offset {offset}: the disk is gone")
    );
    assert!(matches!(reader.step(), Ok(Step::End)), "done after an error");
}

#[test]
fn what_can_be_split_says_so() {
    let records: Vec<_> = (0..4)
        .map(|index| {
            (
                format!("http://a.example/{index}"),
                support::Block(vec![b'x'; 500]),
            )
        })
        .collect();
    for (store, splittable) in [
        (Store::Plain, true),
        (Store::Gzip, true),
        (Store::Zstd, true),
        (Store::Lz4, true),
        (Store::ArcGzip, true),
        (Store::GzipOne, false),
        (Store::ZstdOne, false),
        (Store::ZstdDictionary, false),
        (Store::ArcPlain, false),
    ] {
        let format = support::format_of(&write(store, &records).bytes, "a.warc");
        assert_eq!(format.splittable, splittable, "{store:?}");
    }
}

mod messages {
    use super::*;

    /// Body and flags of a response with these headers.
    fn body(headers: &str, stored: &[u8], limit: usize) -> (Vec<u8>, http::Flags) {
        let block = [format!("HTTP/1.1 200 OK\r\n{headers}\r\n\r\n").as_bytes(), stored].concat();
        let limits = http::Limits {
            body_bytes: limit,
            ..http::Limits::default()
        };
        let mut scratch = http::Scratch::default();
        let message = http::parse(&block, &mut scratch, &limits).expect("HTTP");
        (message.body.to_vec(), message.flags)
    }

    const MEGABYTE: usize = 1 << 20;
    const NONE: http::Flags = http::Flags {
        lying: false,
        cut: false,
        trailing: false,
        too_long: false,
        unknown_coding: false,
        short: false,
    };

    #[test]
    fn codings_are_undone_in_their_order() {
        let text = b"<p>the text</p>".repeat(50);
        let twice = gzip(&gzip(&text, 6), 6);
        assert_eq!(
            body("Content-Encoding: gzip, GZIP", &twice, MEGABYTE),
            (text.clone(), NONE)
        );
        assert_eq!(
            body(
                "Content-Encoding: x-gzip\r\nContent-Encoding: gzip",
                &twice,
                MEGABYTE
            ),
            (text.clone(), NONE)
        );
        let zstd = zstd::encode_all(&text[..], 3).expect("zstd");
        assert_eq!(
            body("Content-Encoding: zstd", &zstd, MEGABYTE),
            (text.clone(), NONE)
        );
        assert_eq!(
            body("Content-Encoding: br", &brotli(&text), MEGABYTE),
            (text.clone(), NONE)
        );
        let chunked = [
            b"2e9;x=y\r\n" as &[u8],
            &text[..0x2e9],
            b"\r\n5\r\n",
            &text[0x2e9..],
            b"\r\n0\r\nTrailer: x\r\n\r\n",
        ];
        assert_eq!(text.len(), 0x2ee);
        assert_eq!(
            body("Transfer-Encoding: chunked", &chunked.concat(), MEGABYTE),
            (text, NONE)
        );
    }

    #[test]
    fn lies_leave_the_bytes_as_they_are() {
        let text = b"<p>not coded at all</p>";
        let lying = http::Flags { lying: true, ..NONE };
        for headers in [
            "Content-Encoding: gzip",
            "Content-Encoding: br",
            "Content-Encoding: zstd",
            "Content-Encoding: deflate",
            "Transfer-Encoding: chunked",
        ] {
            assert_eq!(body(headers, text, MEGABYTE), (text.to_vec(), lying), "{headers}");
        }
        let unknown = http::Flags {
            unknown_coding: true,
            ..NONE
        };
        assert_eq!(
            body("Content-Encoding: compress", text, MEGABYTE),
            (text.to_vec(), unknown)
        );
    }

    #[test]
    fn codings_that_no_header_names_are_undone() {
        let text = b"<p>what the page says</p>".repeat(40);
        for stored in [
            gzip(&text, 6),
            gzip(&gzip(&text, 6), 1),
            zlib(&text),
            gzip(&zlib(&text), 6),
            raw_deflate(&text),
            brotli(&text),
            zstd::encode_all(&text[..], 3).expect("zstd"),
        ] {
            for headers in [
                "Content-Type: text/html",
                "Content-Type: text/plain",
                "Content-Type: none",
                "Server: x",
            ] {
                assert_eq!(
                    body(headers, &stored, MEGABYTE),
                    (text.clone(), NONE),
                    "{headers}"
                );
            }
            // A file to be saved stays as it is.
            let saved = body("Content-Type: application/x-tar", &stored, MEGABYTE);
            assert_eq!(saved, (stored, NONE));
        }
        let twice = gzip(&gzip(&text, 6), 6);
        assert_eq!(
            body("Content-Encoding: gzip", &twice, MEGABYTE),
            (text.clone(), NONE)
        );
        let (decoded, flags) = body("Content-Encoding: deflate", &gzip(&text, 6), MEGABYTE);
        assert_eq!((decoded, flags.lying), (text.clone(), true));
        let zipped = zlib(
            &(0..9000)
                .map(|number| format!("{number} "))
                .collect::<String>()
                .into_bytes(),
        );
        let (decoded, flags) = body("Server: x", &zipped[..zipped.len() / 2], MEGABYTE);
        assert!(decoded.starts_with(b"0 1 2 3 ") && flags.cut);
    }

    #[test]
    fn what_is_not_coded_stays_as_it_is() {
        let noise: Vec<u8> = (0..5000_u32)
            .map(|place| (place.wrapping_mul(2_654_435_761) >> 23) as u8)
            .collect();
        for stored in [
            // As zlib begins, and no zlib.
            &b"x^2 + y^2 = 1"[..],
            b"80 days around the world",
            b"hb\x01 is a text with a control",
            b"\x1f\x8b\x08\x00 cut off",
            &noise,
            b"a\0",
        ] {
            let (decoded, flags) = body("Content-Type: text/html", stored, MEGABYTE);
            assert_eq!((&decoded[..], flags), (stored, NONE));
        }
        let zeros = vec![0; 64 * MEGABYTE];
        let nested = gzip(&gzip(&gzip(&zeros, 9), 9), 9);
        let (decoded, flags) = body("Content-Type: text/html", &nested, MEGABYTE);
        assert_eq!((decoded.len(), flags.too_long), (MEGABYTE, true));
    }

    fn zlib(data: &[u8]) -> Vec<u8> {
        let mut coder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        coder.write_all(data).expect("memory takes all");
        coder.finish().expect("memory takes all")
    }

    fn raw_deflate(data: &[u8]) -> Vec<u8> {
        let mut coder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        coder.write_all(data).expect("memory takes all");
        coder.finish().expect("memory takes all")
    }

    #[test]
    fn of_what_is_cut_the_beginning_counts() {
        let text: Vec<u8> = (0..20_000_u32)
            .flat_map(|number| number.to_string().into_bytes())
            .collect();
        let whole = gzip(&text, 6);
        let (decoded, flags) = body("Content-Encoding: gzip", &whole[..whole.len() / 2], MEGABYTE);
        assert!(decoded.len() > text.len() / 4 && text.starts_with(&decoded));
        assert!(flags.cut);
        let (decoded, flags) = body(
            "Transfer-Encoding: chunked\r\nContent-Length: 99",
            b"ff\r\nonly this",
            MEGABYTE,
        );
        assert_eq!(
            (decoded.as_slice(), flags),
            (
                &b"only this"[..],
                http::Flags {
                    cut: true,
                    short: true,
                    ..NONE
                }
            )
        );
        let (decoded, flags) = body(
            "Content-Encoding: gzip",
            &[&whole[..], b"junk"].concat(),
            MEGABYTE,
        );
        assert_eq!(
            (decoded == text, flags),
            (
                true,
                http::Flags {
                    trailing: true,
                    ..NONE
                }
            )
        );
    }

    #[test]
    fn bombs_stop_at_the_limit() {
        let zeros = vec![0; 64 * MEGABYTE];
        let once = gzip(&zeros, 9);
        let nested = gzip(&gzip(&once, 9), 9);
        let long = http::Flags {
            too_long: true,
            ..NONE
        };
        for (headers, stored) in [
            ("Content-Encoding: gzip", &once),
            ("Content-Encoding: gzip, gzip, gzip", &nested),
            (
                "Content-Encoding: zstd",
                &zstd::encode_all(&zeros[..], 3).expect("zstd"),
            ),
            ("Content-Encoding: br", &brotli(&zeros[..4 * MEGABYTE])),
        ] {
            let (decoded, flags) = body(headers, stored, MEGABYTE);
            assert_eq!((decoded.len(), flags), (MEGABYTE, long), "{headers}");
        }
        let codings = "Content-Encoding: ".to_owned() + &["gzip"; 50].join(",");
        let (_, flags) = body(&codings, &nested, MEGABYTE);
        assert!(
            flags.unknown_coding || flags.lying,
            "more codings than are undone"
        );
    }

    fn brotli(data: &[u8]) -> Vec<u8> {
        let mut coded = Vec::new();
        brotli::BrotliCompress(&mut &data[..], &mut coded, &Default::default()).expect("memory takes all");
        coded
    }

    #[test]
    fn chunks_of_any_size_are_bounded() {
        for stored in [
            &b"ffffffffffffffff\r\nabc"[..],
            b"fffffffffffffffff\r\nabc",
            b"7fffffffffffffff\r\nabc\r\n",
            b"-5\r\nabc",
            b"\r\n\r\n",
            b"",
        ] {
            let (decoded, _) = body("Transfer-Encoding: chunked", stored, MEGABYTE);
            assert!(
                decoded == stored || decoded == b"abc\r\n" || decoded == b"abc",
                "{decoded:?}"
            );
        }
        let many = b"1\r\nx\r\n".repeat(2 * MEGABYTE);
        let (decoded, flags) = body("Transfer-Encoding: chunked", &many, MEGABYTE);
        assert_eq!((decoded.len(), flags.too_long), (MEGABYTE, true));
    }

    #[test]
    fn headers_are_taken_as_they_come() {
        let mut scratch = http::Scratch::default();
        let limits = http::Limits::default();
        let mut parse = |block: &[u8]| -> (u16, Vec<u8>, Option<Vec<u8>>) {
            let message = http::parse(block, &mut scratch, &limits).expect("HTTP");
            (
                message.status,
                message.body.to_vec(),
                message.headers.get("Content-Type").map(<[u8]>::to_vec),
            )
        };
        let html = Some(b"text/html".to_vec());
        assert_eq!(
            parse(b"http 200 Document follows\nContent-type: text/html\n\nx"),
            (200, b"x".to_vec(), html.clone())
        );
        assert_eq!(
            parse(b"Server: x\r\nContent-Type: text/html\r\nStatus: 404 Gone\r\n\r\nx"),
            (404, b"x".to_vec(), html.clone())
        );
        assert_eq!(
            parse(b"HTTP/1.0 200 OK\r\r\nContent-Type: text/css\r\r\nContent-Type: text/html\r\r\n\r\r\nx"),
            (200, b"x".to_vec(), Some(b"text/css".to_vec()))
        );
        assert_eq!(
            parse(b"HTTP/1.0 404\ncontent-TYPE :  text/html \n\nx"),
            (404, b"x".to_vec(), html.clone())
        );
        assert_eq!(
            parse(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nx"),
            (200, b"x".to_vec(), html.clone())
        );
        assert_eq!(
            parse(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n<p>x"),
            (200, b"<p>x".to_vec(), html.clone())
        );
        assert_eq!(
            parse(b"HTTP/2 200\r\nContent-Type:\r\n text/html\r\n\r\nx"),
            (200, b"x".to_vec(), html)
        );
        let html = Some(b"text/html".to_vec());
        assert_eq!(
            parse(b":status: 200\r\ncontent-type: text/html\r\n\r\nx"),
            (200, b"x".to_vec(), html.clone())
        );
        assert_eq!(
            parse(b":status: 103\r\nlink: </a>\r\n\r\n:status: 404\r\ncontent-type: text/html\r\n\r\nx"),
            (404, b"x".to_vec(), html.clone())
        );
        assert_eq!(
            parse(b"HTTP/2\r\n:status: 203\r\ncontent-type: text/html\r\n\r\nx"),
            (203, b"x".to_vec(), html)
        );
        assert_eq!(
            parse(b"HTTP/1.1 200 OK\r\n:status: 404\r\n\r\n"),
            (200, Vec::new(), None)
        );
        assert_eq!(parse(b"HTTP/1.1 oops\r\n\r\n"), (0, Vec::new(), None));
        let error = |block: &[u8]| {
            http::parse(block, &mut http::Scratch::default(), &limits)
                .expect_err("no HTTP")
                .to_string()
        };
        assert_eq!(
            error(b"<html>"),
            "the block does not begin with an HTTP status line"
        );
        let endless = [b"HTTP/1.1 200 OK\r\nX: ".to_vec(), vec![b'x'; 2 * MEGABYTE]].concat();
        assert_eq!(error(&endless), "the HTTP header is longer than 1048576 bytes");
    }
}
