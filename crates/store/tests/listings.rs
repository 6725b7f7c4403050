//! Listings that come in pages, from servers with habits of their own.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gleaner_store::{Options, Store};
use gleaner_testing::http::{Head, Server};

/// An answer, or the status of a refusal.
type Refusable = fn() -> Result<String, u16>;

/// The answer to a request with a number.
type Numbered = fn(usize) -> String;

struct Query(BTreeMap<String, String>);

impl Query {
    fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

/// A bucket on a free port of 127.0.0.1 that has listings alone, and counts them.
struct Bucket {
    store: Store,
    /// Serves until it is dropped.
    _server: Server,
    requests: Arc<Mutex<usize>>,
}

impl Bucket {
    fn start(answers: impl Fn(&Query, usize) -> Result<String, u16> + Send + Sync + 'static) -> Bucket {
        let requests: Arc<Mutex<usize>> = Arc::default();
        let counted = Arc::clone(&requests);
        let server = Server::start(move |mut stream| {
            let Head { target, .. } = Head::read_whole(&mut stream)?;
            let query = url::form_urlencoded::parse(target.split_once('?').unwrap_or_default().1.as_bytes());
            let query = Query(query.into_owned().collect());
            let number = {
                let mut counted = counted.lock().unwrap();
                *counted += 1;
                *counted - 1
            };
            let (status, body) = match answers(&query, number) {
                Ok(inner) if inner.starts_with("<Error>") => (200, inner),
                Ok(inner) => (
                    200,
                    format!("<ListBucketResult><Name>b</Name>{inner}</ListBucketResult>"),
                ),
                Err(status) => (status, "<Error/>".to_owned()),
            };
            let length = body.len();
            let pause = if status == 429 { "retry-after: 1\r\n" } else { "" };
            let head = format!(
                "HTTP/1.1 {status} X\r\n{pause}connection: close\r\ncontent-length: {length}\r\n\r\n"
            );
            stream.write_all((head + &body).as_bytes())
        });
        let env = [
            ("AWS_ENDPOINT_URL", format!("http://{}", server.address())),
            ("AWS_REGION", "us-east-1".to_owned()),
            ("AWS_ACCESS_KEY_ID", "a".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "b".to_owned()),
        ];
        let store = Store::new(Options {
            env: env.map(|(name, value)| (name.to_owned(), value)).into(),
            retries: 1,
            backoff: Duration::from_millis(1),
            ..Options::default()
        });
        Bucket {
            store: store.unwrap(),
            _server: server,
            requests,
        }
    }

    fn names(&self) -> Result<Vec<String>, String> {
        let found = self.store.expand(&["s3://bucket/p/".to_owned()], None);
        let shards = found.map_err(|error| error.to_string())?.shards;
        let name = |shard: gleaner_store::Shard| {
            assert_eq!(shard.location, format!("s3://bucket/p/{}", shard.name));
            format!("p/{}", shard.name)
        };
        Ok(shards.into_iter().map(name).collect())
    }

    fn requests(&self) -> usize {
        *self.requests.lock().unwrap()
    }
}

fn keys(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("p/{number:03} &.warc")).collect()
}

fn contents(keys: &[String]) -> String {
    let one = |key: &String| {
        let key = key.replace('&', "&amp;");
        format!(
            "<Contents><Key>{key}</Key><LastModified>2025-01-01T00:00:00Z</LastModified><Size>1</Size></Contents>"
        )
    };
    keys.iter().map(one).collect()
}

/// The page of `keys` behind a name, and whether there are more.
fn page<'k>(keys: &'k [String], behind: Option<&str>, size: usize) -> (&'k [String], bool) {
    let from = behind.map_or(0, |behind| {
        keys.iter()
            .position(|key| key.as_str() > behind)
            .unwrap_or(keys.len())
    });
    let end = (from + size).min(keys.len());
    (&keys[from..end], end < keys.len())
}

/// A server that has pages of five, and continues where one of its parameters says.
fn in_fives(parameter: &'static str, end: impl Fn(&str) -> String + Send + Sync + 'static) -> Bucket {
    Bucket::start(move |query, _| {
        let keys = keys(12);
        let (page, is_cut) = page(&keys, query.get(parameter), 5);
        let end = if is_cut {
            end(&page[page.len() - 1].replace('&', "&amp;"))
        } else {
            "<IsTruncated>false</IsTruncated>".to_owned()
        };
        Ok(end + &contents(page))
    })
}

#[test]
fn a_cut_listing_is_followed_to_its_end() {
    let cut = |more: String| format!("<IsTruncated>true</IsTruncated>{more}");
    let token = move |last: &str| cut(format!("<NextContinuationToken>{last}</NextContinuationToken>"));
    let marker = move |last: &str| cut(format!("<NextMarker>{last}</NextMarker>"));
    let buckets = [
        ("a token", in_fives("continuation-token", token)),
        (
            "a token without a word",
            in_fives("continuation-token", |last| {
                format!("<NextContinuationToken>{last}</NextContinuationToken>")
            }),
        ),
        ("a marker", in_fives("marker", marker)),
        (
            "a marker without a word",
            in_fives("marker", |last| format!("<NextMarker>{last}</NextMarker>")),
        ),
        (
            "neither, and names to begin behind",
            in_fives("start-after", move |_| cut(String::new())),
        ),
        (
            "neither, and markers",
            in_fives("marker", move |_| cut("<NextMarker/>".to_owned())),
        ),
        (
            "an empty token",
            in_fives("start-after", move |_| cut("<NextContinuationToken/>".to_owned())),
        ),
        ("nothing", in_fives("start-after", |_| String::new())),
        (
            "the wrong word",
            in_fives("start-after", |_| "<IsTruncated>false</IsTruncated>".to_owned()),
        ),
    ];
    for (what, bucket) in buckets {
        assert_eq!(bucket.names().unwrap(), keys(12), "{what}");
        assert!(bucket.requests() <= 5, "{what}: {} requests", bucket.requests());
    }
}

#[test]
fn a_whole_listing_costs_one_more_request_whatever_the_answer() {
    let whole = || "<IsTruncated>false</IsTruncated>".to_owned() + &contents(&keys(3));
    let other: [(&str, Refusable); 5] = [
        ("nothing more", || Ok(String::new())),
        ("the same names", || Ok(contents(&keys(3)))),
        ("the same names, cut", || {
            Ok("<IsTruncated>true</IsTruncated>".to_owned() + &contents(&keys(3)))
        }),
        ("a refusal", || Err(400)),
        ("no access", || Err(403)),
    ];
    for (what, second) in other {
        let bucket = Bucket::start(move |_, number| if number == 0 { Ok(whole()) } else { second() });
        assert_eq!(bucket.names().unwrap(), keys(3), "{what}");
        assert_eq!(bucket.requests(), 2, "{what}");
    }
    let empty = Bucket::start(|_, _| Ok("<IsTruncated>false</IsTruncated>".to_owned()));
    assert!(empty.names().is_err());
    assert_eq!(empty.requests(), 1);
    let failing = Bucket::start(move |_, number| if number == 0 { Ok(whole()) } else { Err(500) });
    assert!(failing.names().unwrap_err().contains("500"));
}

#[test]
fn empty_pages_and_pages_that_overlap_are_no_end() {
    let cut = |token: usize| {
        format!("<IsTruncated>true</IsTruncated><NextContinuationToken>{token}</NextContinuationToken>")
    };
    let bucket = Bucket::start(move |query, number| {
        let keys = keys(9);
        Ok(match number {
            0 => cut(1) + &contents(&keys[..3]),
            1..=5 => cut(number + 1),
            6 => cut(7) + &contents(&keys[2..6]),
            // The whole listing, as some stores send it in the place of its second page.
            7 => contents(&keys),
            _ => {
                assert_eq!(query.get("start-after"), Some("p/008 &.warc"));
                String::new()
            }
        })
    });
    assert_eq!(bucket.names().unwrap(), keys(9));
    let early = Bucket::start(move |query, number| {
        let keys = keys(4);
        Ok(match (number, query.get("start-after")) {
            (0, _) => cut(1) + &contents(&keys[..2]),
            (_, Some(behind)) => contents(page(&keys, Some(behind), 2).0),
            _ => String::new(),
        })
    });
    assert_eq!(early.names().unwrap(), keys(4), "a token that leads nowhere");
    let busy = Bucket::start(move |_, number| {
        Ok(match number {
            0 => cut(1) + &contents(&keys(9)[..2]),
            1 => "<Error><Code>SlowDown</Code></Error>".to_owned(),
            _ => contents(&keys(9)[2..]),
        })
    });
    assert_eq!(busy.names().unwrap(), keys(9), "an error with status 200");
}

#[test]
fn a_listing_without_end_is_an_error() {
    let names: [(&str, Numbered); 6] = [
        ("one token", |_| {
            "<NextContinuationToken>t</NextContinuationToken>".to_owned() + &contents(&keys(5))
        }),
        ("other tokens", |number| {
            format!(
                "<NextContinuationToken>{number}</NextContinuationToken>{}",
                contents(&keys(5))
            )
        }),
        ("no token", |_| {
            "<IsTruncated>true</IsTruncated>".to_owned() + &contents(&keys(5))
        }),
        ("two pages in turns", |number| {
            let keys = &keys(10)[number % 2 * 5..][..5];
            format!(
                "<IsTruncated>True</IsTruncated><NextMarker>{number}</NextMarker>{}",
                contents(keys)
            )
        }),
        ("empty pages, one token", |_| {
            "<NextContinuationToken>t</NextContinuationToken>".to_owned()
        }),
        ("empty pages, other tokens", |number| {
            format!("<NextContinuationToken>{number}</NextContinuationToken>")
        }),
    ];
    for (what, answer) in names {
        let bucket = Bucket::start(move |_, number| Ok(answer(number)));
        assert_eq!(
            bucket.names().unwrap_err(),
            "could not list 's3://bucket/p': the store sends the same page again and again; name the files one by one in a \
             list (@list.txt)",
            "{what}"
        );
        assert!(
            bucket.requests() <= 1002,
            "{what}: {} requests",
            bucket.requests()
        );
    }
}

#[test]
fn the_order_is_that_of_the_store() {
    // By bytes the second is the last; by UTF-16 codes, the first is.
    let by_codes = ["p/a.warc", "p/\u{1f98e}.warc", "p/\u{ff5e}.warc"].map(str::to_owned);
    let bucket = Bucket::start(move |query, _| {
        let from = query
            .get("start-after")
            .map_or(0, |last| 1 + by_codes.iter().position(|key| key == last).unwrap());
        let end = (from + 2).min(3);
        let is_cut = end < 3;
        Ok(format!(
            "<IsTruncated>{is_cut}</IsTruncated>{}",
            contents(&by_codes[from..end])
        ))
    });
    assert_eq!(
        bucket.names().unwrap(),
        ["p/a.warc", "p/\u{ff5e}.warc", "p/\u{1f98e}.warc"]
    );

    let in_no_order = ["p/b.warc", "p/a.warc", "p/c.warc"].map(str::to_owned);
    let with_tokens = in_no_order.clone();
    let bucket = Bucket::start(move |query, _| {
        let is_cut = query.get("continuation-token").is_none() && query.get("start-after").is_none();
        Ok(match is_cut {
            true => {
                "<NextContinuationToken>2</NextContinuationToken>".to_owned() + &contents(&with_tokens[..2])
            }
            false => contents(&with_tokens[2..]),
        })
    });
    assert_eq!(bucket.names().unwrap(), ["p/a.warc", "p/b.warc", "p/c.warc"]);
    let bucket = Bucket::start(move |_, _| {
        Ok("<IsTruncated>true</IsTruncated>".to_owned() + &contents(&in_no_order[..2]))
    });
    assert_eq!(
        bucket.names().unwrap_err(),
        "could not list 's3://bucket/p': it is cut, and the store does not say where it continues; name the files one by one \
         in a list (@list.txt)"
    );
}

#[test]
fn outputs_are_listed_to_their_end_too() {
    let bucket = in_fives("start-after", |_| "<IsTruncated>true</IsTruncated>".to_owned());
    let output = bucket.store.output("s3://bucket/p").unwrap();
    let names: Vec<String> = output
        .list("")
        .unwrap()
        .into_iter()
        .map(|entry| format!("p/{}", entry.name))
        .collect();
    assert_eq!(names, keys(12));
    assert_eq!(output.top().unwrap().len(), 12);
}

/// The status of an answer reaches us through the client of the store, whatever the operation. (An update of the client that
/// hides it would have every refusal repeated, and no client wait for a busy server.)
#[test]
fn the_status_of_a_refusal_decides() {
    type Operation = fn(&gleaner_store::Output) -> Result<(), gleaner_store::Error>;
    let operations: [(&str, Operation); 5] = [
        ("list", |output| output.list("").map(drop)),
        ("size", |output| output.size("x").map(drop)),
        ("read", |output| output.get_range("x", 0..9).map(drop)),
        ("delete", |output| output.delete("x")),
        ("put", |output| output.put_new("x", b"bytes").map(drop)),
    ];
    for (status, requests, expected) in [
        (400, 1, "400 Bad Request"),
        (401, 1, "no access to"),
        (403, 1, "no access to"),
        (404, 1, "no such file or folder"),
        (501, 1, "501 Not Implemented"),
        (408, 2, "408 Request Timeout"),
        (429, 2, "429 Too Many Requests"),
        (503, 2, "503 Service Unavailable"),
    ] {
        for (name, operation) in operations {
            let bucket = Bucket::start(move |_, _| Err(status));
            let output = bucket.store.output("s3://bucket/p").unwrap();
            let begin = Instant::now();
            match operation(&output) {
                Err(error) => assert!(error.to_string().contains(expected), "{name} {status}: {error}"),
                Ok(()) => assert_eq!((name, status), ("delete", 404)),
            }
            assert_eq!(bucket.requests(), requests, "{name} {status}");
            let has_waited = begin.elapsed() >= Duration::from_secs(1);
            assert!(has_waited || status != 429, "{name} {status}");
        }
    }
}
