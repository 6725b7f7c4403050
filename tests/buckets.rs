//! Builds into a bucket, served by moto where it is installed: killed, gone on with, and held by one run.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gleaner_testing::process::{Server, wait_for};

use crate::cluster::addresses;
use crate::resume::{contents, crawl};
use crate::support::{files, gleaner, journaled, refusal, said};

/// An S3 server with a bucket.
struct Bucket(Server);

impl Bucket {
    fn start() -> Option<Bucket> {
        let arguments = |port: u16| {
            ["-H", "127.0.0.1", "-p", &port.to_string()]
                .map(str::to_owned)
                .to_vec()
        };
        let bucket = Bucket(Server::start("moto_server", arguments)?);
        bucket.ask("PUT", "/bucket");
        Some(bucket)
    }

    /// The body of the server's answer.
    fn ask(&self, method: &str, path: &str) -> Vec<u8> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.0.port)).unwrap();
        // Any signature will do.
        let request = format!(
            "{method} {path} HTTP/1.0\r\nhost: 127.0.0.1\r\ncontent-length: 0\r\nauthorization: AWS4-HMAC-SHA256 \
             Credential=a/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let head = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
        answer.split_off(head + 4)
    }

    /// The names of all objects.
    fn names(&self) -> Vec<String> {
        let listed = String::from_utf8(self.ask("GET", "/bucket?list-type=2&max-keys=1000")).unwrap();
        let keys = listed.split("<Key>").skip(1);
        keys.map(|key| key.split('<').next().unwrap().to_owned())
            .collect()
    }

    /// Whether a build has done as many parts and chunks.
    fn has_done(&self, least: [usize; 2]) -> bool {
        let journals = self.names().into_iter().filter(|name| name.contains("/journal-"));
        let done = journaled(journals.map(|name| self.ask("GET", &format!("/bucket/{name}"))));
        done[0] >= least[0] && done[1] >= least[1]
    }

    /// All objects below `out/`, by name.
    fn contents(&self) -> BTreeMap<String, Vec<u8>> {
        let named = self.names().into_iter().map(|name| {
            let bytes = self.ask("GET", &format!("/bucket/{name}"));
            (name.strip_prefix("out/").unwrap().to_owned(), bytes)
        });
        named.collect()
    }

    fn build(&self, crawl: &Path, spool: &Path) -> Command {
        let mut command = gleaner();
        command.arg("build").arg(crawl).args([
            "--out",
            "s3://bucket/out",
            "--part-size",
            "48KiB",
            "--chunk-size",
            "32",
        ]);
        self.reached_by(command, spool)
    }

    /// A command that reaches the server.
    fn reached_by(&self, mut command: Command, spool: &Path) -> Command {
        command.env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", self.0.port));
        command
            .env("AWS_ACCESS_KEY_ID", "a")
            .env("AWS_SECRET_ACCESS_KEY", "b");
        command.env("AWS_REGION", "us-east-1").env("TMPDIR", spool);
        command
    }
}

#[test]
fn a_corpus_in_a_bucket_changes_as_one_in_a_folder() {
    let Some(bucket) = Bucket::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (crawl, spool) = (crawl(folder.path()), folder.path().join("spool"));
    fs::create_dir(&spool).unwrap();
    let added = folder.path().join("added");
    fs::create_dir(&added).unwrap();
    fs::rename(crawl.join("1.warc.gz"), added.join("1.warc.gz")).unwrap();
    let local = folder.path().join("local");
    let [crawl, added, local] = [&crawl, &added, &local].map(|path| path.to_str().unwrap());
    for out in [local, "s3://bucket/out"] {
        for arguments in [
            vec!["build", crawl, "--out", out, "--chunk-size", "32"],
            vec!["add", out, added],
            vec!["remove", out, "--input", "2.warc.gz", "--reason", "x"],
            vec!["takedown", out, "--site", "s1.example", "--reason", "x"],
        ] {
            let mut command = gleaner();
            command.args(&arguments);
            let output = bucket.reached_by(command, &spool).output().unwrap();
            assert!(output.status.success(), "{arguments:?}: {}", said(&output));
        }
    }
    let is_receipt = |name: &String| name.starts_with("state/receipts/");
    let mut found = bucket.contents();
    found.retain(|name, _| !is_receipt(name));
    let mut expected = contents(Path::new(local));
    expected.retain(|name, _| !is_receipt(name));
    assert_eq!(
        found.keys().collect::<Vec<_>>(),
        expected.keys().collect::<Vec<_>>()
    );
    assert!(expected.iter().all(|(name, bytes)| found[name] == *bytes));
}

#[test]
fn a_build_into_a_bucket_goes_on_where_it_was_killed() {
    let Some(bucket) = Bucket::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (crawl, spool) = (crawl(folder.path()), folder.path().join("spool"));
    fs::create_dir(&spool).unwrap();
    let local = folder.path().join("local");
    let mut command = gleaner();
    command.arg("build").arg(&crawl).arg("--out").arg(&local).args([
        "--part-size",
        "48KiB",
        "--chunk-size",
        "32",
    ]);
    assert!(command.output().unwrap().status.success());
    let expected = contents(&local);

    for least in [[3, 0], [0, 1]] {
        let mut child = bucket
            .build(&crawl, &spool)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_for("entries", || bucket.has_done(least));
        if least[1] == 0 {
            let sentence = refusal(&bucket.build(&crawl, &spool).output().unwrap());
            let whose = format!("'s3://bucket/out' is being written by process {} on ", child.id());
            assert!(sentence.starts_with(&whose), "{sentence}");
            assert!(
                sentence.ends_with("if it is dead, remove 's3://bucket/out/gleaner.lock' and begin again")
            );
        }
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success(), "it was too quick");
    }
    let output = bucket.build(&crawl, &spool).output().unwrap();
    let told = said(&output);
    assert!(
        output.status.success() && told.starts_with("continues an interrupted build: "),
        "{told}"
    );

    let found = bucket.contents();
    assert_eq!(
        found.keys().collect::<Vec<_>>(),
        expected.keys().collect::<Vec<_>>()
    );
    assert!(expected.iter().all(|(name, bytes)| found[name] == *bytes));
    let left: Vec<PathBuf> = files(&spool);
    // Each of the two killed builds may have had a file of each of ten tables under way, and states of units.
    assert!(left.len() <= 24, "what killed builds were uploading: {left:?}");
}

#[test]
fn two_processes_build_into_a_bucket() {
    let Some(bucket) = Bucket::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (crawl, hosts) = (crawl(folder.path()), folder.path().join("hosts"));
    let local = folder.path().join("local");
    let mut command = gleaner();
    command.arg("build").arg(&crawl).arg("--out").arg(&local);
    let alone = command
        .args(["--part-size", "48KiB", "--chunk-size", "32"])
        .output()
        .unwrap();
    assert!(alone.status.success(), "{}", said(&alone));
    let expected = contents(&local);
    fs::write(&hosts, addresses(2).join("\n")).unwrap();
    // First the one is killed, then the other: what is staged is used by the process that gets it.
    for killed in [Some(0), Some(1), None] {
        let mut group = ["0", "1"].map(|process| {
            let mut command = bucket.build(&crawl, folder.path());
            command.arg("--hosts").arg(&hosts).args(["--process", process]);
            command.stderr(Stdio::piped()).spawn().unwrap()
        });
        if let Some(process) = killed {
            wait_for("entries", || bucket.has_done([[2, 0], [0, 2]][process]));
            group[process].kill().unwrap();
        }
        for (process, child) in group.into_iter().enumerate() {
            let output = child.wait_with_output().unwrap();
            let expected = match killed {
                None => Some(0),
                Some(killed) if killed == process => None,
                Some(_) => Some(2),
            };
            assert_eq!(output.status.code(), expected, "{}", said(&output));
        }
    }
    let found = bucket.contents();
    assert_eq!(
        found.keys().collect::<Vec<_>>(),
        expected.keys().collect::<Vec<_>>()
    );
    assert!(expected.iter().all(|(name, bytes)| found[name] == *bytes));
}
