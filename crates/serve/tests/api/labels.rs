//! Labels over HTTP beside those that the terminal saves.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use gleaner_annotate::{App, Key, Options, Session, SessionConfig};
use gleaner_serve::PagesToLabel;
use gleaner_testing::warc::Archive;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, model};

/// A page with blocks of many kinds.
fn html(title: &str) -> String {
    format!(
        "<title>{title}</title><nav><ul><li><a href=/>Home</a><li>About us</ul></nav><h1>{title}</h1>\
         <p>The harbour master has kept a diary of the tides\tsince the spring.<br>He still does.\
         <ul><li>High water at six<li>Low water at noon</ul><pre>06:00 high\n12:00 low</pre><p dir=rtl>יומן הגאות\
         <footer>Printed at the harbour \u{a9} 1980</footer>"
    )
}

struct Desk {
    _folder: TempDir,
    files: Vec<PathBuf>,
}

/// Two pages of an archive, a page in an old charset, and a file.
fn desk() -> Desk {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let archive = Archive::new()
        .page("http://tides.example/diary", html("A diary of the tides"))
        .page("http://tides.example/month", html("The month"))
        .response(
            "http://tides.example/old",
            "Content-Type: text/html\r\n",
            b"<meta charset=iso-8859-2><p>\xb1 old page".as_slice(),
        )
        .write(folder.path(), "tides.warc.gz");
    let file = folder.path().join("alone.html");
    fs::write(&file, html("Alone")).unwrap();
    Desk {
        _folder: folder,
        files: vec![archive, file],
    }
}

fn config(desk: &Desk, out: &Path) -> SessionConfig {
    SessionConfig {
        files: desk.files.clone(),
        out: out.to_owned(),
        page: None,
        uncertain_first: false,
        blind: false,
        model_name: "default".to_owned(),
        annotator: "jo".to_owned(),
    }
}

fn serve(desk: &Desk, annotations: Option<&Path>) -> Client {
    let pages = PagesToLabel {
        session: config(desk, annotations.unwrap_or(Path::new(""))),
        model: model(),
        annotations: annotations.map(Path::to_owned),
    };
    Client::start(None, Some(pages))
}

/// The annotation files of a folder, with their names.
fn files(folder: &Path) -> Vec<(String, String)> {
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = paths
        .map(|path| (name(&path), fs::read_to_string(&path).unwrap()))
        .collect();
    files.sort();
    files
}

/// What a key of the terminal decides about a block.
fn decided(key: char, block: &Value) -> Value {
    match key {
        'p' => json!("paragraph"),
        'h' => json!("header"),
        'l' => json!("list"),
        'c' => json!("continuation"),
        'o' => json!("other"),
        'a' => json!(format!("{} accepted", block["label"].as_str().unwrap())),
        _ => Value::Null,
    }
}

/// Labels the pages on the terminal: a line of keys for each, one for each block.
fn by_terminal(desk: &Desk, out: &Path, keys: &[&str]) {
    let session = Session::new(config(desk, out), &model(), &mut |_| {}).unwrap();
    let mut app = App::new(session, Options::default());
    for (number, keys) in keys.iter().enumerate() {
        if number > 0 {
            app.press(Key::Char(']'));
        }
        // (A page opens at the first block that is left.)
        app.press(Key::Char('g'));
        for key in keys.chars() {
            // A block that stays undecided is passed by.
            app.press(if key == '-' {
                Key::Char('j')
            } else {
                Key::Char(key)
            });
            app.save();
        }
    }
}

fn by_service(client: &Client, keys: &[&str]) {
    for (number, keys) in keys.iter().enumerate() {
        let path = format!("/api/pages/{number}");
        let page = client.get(&path);
        let blocks = page["blocks"].as_array().unwrap();
        let mut decisions = page["decisions"].as_array().unwrap().clone();
        let mut stamp = page["stamp"].clone();
        // Saved after each key, as on the terminal.
        for (block, key) in keys.chars().enumerate().filter(|(_, key)| *key != '-') {
            decisions[block] = decided(key, &blocks[block]);
            let answer = client.put(&path, &json!({ "decisions": decisions, "stamp": stamp }));
            assert_eq!(answer.status, 200, "{}", answer.json);
            stamp = answer.json["stamp"].clone();
        }
    }
}

#[test]
fn the_files_are_those_of_the_terminal() {
    let desk = desk();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let [terminal, service] = ["terminal", "service"].map(|name| folder.path().join(name));
    // (Both have the date of today: around midnight the test is done again.)
    let keys = ["oohpcaal", "-h-pa", "a", "aaaa"];
    for _ in 0..2 {
        by_terminal(&desk, &terminal, &keys);
        by_service(&serve(&desk, Some(&service)), &keys);
        if files(&terminal) == files(&service) {
            break;
        }
    }
    assert_eq!(files(&terminal).len(), 4);
    assert_eq!(files(&terminal), files(&service));
    // A file of before, with a comment and a field of its own, is kept as the terminal keeps it.
    for folder in [&terminal, &service] {
        for (name, text) in files(folder) {
            let text = text.replacen("annotator: jo\n", "annotator: kim\ntype: article\n", 1);
            fs::write(folder.join(name), format!("{text}# the end\n")).unwrap();
        }
    }
    by_terminal(&desk, &terminal, &["h", "-x"]);
    by_service(&serve(&desk, Some(&service)), &["h", "-x"]);
    assert_eq!(files(&terminal), files(&service));
    assert!(
        files(&service)
            .iter()
            .any(|(_, text)| text.contains("type: article\n") && text.ends_with("# the end\n"))
    );
}

#[test]
fn pages_are_listed_and_opened() {
    let desk = desk();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let client = serve(&desk, Some(folder.path()));
    let first = client.get("/api/pages?limit=3");
    assert_eq!((&first["total"], &first["next"]), (&json!(4), &json!("3")));
    assert_eq!(
        first["pages"][0],
        json!({"page": 0, "name": "http://tides.example/diary", "done": null, "blocks": null})
    );
    let rest = client.get("/api/pages?limit=3&cursor=3");
    assert_eq!(
        (rest["pages"].as_array().unwrap().len(), &rest["next"]),
        (1, &Value::Null)
    );
    assert_eq!(client.get("/api/pages?q=MONTH")["pages"][0]["page"], 1);
    let page = client.get("/api/pages/0");
    assert_eq!(page["url"], "http://tides.example/diary");
    assert_eq!(page["html"], html("A diary of the tides"));
    let blocks = page["blocks"].as_array().unwrap();
    assert_eq!(page["decisions"], json!(vec![Value::Null; blocks.len()]));
    assert!(blocks.iter().any(|block| block["next_line"] == true));
    for block in blocks {
        let [probability, uncertainty] =
            ["probability", "uncertainty"].map(|name| block[name].as_f64().unwrap());
        assert!((0.0..=1.0).contains(&probability) && (0.0..=1.0).contains(&uncertainty));
    }
    let mut decisions = vec![Value::Null; blocks.len()];
    decisions[1] = json!("other");
    let saved = client.put(
        "/api/pages/0",
        &json!({"decisions": decisions, "stamp": page["stamp"]}),
    );
    assert_eq!(
        (&saved.json["done"], &saved.json["blocks"]),
        (&json!(1), &json!(blocks.len()))
    );
    assert_eq!(client.get("/api/pages/0")["decisions"], json!(decisions));
    assert_eq!(client.get("/api/pages")["pages"][0]["done"], 1);
    assert_eq!(
        client.get("/api/pages/2")["html"],
        "<meta charset=iso-8859-2><p>ą old page"
    );
    let session = client.get("/api/session");
    assert_eq!(
        (&session["pages"], session["annotations"].as_str()),
        (&json!(4), folder.path().to_str())
    );
}

#[test]
fn of_two_tabs_the_second_is_refused_and_may_overwrite() {
    let desk = desk();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let client = serve(&desk, Some(folder.path()));
    let [one, other] = [client.get("/api/pages/0"), client.get("/api/pages/0")];
    let decisions = |label: &str| {
        let blocks = one["blocks"].as_array().unwrap().len();
        json!(vec![label; blocks])
    };
    let put = |page: &Value, label: &str, force: bool| {
        let body = json!({"decisions": decisions(label), "stamp": page["stamp"], "force": force});
        client.put("/api/pages/0", &body)
    };
    assert_eq!(put(&one, "paragraph", false).status, 200);
    // Another page is opened meanwhile.
    client.get("/api/pages/1");
    let refused = put(&other, "list", false);
    assert_eq!(refused.status, 409);
    assert!(
        refused.json["error"]
            .as_str()
            .unwrap()
            .contains("was changed since the page was opened")
    );
    assert_eq!(client.get("/api/pages/0")["decisions"], decisions("paragraph"));
    assert_eq!(put(&other, "list", true).status, 200);
    // Another program writes the file.
    let page = client.get("/api/pages/0");
    let (name, text) = files(folder.path()).remove(0);
    let path = folder.path().join(name);
    fs::write(&path, text.replacen("list", "header", 1)).unwrap();
    let later = SystemTime::now() + Duration::from_secs(10);
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(later)
        .unwrap();
    assert_eq!(put(&page, "other", false).status, 409);
    let page = client.get("/api/pages/0");
    assert_eq!(
        (&page["decisions"][0], &page["decisions"][1]),
        (&json!("header"), &json!("list"))
    );
    assert_eq!(put(&page, "other", false).status, 200);
}

/// As on the terminal: the page cannot be opened, and to overwrite the file is a decision.
#[test]
fn a_damaged_file_is_named_and_overwritten_by_force_alone() {
    let desk = desk();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let client = serve(&desk, Some(folder.path()));
    let page = client.get("/api/pages/0");
    let blocks = page["blocks"].as_array().unwrap().len();
    let decisions = json!(vec!["other"; blocks]);
    let put = |force: bool| {
        let body = json!({"decisions": decisions, "stamp": page["stamp"], "force": force});
        client.put("/api/pages/0", &body)
    };
    assert_eq!(put(false).status, 200);
    let (name, text) = files(folder.path()).remove(0);
    let path = folder.path().join(&name);
    let damaged = [
        text.replacen("other\t", "noise\t", 1).into_bytes(),
        b"\xff".to_vec(),
        Vec::new(),
    ];
    for damaged in damaged {
        fs::write(&path, &damaged).unwrap();
        // Another page is opened meanwhile.
        client.get("/api/pages/1");
        let mend = "; repair the file, or move it, or save with force to overwrite it";
        let said = client.refused("/api/pages/0", 409);
        assert!(said.contains(&name) && said.ends_with(mend), "{said}");
        let refused = put(false);
        assert_eq!(
            (refused.status, refused.json["error"].as_str()),
            (409, Some(&*said))
        );
        assert_eq!(fs::read(&path).unwrap(), damaged);
        let session = Session::new(config(&desk, folder.path()), &model(), &mut |_| {});
        let on_terminal = session.err().unwrap().to_string();
        assert_eq!(said, on_terminal + ", or save with force to overwrite it");
        assert_eq!(put(true).status, 200);
        assert_eq!(client.get("/api/pages/0")["decisions"], decisions);
        assert_eq!(files(folder.path()), [(name.clone(), text.clone())]);
    }
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let said = client.refused("/api/pages/0", 409);
    assert!(said.contains(&format!("{name} is a folder")), "{said}");
    for force in [false, true] {
        let refused = put(force);
        assert_eq!(
            (refused.status, refused.json["error"].as_str()),
            (409, Some(&*said))
        );
    }
    assert!(path.is_dir());
}

#[test]
fn what_is_no_decision_is_refused_and_nothing_is_saved() {
    let desk = desk();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let client = serve(&desk, Some(folder.path()));
    let page = client.get("/api/pages/3");
    let blocks = page["blocks"].as_array().unwrap().len();
    let refused = |path: &str, body: Value, status: u16, part: &str| {
        let answer = client.put(path, &body);
        assert_eq!(answer.status, status, "{body}: {}", answer.json);
        let sentence = answer.json["error"].as_str().unwrap();
        assert!(sentence.contains(part), "{sentence}");
    };
    let mut wrong = vec![Value::Null; blocks];
    wrong[2] = json!("heading");
    let stamp = &page["stamp"];
    refused(
        "/api/pages/3",
        json!({"decisions": wrong, "stamp": stamp}),
        400,
        "the decision about block 2 is 'heading'",
    );
    refused(
        "/api/pages/3",
        json!({"decisions": [null], "stamp": stamp}),
        400,
        "and not 1: give a decision for each block",
    );
    refused(
        "/api/pages/3",
        json!({"decisions": [], "stamp": "0-0"}),
        409,
        "was changed since",
    );
    refused("/api/pages/3", json!({"decisions": []}), 422, "stamp");
    refused(
        "/api/pages/4",
        json!({"decisions": [], "stamp": stamp}),
        404,
        "from 0 to 3",
    );
    for name in ["..%2Falone.html", "-1", "1e3", "99999999999999999999"] {
        assert!(
            client
                .refused(&format!("/api/pages/{name}"), 404)
                .starts_with("there is no page")
        );
    }
    assert!(
        client
            .refused("/api/pages?limit=0", 400)
            .contains("from 1 to 1000")
    );
    assert!(
        client
            .refused("/api/pages?cursor=x", 400)
            .contains("cursor is the value of next")
    );
    assert!(files(folder.path()).is_empty());
}

#[test]
fn without_a_folder_nothing_is_saved() {
    let desk = desk();
    let client = serve(&desk, None);
    let page = client.get("/api/pages/0");
    let body = json!({"decisions": page["decisions"], "stamp": page["stamp"], "force": true});
    let answer = client.put("/api/pages/0", &body);
    assert_eq!(answer.status, 403);
    assert!(
        answer.json["error"]
            .as_str()
            .unwrap()
            .contains("--annotations FOLDER")
    );
    assert_eq!(client.get("/api/session")["annotations"], Value::Null);
}
