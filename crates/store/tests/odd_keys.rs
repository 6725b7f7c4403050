//! Keys that the client of a store takes for errors, in a bucket of a server of our own.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use gleaner_store::{Options, Store};

/// Answers listings (S3, version 2) and requests for objects, on a free port of 127.0.0.1.
struct Bucket {
    address: SocketAddr,
    /// The targets of all requests, as they were sent.
    targets: Arc<Mutex<Vec<String>>>,
}

impl Bucket {
    fn start(keys: &[&'static str]) -> Bucket {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let targets: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = Arc::clone(&targets);
        let objects: Arc<BTreeMap<String, &'static str>> =
            Arc::new(keys.iter().map(|&key| (encoded(key), key)).collect());
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let (objects, seen) = (Arc::clone(&objects), Arc::clone(&seen));
                std::thread::spawn(move || drop(answer(connection.unwrap(), &objects, &seen)));
            }
        });
        Bucket { address, targets }
    }

    fn store(&self, signs: bool) -> Store {
        let mut env: BTreeMap<String, String> = [
            ("AWS_ENDPOINT_URL", format!("http://{}", self.address)),
            ("AWS_REGION", "us-east-1".to_owned()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        match signs {
            true => {
                env.insert("AWS_ACCESS_KEY_ID".to_owned(), "a".to_owned());
                env.insert("AWS_SECRET_ACCESS_KEY".to_owned(), "b".to_owned());
            }
            false => drop(env.insert("AWS_SKIP_SIGNATURE".to_owned(), "true".to_owned())),
        }
        Store::new(Options {
            env,
            retries: 0,
            ..Options::default()
        })
        .unwrap()
    }
}

fn encoded(key: &str) -> String {
    let letter = |byte: u8| match byte {
        b'/' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    key.bytes().map(letter).collect()
}

/// The bytes of an object: its key, so that no other is taken for it.
fn answer(
    mut stream: TcpStream,
    objects: &BTreeMap<String, &'static str>,
    seen: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let (method, target) = line.trim_end().split_once(' ').unwrap();
    let target = target.split(' ').next().unwrap().to_owned();
    seen.lock().unwrap().push(target.clone());
    let mut range = None;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        if header.trim().is_empty() {
            break;
        }
        if let Some(bytes) = header.to_ascii_lowercase().strip_prefix("range: bytes=") {
            let (first, last) = bytes.trim().split_once('-').unwrap();
            range = Some((first.parse::<usize>().unwrap(), last.parse::<usize>().unwrap()));
        }
    }
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    if query.contains("list-type=2") {
        let listing = listing(query, objects);
        write!(
            stream,
            "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{listing}",
            listing.len()
        )?;
        return Ok(());
    }
    let Some(key) = path.strip_prefix("/bucket/").and_then(|path| objects.get(path)) else {
        return write!(
            stream,
            "HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
        );
    };
    let (first, last) = range.unwrap_or((0, key.len() - 1));
    let status = match range {
        Some(_) => format!(
            "206 Partial Content\r\ncontent-range: bytes {first}-{last}/{}",
            key.len()
        ),
        None => "200 OK".to_owned(),
    };
    let body = &key.as_bytes()[first..=last];
    write!(
        stream,
        "HTTP/1.1 {status}\r\netag: \"1\"\r\nlast-modified: Wed, 01 Jan 2025 00:00:00 GMT\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    )?;
    if method != "HEAD" {
        stream.write_all(body)?;
    }
    Ok(())
}

fn listing(query: &str, objects: &BTreeMap<String, &'static str>) -> String {
    let prefix = query
        .split('&')
        .find_map(|pair| pair.strip_prefix("prefix="))
        .unwrap_or_default()
        .replace("%2F", "/");
    let mut listing = "<?xml version=\"1.0\"?><ListBucketResult><Name>bucket</Name>".to_owned();
    for (_, key) in objects.iter().filter(|(coded, _)| coded.starts_with(&prefix)) {
        let mut spelled = String::new();
        for letter in key.chars() {
            match letter {
                '&' | '<' | '>' | '\u{0}'..'\u{20}' => spelled += &format!("&#{};", letter as u32),
                letter => spelled.push(letter),
            }
        }
        listing += &format!(
            "<Contents><Key>{spelled}</Key><LastModified>2025-01-01T00:00:00.000Z</LastModified><ETag>\"1\"</ETag><Size>{}</Size></Contents>",
            key.len()
        );
    }
    listing + "</ListBucketResult>"
}

const KEYS: [&str; 10] = [
    "crawl/a.warc",
    "crawl//b.warc",
    "crawl/./c.warc",
    "crawl/../d.warc",
    "crawl/e\u{1}&.warc",
    "crawl/deep/f g.warc",
    "crawl/deep//",
    "/crawl/h.warc",
    "crawl/i.warc/",
    "other/j.warc",
];

/// The keys that an input stands for, each read to its end; those with dots are refused.
fn found(store: &Store, input: &str) -> Vec<String> {
    let shards = store.expand(&[input.to_owned()], None).unwrap().shards;
    let read = |shard: gleaner_store::Shard| {
        let mut stream = store.open(&shard, 0, None).unwrap();
        let mut bytes = Vec::new();
        loop {
            match stream.wait() {
                Ok(Some(more)) => bytes.extend_from_slice(&more),
                Ok(None) => break,
                Err(error) => {
                    let error = error.to_string();
                    assert!(error.contains("give the object another key"), "{error}");
                    assert!(
                        shard.location.contains("/./") || shard.location.contains("/../"),
                        "{error}"
                    );
                    return shard.location["s3://bucket/".len()..].to_owned();
                }
            }
        }
        let key = String::from_utf8(bytes).unwrap();
        assert_eq!(shard.location, format!("s3://bucket/{key}"));
        key
    };
    shards.into_iter().map(read).collect()
}

#[test]
fn odd_keys_are_read_like_others() {
    let bucket = Bucket::start(&KEYS);
    for signs in [true, false] {
        let store = bucket.store(signs);
        let crawl = [
            "crawl/../d.warc",
            "crawl/./c.warc",
            "crawl//b.warc",
            "crawl/a.warc",
            "crawl/deep/f g.warc",
            "crawl/e\u{1}&.warc",
        ];
        let cases: [(&str, &[&str]); 7] = [
            ("crawl/", &crawl),
            ("crawl", &crawl),
            ("crawl//", &["crawl//b.warc"]),
            ("crawl/./", &["crawl/./c.warc"]),
            ("crawl/*.warc", &["crawl/a.warc", "crawl/e\u{1}&.warc"]),
            ("crawl//*.warc", &["crawl//b.warc"]),
            ("/crawl/", &["/crawl/h.warc"]),
        ];
        for (input, expected) in cases {
            let mut expected = expected.to_vec();
            expected.sort_unstable();
            assert_eq!(
                found(&store, &format!("s3://bucket/{input}")),
                expected,
                "{input}"
            );
        }
    }
    let targets = bucket.targets.lock().unwrap();
    assert!(
        !targets.iter().any(|target| target.contains("odd-key")),
        "{targets:?}"
    );
}

#[test]
fn a_slash_too_many_is_passed_over() {
    let bucket = Bucket::start(&["crawl/a.warc"]);
    let store = bucket.store(false);
    for input in [
        "s3://bucket//crawl/",
        "s3://bucket//crawl/a.warc",
        "s3://bucket//",
    ] {
        assert_eq!(
            store.expand(&[input.to_owned()], None).unwrap().shards.len(),
            1,
            "{input}"
        );
    }
}
