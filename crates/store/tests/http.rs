//! Web servers, as good and as bad as they come.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use gleaner_store::{Options, Poll, Shard, Store};

use crate::http_server::{Act, Request, Server};

const RANGE: u64 = 100_000;

fn file() -> Vec<u8> {
    (0..550_001_u32)
        .map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect()
}

fn store() -> Store {
    Store::new(Options {
        range: RANGE,
        in_flight: 2,
        retries: 3,
        backoff: Duration::from_millis(1),
        stall: Duration::from_millis(400),
        ..Options::default()
    })
    .unwrap()
}

fn shard(store: &Store, server: &Server, target: &str) -> Shard {
    store
        .expand(&[server.url(target)], None)
        .unwrap()
        .shards
        .remove(0)
}

/// Everything from `offset` on, or the error's text.
fn read(store: &Store, shard: &Shard, offset: u64) -> Result<Vec<u8>, String> {
    let mut stream = store
        .open(shard, offset, None)
        .map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    while let Some(bytes) = stream.wait().map_err(|error| error.to_string())? {
        assert!(!bytes.is_empty());
        all.extend_from_slice(&bytes);
    }
    Ok(all)
}

/// Reads `/x` of a server that answers the first HEAD well and then does as told; requests are
/// counted from the first GET.
fn read_from(
    act: impl Fn(usize, &Request) -> Act + Send + Sync + 'static,
    offset: u64,
) -> (Result<Vec<u8>, String>, Vec<Request>) {
    let file = file();
    let server = Server::start(&[("x", &file)], move |number, request| match number {
        0 => Act::Serve,
        _ => act(number - 1, request),
    });
    let store = store();
    let shard = shard(&store, &server, "x");
    assert_eq!(
        (shard.size, shard.version.as_deref()),
        (Some(file.len() as u64), Some("one"))
    );
    let outcome = read(&store, &shard, offset);
    let name = server.url("x");
    (
        outcome.map_err(|error| error.replace(&name, "URL")),
        server.requests().split_off(1),
    )
}

#[test]
fn ranges_from_any_offset() {
    for offset in [0, 1, 99_999, 100_000, 550_000, 550_001] {
        let (read, requests) = read_from(|_, _| Act::Serve, offset);
        assert!(read.unwrap() == file()[offset as usize..], "from {offset}");
        assert!(requests.iter().all(|request| {
            request
                .range
                .as_ref()
                .is_some_and(|range| range.end - range.start <= RANGE)
        }));
    }
    let (read, _) = read_from(|_, _| Act::Serve, 550_002);
    assert_eq!(
        read.unwrap_err(),
        "'URL' has 550001 bytes, byte 550002 was asked for"
    );
}

#[test]
fn beyond_a_range_little_is_fetched_ahead() {
    let file: Vec<u8> = (0..4_000_000_u32).map(|at| (at >> 5) as u8).collect();
    let server = Server::start(&[("x", &file)], |_, _| Act::Serve);
    let store = store();
    let shard = shard(&store, &server, "x");
    let mut stream = store.open_range(&shard, 150_000..420_000, None).unwrap();
    let mut found = Vec::new();
    while found.len() < 270_000 {
        found.extend_from_slice(&stream.wait().unwrap().unwrap());
    }
    let ranges = || {
        let ranges = server.requests().into_iter().filter_map(|request| request.range);
        let mut ranges: Vec<(u64, u64)> = ranges.map(|range| (range.start, range.end)).collect();
        ranges.sort_unstable();
        ranges
    };
    assert_eq!(
        ranges()[..3],
        [(150_000, 250_000), (250_000, 350_000), (350_000, 420_000)]
    );
    // A reader that continues gets the rest, and what is fetched is never far ahead of it.
    loop {
        let fetched = ranges().last().unwrap().1;
        assert!(
            fetched <= 150_000 + found.len() as u64 + 5 * RANGE,
            "{:?}",
            ranges()
        );
        match stream.wait().unwrap() {
            Some(bytes) => found.extend_from_slice(&bytes),
            None => break,
        }
    }
    assert!(found == file[150_000..]);
}

#[test]
fn busy_twice_is_retried() {
    let (read, _) = read_from(
        |number, _| if number < 2 { Act::Status(503) } else { Act::Serve },
        0,
    );
    assert!(read.unwrap() == file());
}

#[test]
fn busy_for_ever_is_an_error_that_says_so() {
    let (read, requests) = read_from(|_, _| Act::Status(503), 0);
    let error = read.unwrap_err();
    assert!(
        error.starts_with("could not read 'URL': ") && error.contains("503"),
        "{error}"
    );
    // The first range and its retries, then the whole file and its.
    assert_eq!(requests.len(), 8);
}

#[test]
fn a_line_that_breaks_is_resumed_at_the_byte_reached() {
    let (read, requests) = read_from(
        |number, _| {
            if number % 3 == 2 {
                Act::Serve
            } else {
                Act::Cut(40_000)
            }
        },
        7,
    );
    assert!(read.unwrap() == file()[7..]);
    let starts: Vec<u64> = requests
        .iter()
        .map(|request| request.range.clone().unwrap().start)
        .collect();
    assert_eq!(starts[..3], [7, 40_007, 80_007]);
}

#[test]
fn a_body_that_stays_short_is_an_error() {
    let (read, _) = read_from(
        |_, request| {
            if request.range.clone().unwrap().end > 300_000 {
                Act::Cut(0)
            } else {
                Act::Serve
            }
        },
        0,
    );
    assert!(read.unwrap_err().starts_with("could not read 'URL': "));
}

#[test]
fn a_server_without_ranges_is_read_whole() {
    for offset in [0, 123_456, 550_000, 550_001] {
        let (read, requests) = read_from(|_, _| Act::IgnoreRange, offset);
        assert!(read.unwrap() == file()[offset as usize..], "from {offset}");
        assert!(
            requests.len() <= 2,
            "one refused range, one whole file: {requests:?}"
        );
    }
}

#[test]
fn a_server_without_ranges_that_breaks_off_is_read_again() {
    let act = |number: usize, _: &Request| match number {
        0 => Act::IgnoreRange,
        1 => Act::IgnoreRangeAndCut(200_000),
        2 => Act::IgnoreRangeAndCut(100_000),
        3 => Act::Status(503),
        _ => Act::IgnoreRange,
    };
    let (read, requests) = read_from(act, 50_000);
    assert!(read.unwrap() == file()[50_000..]);
    assert_eq!(requests.len(), 5);
}

#[test]
fn a_file_that_changes_is_an_error() {
    let later = |other: Act| move |number: usize, _: &Request| if number < 3 { Act::Serve } else { other };
    let (read, _) = read_from(later(Act::Replaced), 0);
    assert_eq!(
        read.unwrap_err(),
        "'URL' changed while it was read: it was written again; run again when it is complete"
    );
    let (read, _) = read_from(|_, _| Act::Halved, 0);
    assert_eq!(
        read.unwrap_err(),
        "could not read 'URL': it has 550001 bytes, and the server says 275000"
    );
}

#[test]
fn a_server_that_falls_silent_is_given_up() {
    let (read, _) = read_from(|_, _| Act::Stall, 0);
    let error = read.unwrap_err();
    assert!(
        error.contains("the server sent nothing, or next to nothing, for 0.4 s"),
        "{error}"
    );
}

#[test]
fn polling_never_waits() {
    let file = file();
    let server = Server::start(&[("x", &file)], |_, _| Act::Slow(Duration::from_millis(20)));
    let store = store();
    let shard = shard(&store, &server, "x");
    let mut stream = store.open(&shard, 0, None).unwrap();
    let (mut read, mut pending) = (Vec::new(), 0);
    loop {
        match stream.poll().unwrap() {
            Poll::Data(bytes) => read.extend_from_slice(&bytes),
            Poll::End => break,
            Poll::Pending => {
                pending += 1;
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
    assert!(read == file);
    assert!(pending > 0, "polls wait for the server");
}

#[test]
fn a_server_that_refuses_head_is_asked_otherwise() {
    for act in [Act::Serve, Act::IgnoreRange] {
        let no_head = move |_, request: &Request| {
            if request.method == "HEAD" {
                Act::Status(403)
            } else {
                act
            }
        };
        let server = Server::start(&[("x?key=a%2Fb", b"hello"), ("empty", b"")], no_head);
        let store = store();
        let found = shard(&store, &server, "x?key=a%2Fb");
        assert_eq!(found.size, Some(5), "{act:?}");
        assert_eq!(read(&store, &found, 1).unwrap(), b"ello");
        let empty = shard(&store, &server, "empty");
        assert_eq!((empty.size, read(&store, &empty, 0).unwrap()), (Some(0), vec![]));
    }
}

#[test]
fn what_is_missing_or_forbidden_is_said() {
    let server = Server::start(&[("secret", b"")], |_, _| Act::Status(403));
    let store = store();
    let said = |target: &str| {
        let error = store.expand(&[server.url(target)], None).unwrap_err().to_string();
        error.replace(&server.url(target), "URL")
    };
    assert_eq!(said("none"), "no such file or folder: 'URL'");
    assert!(said("secret").starts_with("no access to 'URL': the server wants a login or forbids the file"));
    let output = store.output(&server.url("out")).unwrap_err().to_string();
    assert!(
        output.ends_with("a web server cannot be written to; use a folder, s3://, gs:// or az://"),
        "{output}"
    );
    let closed = store
        .expand(&["http://127.0.0.1:9/x".to_owned()], None)
        .unwrap_err()
        .to_string();
    assert!(
        closed.starts_with("could not ") && closed.contains("'http://127.0.0.1:9/x'"),
        "{closed}"
    );
}

#[test]
fn lists_from_the_web() {
    let list = b"# a crawl\na.warc.gz\n\n  sub/b.warc.gz  \n";
    let files: [(&str, &[u8]); 4] = [
        ("crawl/warc.paths", list),
        ("crawl/a.warc.gz", b"a"),
        ("crawl/sub/b.warc.gz", b"bb"),
        ("other/a.warc.gz", b"o"),
    ];
    let server = Server::start(&files, |_, _| Act::Serve);
    let store = store();
    let list = format!("@{}", server.url("crawl/warc.paths"));
    let shards = store.expand(std::slice::from_ref(&list), None).unwrap().shards;
    let found: Vec<_> = shards
        .iter()
        .map(|shard| (shard.location.clone(), shard.size.unwrap()))
        .collect();
    assert_eq!(
        found,
        [
            (server.url("crawl/a.warc.gz"), 1),
            (server.url("crawl/sub/b.warc.gz"), 2)
        ]
    );
    let names: Vec<_> = shards.iter().map(|shard| &*shard.name).collect();
    assert_eq!(names, ["a.warc.gz", "sub/b.warc.gz"]);

    let error = store
        .expand(std::slice::from_ref(&list), Some(&server.url("other")))
        .unwrap_err()
        .to_string();
    let other = server.url("other");
    assert_eq!(
        error,
        format!(
            "'{list}' line 4: no such file or folder: '{other}/sub/b.warc.gz' (relative lines are resolved against '{other}', or against --base-url)"
        )
    );
}

#[test]
fn a_list_from_the_web_cannot_name_local_files() {
    let server = Server::start(&[("list", b"file:///etc/passwd")], |_, _| Act::Serve);
    let error = store()
        .expand(&[format!("@{}", server.url("list"))], None)
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with(
            "line 1: cannot use 'file:///etc/passwd': a list from elsewhere cannot name local files"
        ),
        "{error}"
    );
}

/// A presigned URL of `/x`, with a user and a password.
fn signed(server: &Server, signature: &str) -> String {
    let plain = server.url("x?file=3");
    let with_user = plain.replacen("://", "://me:pass%20word@", 1);
    format!("{with_user}&X-Amz-Date=1&X-Amz-Signature={signature}")
}

#[test]
fn credentials_go_to_the_server_and_nowhere_else() {
    let file = file();
    let (one, two) = [1, 2]
        .map(|last| format!("x?file=3&X-Amz-Date=1&X-Amz-Signature=5igned0{last}"))
        .into();
    let server = Server::start(&[(&*one, &file), (&*two, &file)], |_, _| Act::Serve);
    let store = store();
    let find = |signature: &str| {
        store
            .expand(&[signed(&server, signature)], None)
            .unwrap()
            .shards
            .remove(0)
    };
    let shard = find("5igned01");
    assert_eq!(shard.location, server.url("x?file=3"));
    assert_eq!(shard.name, "x?file=3");
    assert_eq!(shard.place.to_string(), shard.location);
    assert_eq!(shard, find("5igned02"), "another signature is the same input");
    assert!(read(&store, &shard, 0).unwrap() == file);
    let requests = server.requests();
    assert!(
        requests
            .iter()
            .all(|request| request.target.contains("Signature=5igned0"))
    );
    assert!(
        requests
            .iter()
            .all(|request| request.authorization.as_deref() == Some("Basic bWU6cGFzcyB3b3Jk")),
        "{requests:?}"
    );
    for text in [format!("{shard:?}"), serde_json::to_string(&shard).unwrap()] {
        assert!(!text.contains("5igned") && !text.contains("pass"), "{text}");
    }
}

#[test]
fn errors_do_not_tell_credentials() {
    for status in [403, 404, 416, 503] {
        let target = "x?file=3&X-Amz-Date=1&X-Amz-Signature=5igned01";
        let server = Server::start(&[(target, b"x")], move |_, _| Act::Status(status));
        let url = signed(&server, "5igned01");
        let error = store().expand(&[url], None).unwrap_err().to_string();
        let name = server.url("x?file=3");
        assert!(error.contains(&format!("'{name}'")), "{error}");
        for secret in ["5igned", "pass", "me:", "X-Amz"] {
            assert!(!error.contains(secret), "{status}: {error}");
        }
    }
    // Nobody listens there.
    let gone = "http://me:pass@127.0.0.1:1/x?file=3&sig=5igned01".to_owned();
    let error = store().expand(&[gone], None).unwrap_err().to_string();
    assert!(error.contains("'http://127.0.0.1:1/x?file=3'"), "{error}");
    assert!(!error.contains("5igned") && !error.contains("pass"), "{error}");
}

#[test]
fn lines_of_a_list_have_the_credentials_of_its_folder() {
    let file = file();
    let server = Server::start(
        &[
            ("dir/list", b"a\n"),
            ("dir/a", &file),
            ("box/a?sv=1&sig=5igned", &file),
        ],
        |_, _| Act::Serve,
    );
    let list = format!("@{}", server.url("dir/list").replacen("://", "://me:pass@", 1));
    let store = store();
    let shards = store.expand(std::slice::from_ref(&list), None).unwrap().shards;
    assert_eq!(shards[0].location, server.url("dir/a"));
    assert!(
        server
            .requests()
            .iter()
            .all(|request| request.authorization.is_some())
    );
    // A container with a signature for all that is in it.
    let container = server.url("box?sv=1&sig=5igned");
    let shards = store
        .expand(std::slice::from_ref(&list), Some(&container))
        .unwrap()
        .shards;
    assert_eq!(shards[0].location, server.url("box/a"));
    assert!(read(&store, &shards[0], 0).unwrap() == file);
    let error = store
        .expand(&[list], Some(&server.url("none?sig=5igned")))
        .unwrap_err();
    let error = error.to_string();
    assert!(
        error.starts_with(&format!("'@{}' line 1: ", server.url("dir/list"))),
        "{error}"
    );
    assert!(!error.contains("5igned") && !error.contains("pass"), "{error}");
}

#[test]
fn a_head_is_the_first_bytes_by_one_try() {
    let file = file();
    let files: Vec<(&str, &[u8])> = ["good", "whole", "busy"].map(|name| (name, &file[..])).to_vec();
    let server = Server::start(&[&files[..], &[("short", b"abc")]].concat(), |_, request| match (
        &*request.method,
        &*request.target,
    ) {
        ("GET", "whole") => Act::IgnoreRange,
        ("GET", "busy") => Act::Status(503),
        _ => Act::Serve,
    });
    let store = store();
    let shards = ["good", "whole", "busy", "short"].map(|target| shard(&store, &server, target));
    let heads = store.heads(shards.to_vec(), 1000);
    assert_eq!(heads[0].as_ref().unwrap(), &file[..1000]);
    assert_eq!(heads[1].as_ref().unwrap(), &file[..1000]);
    assert!(heads[2].is_err());
    assert_eq!(heads[3].as_ref().unwrap(), &b"abc"[..]);
    let to_good = |request: &Request| request.method == "GET" && request.target.ends_with("good");
    let requests = server.requests().into_iter().filter(to_good);
    assert_eq!(
        requests.map(|request| request.range).collect::<Vec<_>>(),
        [Some(0..1000)]
    );
}

/// A server that does one thing to HEAD and another to GET; what is listed, and what is read.
fn listed_and_read(
    head: Act,
    get: impl Fn(usize) -> Act + Send + Sync + 'static,
) -> (Option<u64>, Result<Vec<u8>, String>) {
    let gets = AtomicUsize::new(0);
    let server = Server::start(&[("x", &file())], move |_, request| {
        match request.method.as_str() {
            "HEAD" => head,
            _ => get(gets.fetch_add(1, Ordering::SeqCst)),
        }
    });
    let store = store();
    let found = shard(&store, &server, "x");
    let again = shard(&store, &server, "x");
    assert_eq!(found, again, "listed again, it is the same input");
    let name = server.url("x");
    let read = read(&store, &found, 5).map_err(|error| error.replace(&name, "URL"));
    (found.size, read)
}

#[test]
fn a_length_is_not_needed() {
    for act in [Act::Chunked, Act::UntilClose] {
        for head in [act, Act::Status(405), Act::Status(501), Act::WrongLength(0)] {
            let (size, read) = listed_and_read(head, move |_| act);
            assert_eq!(size, None, "{head:?} {act:?}");
            assert!(read.unwrap() == file()[5..], "{head:?} {act:?}");
        }
    }
}

#[test]
fn the_length_of_get_counts() {
    let length = file().len() as u64;
    for head in [Act::Chunked, Act::WrongLength(0)] {
        for get in [Act::Serve, Act::IgnoreRange] {
            let (size, read) = listed_and_read(head, move |_| get);
            assert_eq!(size, Some(length), "{head:?} {get:?}");
            assert!(read.unwrap() == file()[5..], "{head:?} {get:?}");
        }
    }
    // Nobody knows which of two lengths is right, and nothing may be lost.
    for wrong in [1000, 900_000] {
        for get in [Act::Serve, Act::IgnoreRange] {
            let (_, read) = listed_and_read(Act::WrongLength(wrong), move |_| get);
            let error = read.unwrap_err();
            assert!(
                error.contains(&format!("it has {wrong} bytes, and the server says {length}")),
                "{error}"
            );
        }
    }
}

#[test]
fn a_body_that_marks_its_end_and_is_cut_is_read_again() {
    let cut = |number| match number {
        // Each listing asks twice: for the first byte, and for the file.
        0..4 => Act::Chunked,
        4 => Act::ChunkedAndCut(200_000),
        5 => Act::ChunkedAndCut(100_000),
        _ => Act::Chunked,
    };
    let (_, read) = listed_and_read(Act::Chunked, cut);
    assert!(read.unwrap() == file()[5..]);
    let (_, read) = listed_and_read(Act::Chunked, |number| match number {
        0..4 => Act::Chunked,
        _ => Act::ChunkedAndCut(100),
    });
    let error = read.unwrap_err();
    assert!(error.starts_with("could not read 'URL': "), "{error}");
}
