//! WACZ files: local ones, those of web servers with and without ranges, and those that cannot be read.

use std::io::{Cursor, Write};
use std::time::Duration;

use gleaner_store::{Options, Shard, Store};
use proptest::prelude::*;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

fn store() -> Store {
    Store::new(Options {
        range: 10_000,
        retries: 1,
        backoff: Duration::from_millis(1),
        ..Options::default()
    })
    .unwrap()
}

/// A ZIP file of members: names, bytes, and how they are packed.
fn zip(members: &[(&str, &[u8], SimpleFileOptions)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes, options) in members {
        zip.start_file(*name, *options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn stored() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(CompressionMethod::STORE)
}

fn deflated() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(CompressionMethod::DEFLATE)
}

fn numbers(length: usize, seed: u32) -> Vec<u8> {
    (0..length as u32)
        .map(|at| (at.wrapping_mul(seed | 1) >> 7) as u8)
        .collect()
}

fn read(store: &Store, shard: &Shard, offset: u64) -> Result<Vec<u8>, String> {
    let mut stream = store
        .open(shard, offset, None)
        .map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    while let Some(bytes) = stream.wait().map_err(|error| error.to_string())? {
        all.extend_from_slice(&bytes);
    }
    Ok(all)
}

/// What a WACZ in a folder is expanded to, and the folder.
fn expanded(store: &Store, bytes: &[u8]) -> Result<(tempfile::TempDir, Vec<Shard>), String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.wacz");
    std::fs::write(&path, bytes).unwrap();
    let input = path.to_str().unwrap().to_owned();
    let found = store.expand(std::slice::from_ref(&input), None);
    found
        .map(|found| (folder, found.shards))
        .map_err(|error| error.to_string().replace(&input, "site.wacz"))
}

fn site(first: &[u8], second: &[u8]) -> Vec<u8> {
    zip(&[
        ("pages/pages.jsonl", b"{}", deflated()),
        ("archive/data-1.warc.gz", first, stored()),
        ("archive/data-0.warc", second, deflated().large_file(true)),
        ("indexes/index.cdx.gz", b"com,example)/", stored()),
    ])
}

#[test]
fn archives_are_shards_of_their_own() {
    let (first, second) = (numbers(70_000, 77_777), numbers(300_000, 3));
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("crawl")).unwrap();
    std::fs::write(folder.path().join("crawl/site.WACZ"), site(&first, &second)).unwrap();
    std::fs::write(folder.path().join("crawl/other.warc"), b"").unwrap();
    let store = store();
    let root = folder.path().to_str().unwrap();
    for input in ["crawl", "crawl/site.WACZ", "crawl/*.WACZ"] {
        let shards = store.expand(&[format!("{root}/{input}")], None).unwrap().shards;
        let shards: Vec<_> = shards
            .iter()
            .filter(|shard| !shard.name.ends_with("other.warc"))
            .collect();
        let is_below = |shard: &&Shard| shard.name.starts_with("site.WACZ/archive/");
        assert!(shards.iter().all(is_below), "{input}");
        let names: Vec<_> = shards
            .iter()
            .map(|shard| shard.location.strip_prefix(root).unwrap())
            .collect();
        assert_eq!(
            names,
            [
                "/crawl/site.WACZ/archive/data-0.warc",
                "/crawl/site.WACZ/archive/data-1.warc.gz"
            ],
            "{input}"
        );
        for (shard, bytes, seekable) in [(shards[0], &second, false), (shards[1], &first, true)] {
            assert_eq!(shard.size, Some(bytes.len() as u64));
            assert_eq!(shard.is_seekable(), seekable);
            for offset in [0, 1, bytes.len() / 2, bytes.len()] {
                let read = read(&store, shard, offset as u64).unwrap();
                assert!(read == bytes[offset..], "{} from {offset}", shard.location);
            }
            assert!(read(&store, shard, bytes.len() as u64 + 1).is_err());
        }
    }
}

#[cfg(feature = "cloud")]
mod from_the_web {
    use super::*;
    use crate::http_server::{Act, Request, Server};

    #[test]
    fn by_ranges_where_there_are_any() {
        let (first, second) = (numbers(70_000, 77_777), numbers(300_000, 3));
        let padding = numbers(500_000, 12_345);
        let bytes = zip(&[
            ("padding", &padding, stored()),
            ("archive/a.warc.gz", &first, stored()),
            ("archive/b.warc", &second, deflated()),
        ]);
        let server = Server::start(&[("site.wacz?key=1", &bytes)], |_, _| Act::Serve);
        let store = store();
        let shards = store
            .expand(&[server.url("site.wacz?key=1")], None)
            .unwrap()
            .shards;
        assert_eq!(
            shards[0].location,
            server.url("site.wacz/archive/a.warc.gz?key=1")
        );
        assert_eq!(shards[0].name, "site.wacz/archive/a.warc.gz?key=1");
        let fetched = server.requests().into_iter().filter_map(|request| request.range);
        let fetched: Vec<_> = fetched.collect();
        let bytes: u64 = fetched.iter().map(|range| range.end - range.start).sum();
        assert!(bytes < 100_000, "{fetched:?}");
        assert!(read(&store, &shards[0], 0).unwrap() == first);
        assert!(read(&store, &shards[0], 12_345).unwrap() == first[12_345..]);
        assert!(read(&store, &shards[1], 0).unwrap() == second);
        let whole = |request: &Request| request.method == "GET" && request.range.is_none();
        assert!(!server.requests().iter().any(whole), "the file was read whole");
    }

    #[test]
    fn from_a_copy_where_there_are_none() {
        let (first, second) = (numbers(70_000, 77_777), numbers(300_000, 3));
        for act in [Act::IgnoreRange, Act::Chunked] {
            let server = Server::start(&[("site.wacz", &site(&first, &second))], move |_, _| act);
            let store = store();
            let shards = store.expand(&[server.url("site.wacz")], None).unwrap().shards;
            let requests = server.requests().len();
            assert!(read(&store, &shards[0], 0).unwrap() == second);
            assert!(read(&store, &shards[1], 5).unwrap() == first[5..]);
            assert_eq!(server.requests().len(), requests, "all was in the copy");
        }
    }
}

#[test]
fn what_cannot_be_read_is_said() {
    let store = store();
    let said = |bytes: &[u8]| expanded(&store, bytes).unwrap_err();
    let good = site(b"first", b"second");
    let again = "copy or download the file again";
    for bad in [
        &b""[..],
        b"no ZIP file at all",
        &good[..good.len() - 40],
        &good[..60],
    ] {
        let said = said(bad);
        let expected = "cannot read the WACZ 'site.wacz': its ZIP directory is damaged or cut off (";
        assert!(said.starts_with(expected) && said.ends_with(again), "{said}");
    }
    assert_eq!(
        said(&zip(&[("archive/notes.txt", b"x", stored())])),
        "cannot read the WACZ 'site.wacz': it holds no WARC file (archive/*.warc.gz): name the archives themselves"
    );
    // The flag of an encrypted file, in its header and in the directory.
    let mut encrypted = zip(&[("archive/a.warc", b"x", stored())]);
    encrypted[6] |= 1;
    let directory = encrypted
        .windows(4)
        .position(|bytes| bytes == b"PK\x01\x02")
        .unwrap();
    encrypted[directory + 8] |= 1;
    assert_eq!(
        said(&encrypted),
        "cannot read the WACZ 'site.wacz': 'archive/a.warc' in it is encrypted: pack it again without a password"
    );
    let mut other = zip(&[("archive/a.warc", b"x", stored())]);
    other[directory + 10] = 12;
    assert!(
        said(&other).ends_with("pack it again, stored or deflated"),
        "{}",
        said(&other)
    );
}

#[test]
fn damage_in_deflated_bytes_is_said_and_bombs_stay_bounded() {
    let store = store();
    let bytes = numbers(100_000, 3);
    let mut packed = zip(&[("archive/a.warc", &bytes, deflated())]);
    let (_folder, shards) = expanded(&store, &packed).unwrap();
    assert!(read(&store, &shards[0], 0).unwrap() == bytes);
    packed[200] ^= 0x55;
    let (_folder, shards) = expanded(&store, &packed).unwrap();
    let error = read(&store, &shards[0], 0).unwrap_err();
    assert!(error.starts_with("cannot read the WACZ '"), "{error}");

    // The directory says one byte, and there are twenty million.
    let mut bomb = zip(&[("archive/a.warc", &vec![0; 20_000_000], deflated())]);
    assert!(bomb.len() < 100_000);
    let directory = bomb.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    bomb[directory + 24..directory + 28].copy_from_slice(&1_u32.to_le_bytes());
    let (_folder, shards) = expanded(&store, &bomb).unwrap();
    let mut stream = store.open(&shards[0], 0, None).unwrap();
    let error = stream.wait().unwrap_err().to_string();
    assert!(
        error.contains("it holds more bytes than its directory says"),
        "{error}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_member_comes_back(
        members in proptest::collection::vec((0usize..3000, any::<u32>(), any::<bool>()), 1..5),
        offset in 0usize..3000,
    ) {
        let store = store();
        let bytes: Vec<_> = members.iter().map(|&(length, seed, _)| numbers(length, seed)).collect();
        let names: Vec<_> = (0..members.len()).map(|at| format!("archive/{at}.warc")).collect();
        let packed: Vec<_> = members
            .iter()
            .enumerate()
            .map(|(at, &(_, _, deflate))| {
                (names[at].as_str(), &bytes[at][..], if deflate { deflated() } else { stored() })
            })
            .collect();
        let (_folder, shards) = expanded(&store, &zip(&packed)).unwrap();
        prop_assert_eq!(shards.len(), members.len());
        for (shard, bytes) in shards.iter().zip(&bytes) {
            let offset = offset.min(bytes.len());
            prop_assert!(read(&store, shard, offset as u64).unwrap() == bytes[offset..]);
        }
    }

    /// Whatever is done to a byte of a WACZ, it is read or an error.
    #[test]
    fn damage_never_panics(at in any::<prop::sample::Index>(), flip in 1u8.., cut in any::<bool>()) {
        let store = store();
        let mut bytes = site(&numbers(500, 9), &numbers(900, 3));
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        if cut {
            bytes.truncate(at);
        }
        if let Ok((_folder, shards)) = expanded(&store, &bytes) {
            for shard in shards {
                drop(read(&store, &shard, 0));
            }
        }
    }
}
