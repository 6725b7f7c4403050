//! Buckets without a server: what is the same for all stores, against a store in memory.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};

use crate::{Entry, Error, Kind, Options, Poll, Store};

fn store(objects: &[(&str, &[u8])]) -> (Store, Arc<InMemory>) {
    let options = Options {
        range: 1000,
        in_flight: 3,
        retries: 0,
        ..Options::default()
    };
    let store = Store::new(options).unwrap();
    let memory = Arc::new(InMemory::new());
    store.set_bucket("s3://bucket", Arc::clone(&memory) as Arc<dyn ObjectStore>);
    for (key, bytes) in objects {
        put(&store, &memory, key, bytes);
    }
    (store, memory)
}

fn put(store: &Store, memory: &InMemory, key: &str, bytes: &[u8]) {
    store
        .handle()
        .block_on(memory.put(&Path::parse(key).unwrap(), bytes.to_vec().into()))
        .unwrap();
}

fn names(store: &Store, inputs: &[&str]) -> Result<Vec<String>, Error> {
    let inputs: Vec<String> = inputs.iter().map(|&input| input.to_owned()).collect();
    Ok(store
        .expand(&inputs, None)?
        .shards
        .into_iter()
        .map(|shard| shard.location)
        .collect())
}

const CRAWL: [(&str, &[u8]); 5] = [
    ("crawl/a.warc.gz", b"aa"),
    ("crawl/b.warc.gz", b"b"),
    ("crawl/deep/c.warc", b"c"),
    ("crawl/notes.txt", b"no"),
    ("crawl/page.html", b"p"),
];

#[test]
fn prefixes_patterns_and_objects() {
    let (store, _) = store(&CRAWL);
    let all = [
        "crawl/a.warc.gz",
        "crawl/b.warc.gz",
        "crawl/deep/c.warc",
        "crawl/page.html",
    ];
    let all: Vec<String> = all.iter().map(|key| format!("s3://bucket/{key}")).collect();
    for input in [
        "s3://bucket",
        "s3://bucket/",
        "s3://bucket/crawl",
        "s3://bucket/crawl/",
    ] {
        assert_eq!(names(&store, &[input]).unwrap(), all, "{input}");
    }
    assert_eq!(names(&store, &["s3://bucket/crawl/*.gz"]).unwrap(), all[..2]);
    assert_eq!(names(&store, &["s3://bucket/**/*.warc"]).unwrap(), all[2..3]);
    let twice = ["s3://bucket/crawl/b.warc.gz", "s3://bucket/crawl/[ab].warc.gz"];
    assert_eq!(names(&store, &twice).unwrap(), all[..2]);
    assert_eq!(
        names(&store, &["s3://bucket/crawl/notes.txt"]).unwrap(),
        ["s3://bucket/crawl/notes.txt"]
    );
}

#[test]
fn what_is_not_there_is_named() {
    let (store, _) = store(&CRAWL);
    let said = |input: &str| names(&store, &[input]).unwrap_err().to_string();
    assert_eq!(
        said("s3://bucket/crawl/*.zst"),
        "no input matches 's3://bucket/crawl/*.zst'"
    );
    assert_eq!(
        said("s3://bucket/x.warc"),
        "no such file or folder: 's3://bucket/x.warc'"
    );
    assert_eq!(
        said("s3://bucket/other/"),
        "no archive (.warc, .arc, .wet, .wacz) and no HTML file (.html, .htm, .xhtml) in folder 's3://bucket/other/'"
    );
}

#[test]
fn ranges_come_in_order_and_the_waker_is_called() {
    let bytes: Vec<u8> = (0..10_500_u32).map(|at| (at % 251) as u8).collect();
    let (store, _) = store(&[("x.warc", &bytes)]);
    let shard = &store
        .expand(&["s3://bucket/x.warc".to_owned()], None)
        .unwrap()
        .shards[0];
    assert_eq!((shard.size, shard.kind), (Some(10_500), Kind::Archive));
    for offset in [0, 1, 999, 1000, 9999, 10_499, 10_500] {
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        let wake = Arc::new(move || {
            counted.fetch_add(1, Ordering::SeqCst);
        });
        let mut stream = store.open(shard, offset, Some(wake)).unwrap();
        let mut read = Vec::new();
        loop {
            match stream.poll().unwrap() {
                Poll::Data(piece) => read.extend_from_slice(&piece),
                Poll::Pending => std::thread::yield_now(),
                Poll::End => break,
            }
        }
        assert!(read == bytes[offset as usize..], "from {offset}");
        // Once a piece, once for the end and once when the task is gone; the last two may still be on
        // their way.
        let pieces = (10_500 - offset as usize).div_ceil(1000);
        assert!((pieces..=pieces + 2).contains(&calls.load(Ordering::SeqCst)));
        assert_eq!(stream.poll().unwrap(), Poll::End);
    }
    let error = store.open(shard, 10_501, None).unwrap().wait().unwrap_err();
    assert_eq!(
        error.to_string(),
        "'s3://bucket/x.warc' has 10500 bytes, byte 10501 was asked for"
    );
}

#[test]
fn an_object_replaced_meanwhile_is_an_error() {
    let (store, memory) = store(&[("x.warc", &[1; 50_000])]);
    let shard = &store
        .expand(&["s3://bucket/x.warc".to_owned()], None)
        .unwrap()
        .shards[0];
    let mut stream = store.open(shard, 0, None).unwrap();
    stream.wait().unwrap().unwrap();
    put(&store, &memory, "x.warc", &[2; 50_000]);
    let error = loop {
        match stream.wait() {
            Ok(Some(bytes)) => assert!(bytes.iter().all(|&byte| byte == 1), "bytes of two versions"),
            Ok(None) => panic!("read to the end"),
            Err(error) => break error,
        }
    };
    assert!(
        error
            .to_string()
            .starts_with("'s3://bucket/x.warc' changed while it was read"),
        "{error}"
    );
    assert_eq!(stream.poll().unwrap_err().to_string(), error.to_string());
}

#[test]
fn outputs_appear_whole() {
    let (store, _) = store(&[]);
    let output = store.output("s3://bucket/out").unwrap();
    let large = vec![7; 20 << 20];
    let mut upload = output.create("t/large").unwrap();
    upload.write_all(&large).unwrap();
    assert_eq!((output.list("").unwrap(), upload.bytes()), (vec![], 20 << 20));
    let mut commit = upload.finish().unwrap();
    while !commit.poll().unwrap() {
        std::thread::yield_now();
    }
    assert!(output.get("t/large").unwrap().unwrap() == large);

    assert!(output.put_new("m", b"1").unwrap());
    assert!(!output.put_new("m", b"2").unwrap());
    assert_eq!(output.get("m").unwrap().unwrap(), "1");
    output.put("m", b"three").unwrap();
    let entry = |name: &str, size| Entry {
        name: name.to_owned(),
        size,
    };
    assert_eq!(
        output.list("").unwrap(),
        [entry("m", 5), entry("t/large", 20 << 20)]
    );
    assert_eq!(output.list("t").unwrap(), [entry("t/large", 20 << 20)]);
    let mut end = Vec::new();
    output.fetch_from("m", 3, &mut end).unwrap();
    assert_eq!(end, b"ee");
    output.delete("m").unwrap();
    output.delete("m").unwrap();
    assert_eq!(output.get("m").unwrap(), None);
}

#[test]
fn a_renamed_upload_appears_under_its_new_name_only() {
    let (store, _) = store(&[]);
    let folder = tempfile::tempdir().unwrap();
    let local = folder.path().join("out");
    for place in ["s3://bucket/out", local.to_str().unwrap()] {
        let output = store.output(place).unwrap();
        let mut upload = output.create("t/first").unwrap();
        upload.write_all(b"bytes").unwrap();
        upload.rename("second");
        let name = output.place_of("t/second").to_string();
        assert_eq!(upload.name(), name);
        let commit = upload.finish().unwrap();
        assert_eq!(commit.name(), name);
        commit.wait().unwrap();
        let names: Vec<String> = output
            .list("")
            .unwrap()
            .into_iter()
            .map(|entry| entry.name)
            .collect();
        assert_eq!(names, ["t/second"], "{place}");
        assert_eq!(output.get("t/second").unwrap().unwrap(), "bytes");
    }
}

#[test]
fn a_renamed_upload_that_is_given_up_leaves_nothing() {
    let (store, _) = store(&[]);
    let folder = tempfile::tempdir().unwrap();
    for place in ["s3://bucket/out", folder.path().to_str().unwrap()] {
        let output = store.output(place).unwrap();
        let mut upload = output.create("t/first").unwrap();
        upload.write_all(b"bytes").unwrap();
        upload.rename("second");
        drop(upload);
        assert_eq!(output.list("").unwrap(), [], "{place}");
    }
}
