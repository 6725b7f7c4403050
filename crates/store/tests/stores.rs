//! What every kind of bucket has to do, against its server.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use gleaner_store::{Options, Shard, Store};

/// A store with these variables as its whole environment.
pub(crate) fn store(env: &[(&str, &str)]) -> Store {
    let env: BTreeMap<String, String> = env
        .iter()
        .map(|&(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let backoff = Duration::from_millis(10);
    Store::new(Options {
        env,
        range: 1 << 20,
        retries: 2,
        backoff,
        ..Options::default()
    })
    .unwrap()
}

/// Writes, lists, reads and removes in the bucket (`s3://bucket`).
pub(crate) fn exercise(store: &Store, bucket: &str) {
    let large: Vec<u8> = (0..17_000_003_u32)
        .map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    write_and_list(store, bucket, &large);
    read(store, bucket, &large);
    errors(store, bucket);
    markers(store, bucket);
}

fn write_and_list(store: &Store, bucket: &str, large: &[u8]) {
    let output = store.output(&format!("{bucket}/crawl")).unwrap();
    let mut upload = output.create("large.warc").unwrap();
    upload.write_all(large).unwrap();
    assert_eq!(
        output.list("").unwrap(),
        [],
        "nothing is there before it is finished"
    );
    upload.finish().unwrap().wait().unwrap();
    output.put("a b%20ü.warc.gz", b"small").unwrap();
    output.put("deep/list.txt", b"../no\n").unwrap();
    output
        .put("paths", b"large.warc\n# and\na b%20\xc3\xbc.warc.gz\n")
        .unwrap();
    let listed: Vec<(String, u64)> = output
        .list("")
        .unwrap()
        .into_iter()
        .map(|entry| (entry.name, entry.size))
        .collect();
    let expected = [
        ("a b%20ü.warc.gz", 5),
        ("deep/list.txt", 6),
        ("large.warc", 17_000_003),
        ("paths", 34),
    ];
    assert_eq!(listed, expected.map(|(name, size)| (name.to_owned(), size)));
    assert_eq!(
        output.top().unwrap(),
        ["a b%20ü.warc.gz", "deep", "large.warc", "paths"]
    );
    assert_eq!(store.output(bucket).unwrap().top().unwrap(), ["crawl"]);
}

fn read(store: &Store, bucket: &str, large: &[u8]) {
    let expand = |input: &str| store.expand(&[input.to_owned()], None).unwrap().shards;
    let shards = expand(&format!("{bucket}/crawl/"));
    let names: Vec<_> = shards.iter().map(|shard| shard.name.as_str()).collect();
    assert_eq!(names, ["a b%20ü.warc.gz", "large.warc"]);
    let locations: Vec<_> = shards.iter().map(|shard| shard.location.as_str()).collect();
    assert_eq!(
        locations,
        [
            format!("{bucket}/crawl/a b%20ü.warc.gz"),
            format!("{bucket}/crawl/large.warc")
        ]
    );
    assert_eq!(expand(&format!("{bucket}/crawl/*.warc*")), shards);
    let above = expand(&format!("{bucket}/*/*.warc*"));
    assert_eq!(above[1].name, "crawl/large.warc");
    assert_eq!(
        expand(&format!("@{bucket}/crawl/paths")),
        shards,
        "asked one by one they are the same as listed"
    );
    let named = Shard {
        named: true,
        ..shards[1].clone()
    };
    assert_eq!(expand(&format!("{bucket}/crawl/large.warc")), [named]);

    for offset in [0, 1, 1 << 20, 17_000_002, 17_000_003] {
        let mut stream = store.open(&shards[1], offset, None).unwrap();
        let mut all = Vec::new();
        while let Some(bytes) = stream.wait().unwrap() {
            all.extend_from_slice(&bytes);
        }
        assert!(all == large[offset as usize..], "from {offset}");
    }
}

fn errors(store: &Store, bucket: &str) {
    let said = |key: &str| {
        store
            .expand(&[format!("{bucket}/{key}")], None)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        said("none.warc"),
        format!("no such file or folder: '{bucket}/none.warc'")
    );
    assert_eq!(said("x*"), format!("no input matches '{bucket}/x*'"));
    let shard = &store
        .expand(&[format!("{bucket}/crawl/a b%20ü.warc.gz")], None)
        .unwrap()
        .shards[0];
    store
        .output(bucket)
        .unwrap()
        .put("crawl/a b%20ü.warc.gz", b"other")
        .unwrap();
    let error = store
        .open(shard, 0, None)
        .unwrap()
        .wait()
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("changed while it was read: it was written again"),
        "{error}"
    );
}

fn markers(store: &Store, bucket: &str) {
    let output = store.output(&format!("{bucket}/out")).unwrap();
    assert_eq!(output.get("m").unwrap(), None);
    assert!(output.put_new("m", b"1").unwrap());
    assert!(!output.put_new("m", b"2").unwrap());
    assert_eq!(output.get("m").unwrap().unwrap(), "1");
    output.put("m", b"3").unwrap();
    assert_eq!(output.get("m").unwrap().unwrap(), "3");
    output.delete("m").unwrap();
    output.delete("m").unwrap();
    assert_eq!(output.list("").unwrap(), []);
}

/// A bucket that is not there is an error that names the input.
pub(crate) fn exercise_missing(store: &Store, bucket: &str) {
    let said = |input: String| store.expand(&[input], None).unwrap_err().to_string();
    assert_eq!(
        said(format!("{bucket}/x.warc")),
        format!("no such file or folder: '{bucket}/x.warc'")
    );
}
