//! S3, served by moto.

use std::io::{Read, Write};
use std::net::TcpStream;

use gleaner_testing::process::Server;

use crate::stores;

/// The S3 client has no call for it.
fn create_bucket(port: u16, bucket: &str) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(
        stream,
        "PUT /{bucket} HTTP/1.0\r\nhost: 127.0.0.1\r\ncontent-length: 0\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("200"), "{answer}");
}

#[test]
fn a_bucket() {
    let arguments = |port: u16| {
        ["-H", "127.0.0.1", "-p", &port.to_string()]
            .map(str::to_owned)
            .to_vec()
    };
    let Some(server) = Server::start("moto_server", arguments) else {
        return;
    };
    create_bucket(server.port, "bucket");
    let url = format!("http://127.0.0.1:{}", server.port);
    let env = [
        ("AWS_ENDPOINT_URL", url.as_str()),
        ("AWS_ACCESS_KEY_ID", "a"),
        ("AWS_SECRET_ACCESS_KEY", "b"),
    ];
    stores::exercise(
        &stores::store(&[&env[..], &[("AWS_REGION", "us-east-1")]].concat()),
        "s3://bucket",
    );
    stores::exercise_missing(&stores::store(&env), "s3://none");
}

#[test]
fn without_credentials_the_mend_is_said() {
    let env = [
        ("AWS_METADATA_ENDPOINT", "http://127.0.0.1:9"),
        ("AWS_REGION", "us-east-1"),
    ];
    let store = stores::store(&env);
    let error = store
        .expand(&["s3://bucket/x.warc".to_owned()], None)
        .unwrap_err()
        .to_string();
    let expected = "no access to 's3://bucket/x.warc': set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION, or AWS_SKIP_SIGNATURE=true for a public bucket; the store said: there are no credentials";
    assert!(error.starts_with(expected), "{error}");
    let error = store
        .output("s3://bucket/out")
        .unwrap()
        .top()
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("no access to 's3://bucket/out': set AWS_ACCESS_KEY_ID"),
        "{error}"
    );
}
