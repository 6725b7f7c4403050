//! Azure, served by Azurite.

use std::process::Command;

use gleaner_testing::process::{Server, find};

use crate::stores;

/// The account and key that every Azurite has, as its documentation gives them.
const ACCOUNT: &str = "devstoreaccount1";
const KEY: &str = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

#[test]
fn a_container() {
    let folder = tempfile::tempdir().unwrap();
    let location = folder.path().to_str().unwrap().to_owned();
    let arguments = |port: u16| {
        let port = port.to_string();
        [
            "--blobHost",
            "127.0.0.1",
            "--blobPort",
            &port,
            "--location",
            &location,
            "--silent",
            "--skipApiVersionCheck",
        ]
        .map(str::to_owned)
        .to_vec()
    };
    let Some(python) = find("python3") else {
        eprintln!("skipped: python3, which creates the container, is not installed");
        return;
    };
    let Some(server) = Server::start("azurite-blob", arguments) else {
        return;
    };
    let endpoint = format!("http://127.0.0.1:{}/{ACCOUNT}", server.port);
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/servers/azure_container.py"
    );
    let created = Command::new(python)
        .args([script, &endpoint, ACCOUNT, KEY, "box"])
        .status()
        .unwrap();
    assert!(created.success());

    let env = |key| {
        let variables = [
            ("AZURE_STORAGE_ENDPOINT", endpoint.as_str()),
            ("AZURE_STORAGE_ACCOUNT_NAME", ACCOUNT),
        ];
        [&variables[..], &[("AZURE_STORAGE_ACCOUNT_KEY", key)]].concat()
    };
    stores::exercise(&stores::store(&env(KEY)), "az://box");
    stores::exercise_missing(&stores::store(&env(KEY)), "az://none");
    let stranger = stores::store(&env("c3RyYW5nZXI="));
    let error = stranger
        .expand(&["az://box/x.warc".to_owned()], None)
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("no access to 'az://box/x.warc': set AZURE_STORAGE_ACCOUNT_NAME"),
        "{error}"
    );
}
