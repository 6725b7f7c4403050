//! Local paths, patterns, folders and lists.

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use gleaner_store::{Kind, Options, Store};

/// A tree of empty files, and what inputs stand for in it.
struct Tree {
    root: tempfile::TempDir,
    store: Store,
}

impl Tree {
    fn new(files: &[&str]) -> Tree {
        let tree = Tree {
            root: tempfile::tempdir().unwrap(),
            store: Store::new(Options::default()).unwrap(),
        };
        for file in files {
            tree.write(file, b"");
        }
        tree
    }

    fn write(&self, file: &str, bytes: &[u8]) {
        let path = self.root.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    fn path(&self) -> &str {
        self.root.path().to_str().unwrap()
    }

    /// What is said about inputs below the root, the root left out.
    #[cfg(unix)]
    fn notes(&self, inputs: &[&str]) -> Vec<String> {
        let root = self.path();
        let place = |input: &&str| match input.strip_prefix("./") {
            Some(input) => format!("{root}/./{input}"),
            None => format!("{root}/{input}"),
        };
        let inputs: Vec<String> = inputs.iter().map(place).collect();
        let notes = self.store.expand(&inputs, None).unwrap().notes;
        let short = |note: &gleaner_store::Note| note.to_string().replace(&format!("{root}/"), "");
        notes.iter().map(short).collect()
    }

    /// Where the files are that inputs below the root stand for, or the error, the root left out.
    fn expand(&self, inputs: &[&str]) -> Result<Vec<String>, String> {
        let root = self.path();
        let input = |input: &&str| match input.strip_prefix('@') {
            Some(list) => format!("@{root}/{list}"),
            None => format!("{root}/{input}"),
        };
        let inputs: Vec<String> = inputs.iter().map(input).collect();
        let short = |text: String| text.replace(&format!("{root}/"), "").replace(root, ".");
        match self.store.expand(&inputs, None) {
            Ok(found) => {
                let locations = found.shards.into_iter().map(|shard| short(shard.location));
                let mut locations: Vec<_> = locations.collect();
                locations.sort();
                Ok(locations)
            }
            Err(error) => Err(short(error.to_string())),
        }
    }
}

#[test]
fn folders_are_searched_through() {
    let tree = Tree::new(&[
        "b.warc.gz",
        "a.arc",
        "sub/c.wet.gz",
        "sub/d.html",
        "sub/e.txt",
        "sub/f.warc.zst.md5",
    ]);
    let all = ["a.arc", "b.warc.gz", "sub/c.wet.gz", "sub/d.html"];
    assert_eq!(tree.expand(&[""]).unwrap(), all);
    assert_eq!(tree.expand(&["sub", "", "a.arc"]).unwrap(), all);
    let shards = tree.store.expand(&[tree.path().to_owned()], None).unwrap().shards;
    assert_eq!(
        shards.iter().map(|shard| shard.kind).collect::<Vec<_>>()[2..],
        [Kind::Archive, Kind::Html]
    );
}

#[test]
fn patterns_match_as_in_a_shell() {
    let tree = Tree::new(&[
        "a1.warc",
        "a2.warc",
        "a[1].warc",
        ".hidden.warc",
        "x/a3.warc",
        "x/y/a4.warc",
        "x/n.txt",
    ]);
    assert_eq!(tree.expand(&["a?.warc"]).unwrap(), ["a1.warc", "a2.warc"]);
    assert_eq!(
        tree.expand(&["*.warc"]).unwrap(),
        ["a1.warc", "a2.warc", "a[1].warc"]
    );
    assert_eq!(tree.expand(&["a[12].warc"]).unwrap(), ["a1.warc", "a2.warc"]);
    assert_eq!(
        tree.expand(&["a[1].warc"]).unwrap(),
        ["a[1].warc"],
        "a name that exists is that name"
    );
    assert_eq!(
        tree.expand(&["**/a[34].warc"]).unwrap(),
        ["x/a3.warc", "x/y/a4.warc"]
    );
    assert_eq!(
        tree.expand(&["x/*"]).unwrap(),
        ["x/a3.warc", "x/n.txt", "x/y/a4.warc"]
    );
}

#[cfg(unix)]
#[test]
fn names_in_no_charset_and_pipes_are_in_nobodys_way() {
    use std::os::unix::ffi::OsStrExt;
    let tree = Tree::new(&["a.warc", "x/b.warc"]);
    let odd = tree.root.path().join(std::ffi::OsStr::from_bytes(b"x/odd\xff"));
    std::fs::write(odd, "").unwrap();
    let pipe = tree.root.path().join("pipe.warc");
    let made = std::process::Command::new("mkfifo").arg(pipe).status().unwrap();
    assert!(made.success());
    assert_eq!(tree.expand(&["**/[ab].warc"]).unwrap(), ["a.warc", "x/b.warc"]);
    assert_eq!(tree.expand(&["x/*.warc"]).unwrap(), ["x/b.warc"]);
    assert_eq!(tree.expand(&[""]).unwrap(), ["a.warc", "x/b.warc"]);
    assert_eq!(tree.expand(&["x/*"]).unwrap(), ["file://x/odd%FF", "x/b.warc"]);
}

#[test]
fn errors_name_the_input_and_the_mend() {
    let tree = Tree::new(&["sub/notes.txt"]);
    tree.write("empty.list", b"# nothing\n\n");
    tree.write("bad.list", b"\xff\xfea\0\n\0");
    tree.write("broken.gz", b"\x1f\x8b\x08\x00rest");
    tree.write("lines.list", b"# two\nsub/notes.txt\nsub/none.warc\n");
    let said = |input: &str| tree.expand(&[input]).unwrap_err();
    assert_eq!(said("crawl/*.warc.gz"), "no input matches 'crawl/*.warc.gz'");
    assert_eq!(said("none.warc"), "no such file or folder: 'none.warc'");
    assert_eq!(
        said("sub"),
        "no archive (.warc, .arc, .wet, .wacz) and no HTML file (.html, .htm, .xhtml) in folder 'sub'"
    );
    assert!(
        said("a***b").starts_with("bad pattern 'a***b': wildcards are either regular `*` or recursive `**`")
    );
    assert_eq!(said("@empty.list"), "the list '@empty.list' names no inputs");
    assert_eq!(
        said("@bad.list"),
        "cannot read the list '@bad.list': byte 0 is not UTF-8 text: save the list as UTF-8"
    );
    assert!(said("@broken.gz").starts_with("cannot read the list '@broken.gz': gzip: "));
    assert_eq!(said("@none.list"), "no such file or folder: 'none.list'");
    assert_eq!(
        said("@lines.list"),
        "'@lines.list' line 3: no such file or folder: 'sub/none.warc' (relative lines are resolved against '.', or against --base-url)"
    );
    let nothing = tree.store.expand(&[], None).unwrap_err().to_string();
    assert_eq!(
        nothing,
        "no inputs given: name files, folders, patterns, URLs or @list files"
    );
}

#[test]
fn lists_are_resolved_against_their_folder_or_the_base() {
    let tree = Tree::new(&["lists/a.warc", "other/a.warc", "other/b.warc"]);
    let absolute = format!("a.warc\n{}/other/*.warc\n", tree.path());
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(absolute.as_bytes()).unwrap();
    tree.write("lists/paths.gz", &gzip.finish().unwrap());
    assert_eq!(
        tree.expand(&["@lists/paths.gz"]).unwrap(),
        ["lists/a.warc", "other/a.warc", "other/b.warc"]
    );
    let base = Path::new(tree.path()).join("other");
    let list = format!("@{}/lists/paths.gz", tree.path());
    let shards = tree.store.expand(&[list], base.to_str()).unwrap().shards;
    assert!(
        shards.iter().all(|shard| shard.location.contains("/other/")),
        "{shards:?}"
    );
}

#[test]
fn files_are_named_or_found() {
    let tree = Tree::new(&["a.warc", "b[1].warc", "sub/c.warc"]);
    tree.write("list", b"a.warc\nsub\n");
    let named = |inputs: &[&str]| {
        let inputs: Vec<String> = inputs
            .iter()
            .map(|input| input.replace("ROOT", tree.path()))
            .collect();
        let shards = tree.store.expand(&inputs, None).unwrap().shards;
        shards.into_iter().map(|shard| shard.named).collect::<Vec<_>>()
    };
    assert_eq!(named(&["ROOT/a.warc", "ROOT/b[1].warc"]), [true, true]);
    assert_eq!(named(&["ROOT"]), [false, false, false]);
    assert_eq!(named(&["ROOT/*.warc"]), [false, false]);
    assert_eq!(named(&["@ROOT/list"]), [false, false]);
    // In whatever order it was said.
    assert_eq!(named(&["ROOT", "ROOT/a.warc"]), [true, false, false]);
    assert_eq!(
        named(&["ROOT/sub/../a.warc", "ROOT", "@ROOT/list"]),
        [true, false, false]
    );
}

#[cfg(unix)]
#[test]
fn links_are_followed_once() {
    let tree = Tree::new(&["a/x.warc"]);
    let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, tree.root.path().join(at)).unwrap();
    link("..", "a/up");
    link("x.warc", "a/y.warc");
    assert_eq!(tree.expand(&["a"]).unwrap().len(), 1);
    let said = tree.notes(&["a"]);
    assert_eq!(
        said,
        [
            "'a/y.warc' is the same file as 'a/x.warc': it is read once",
            "'a/up/a' is the same folder as 'a': it is read once",
        ]
    );
}

#[cfg(unix)]
#[test]
fn a_second_name_is_told() {
    let tree = Tree::new(&["a/x.warc", "a/2024/y.warc"]);
    std::os::unix::fs::symlink("2024", tree.root.path().join("a/0latest")).unwrap();
    assert_eq!(
        tree.expand(&["a"]).unwrap(),
        ["a/2024/y.warc", "a/x.warc"],
        "not by the names of links"
    );
    assert_eq!(
        tree.notes(&["a"]),
        ["'a/0latest' is the same folder as 'a/2024': it is read once"]
    );
    assert_eq!(
        tree.notes(&["a/x.warc", "./a/x.warc"]),
        ["'a/x.warc' is the same file as './a/x.warc': it is read once"]
    );
    assert_eq!(
        tree.notes(&["a/*/*.warc"]),
        ["'a/2024/y.warc' is the same file as 'a/0latest/y.warc': it is read once"]
    );
    for twice in [
        ["a/x.warc", "a/x.warc"],
        ["a/*.warc", "a/[x].warc"],
        ["a/x.warc", "a/*.warc"],
    ] {
        assert_eq!(tree.notes(&twice), [""; 0], "{twice:?}");
        assert_eq!(tree.expand(&twice).unwrap(), ["a/x.warc"]);
    }
}

/// Whether they lead to nothing, below a file, or to each other.
#[cfg(unix)]
#[test]
fn links_that_lead_nowhere_are_left_out_unless_they_are_named() {
    let tree = Tree::new(&["a/x.warc", "a/deep/y.html", "only/notes.txt"]);
    let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, tree.root.path().join(at)).unwrap();
    link("none.warc", "a/gone.warc");
    link("none", "a/deep/folder");
    link("../x.warc/z", "a/deep/below.html");
    link("loop.warc", "a/loop.warc");
    link("none.html", "only/gone.html");
    tree.write("list", b"a\na/x.warc\n");
    tree.write("named.list", b"a/x.warc\na/gone.warc\n");
    let nowhere = |links: &[&str]| -> Vec<String> {
        let said = |link: &&str| format!("'{link}' is a link that leads nowhere: it is left out");
        links.iter().map(said).collect()
    };
    assert_eq!(tree.expand(&["a"]).unwrap(), ["a/deep/y.html", "a/x.warc"]);
    let all = ["a/deep/below.html", "a/deep/folder", "a/gone.warc", "a/loop.warc"];
    assert_eq!(tree.notes(&["a"]), nowhere(&all));
    // The same by patterns, and each once.
    for pattern in ["a/*", "a/**/*"] {
        assert_eq!(
            tree.expand(&[pattern, "a"]).unwrap(),
            ["a/deep/y.html", "a/x.warc"]
        );
        assert_eq!(tree.notes(&[pattern, "a"]), nowhere(&all), "{pattern}");
    }
    assert_eq!(
        tree.notes(&["a/*.warc"]),
        nowhere(&["a/gone.warc", "a/loop.warc"])
    );
    assert_eq!(tree.expand(&["@list"]).unwrap(), ["a/deep/y.html", "a/x.warc"]);
    let said = |input: &str| tree.expand(&[input]).unwrap_err();
    let gone = "no such file or folder: 'a/gone.warc' (it is a link that leads nowhere)";
    assert_eq!(said("a/gone.warc"), gone);
    assert_eq!(said("@named.list"), format!("'@named.list' line 2: {gone}"));
    assert!(said("a/loop.warc").starts_with("could not read 'a/loop.warc': "));
    for input in ["only", "only/*.html"] {
        assert_eq!(
            said(input),
            format!("nothing to read in '{input}': 'only/gone.html' is a link that leads nowhere")
        );
    }
}

/// What is beside it is read if a later run may find it.
#[cfg(unix)]
#[test]
fn a_folder_out_of_reach_is_the_only_one_that_is_missing() {
    use std::os::unix::fs::PermissionsExt;
    let tree = Tree::new(&["in/a.warc", "in/locked/b.warc", "in/other/c.html"]);
    tree.write("list", b"in\n");
    let locked = tree.root.path().join("in/locked");
    let allow = |mode| std::fs::set_permissions(&locked, PermissionsExt::from_mode(mode)).unwrap();
    allow(0o000);
    if std::fs::read_dir(&locked).is_ok() {
        return println!("skipped: this user can read every folder");
    }
    let root = tree.path();
    for (input, line) in [
        (format!("{root}/in"), String::new()),
        (format!("{root}/in/**/*"), String::new()),
        (format!("@{root}/list"), format!("'@{root}/list' line 1: ")),
    ] {
        let inputs = [input];
        let found = tree.store.expand_listed(&inputs, None).unwrap();
        let names: Vec<_> = found.shards.iter().map(|shard| &*shard.name).collect();
        assert!(
            names[0].ends_with("a.warc") && names[1].ends_with("other/c.html"),
            "{names:?}"
        );
        assert_eq!(names.len(), 2);
        let said = format!("{line}could not read '{root}/in/locked': ");
        let missing: Vec<String> = found.unlisted.iter().map(ToString::to_string).collect();
        assert!(missing.len() == 1 && missing[0].starts_with(&said), "{missing:?}");
        assert!(tree.store.expand(&inputs, None).is_err());
    }
    allow(0o755);
}

#[test]
fn file_urls_are_paths() {
    let tree = Tree::new(&["a b/x.warc", "a b/y.warc", "a b/z*.warc", "deep/er/w.warc"]);
    let root = tree.path().to_owned();
    tree.write("list", format!("file://{root}/deep/**/*.warc\n").as_bytes());
    tree.write("odd/q?r#s.warc", b"");
    let cases: [(&str, &[&str]); 9] = [
        ("a%20b/*.warc", &["a b/x.warc", "a b/y.warc", "a b/z*.warc"]),
        ("a b/[xy].warc", &["a b/x.warc", "a b/y.warc"]),
        ("a%20b/?.warc", &["a b/x.warc", "a b/y.warc"]),
        ("**/[w].warc", &["deep/er/w.warc"]),
        ("a%20b", &["a b/x.warc", "a b/y.warc", "a b/z*.warc"]),
        ("a%20b/z%2A.w?rc", &["a b/z*.warc"]),
        ("odd/*r#s.warc", &["odd/q?r#s.warc"]),
        ("a b/x.warc", &["file://a b/x.warc"]),
        ("odd/q?r#s.warc", &["file://odd/q?r#s.warc"]),
    ];
    for (input, expected) in cases {
        for host in ["", "localhost"] {
            let found = tree.store.expand(&[format!("file://{host}{root}/{input}")], None);
            let found = found.unwrap_or_else(|error| panic!("{input}: {error}")).shards;
            let names: Vec<_> = found
                .into_iter()
                .map(|shard| shard.location.replace(host, "").replace(&format!("{root}/"), ""))
                .collect();
            assert_eq!(names, expected, "{input}");
        }
    }
    let list = tree
        .store
        .expand(&[format!("@file://{root}/list")], None)
        .unwrap()
        .shards;
    assert_eq!(list.len(), 1);
    let said = |input: &str| {
        let error = tree
            .store
            .expand(&[format!("file://{root}/{input}")], None)
            .unwrap_err();
        error.to_string().replace(&root, "")
    };
    assert_eq!(said("none*.warc"), "no input matches 'file:///none*.warc'");
    assert_eq!(
        said("none%2A.warc"),
        "no such file or folder: 'file:///none%2A.warc'"
    );
}

#[cfg(unix)]
#[test]
fn what_is_in_no_charset_is_read_under_its_url() {
    use std::os::unix::ffi::OsStrExt;
    let tree = Tree::new(&["a.warc"]);
    let path = |name: &[u8]| tree.root.path().join(std::ffi::OsStr::from_bytes(name));
    std::fs::create_dir_all(path(b"caf\xe9/deep")).unwrap();
    std::fs::write(path(b"\xff.warc"), b"first").unwrap();
    std::fs::write(path(b"caf\xe9/deep/b c.html"), b"second").unwrap();
    std::fs::write(path(b"caf\xe9/\xe9.warc.gz"), b"third").unwrap();
    let all = [
        "a.warc",
        "file://%FF.warc",
        "file://caf%E9/%E9.warc.gz",
        "file://caf%E9/deep/b%20c.html",
    ];
    assert_eq!(tree.expand(&[""]).unwrap(), all);
    assert_eq!(tree.expand(&["**/*.warc", "caf*/"]).unwrap(), all);
    assert_eq!(tree.expand(&["caf?/deep/*"]).unwrap(), all[3..]);
    let shards = tree.store.expand(&[tree.path().to_owned()], None).unwrap().shards;
    let read = |shard: &gleaner_store::Shard| {
        let mut stream = tree.store.open(shard, 0, None).unwrap();
        stream.wait().unwrap().unwrap_or_default()
    };
    assert_eq!(
        shards.iter().map(read).collect::<Vec<_>>(),
        ["first", "", "third", "second"]
    );
    // A location is an input that means the same file.
    for shard in &shards {
        let again = tree
            .store
            .expand(std::slice::from_ref(&shard.location), None)
            .unwrap()
            .shards;
        assert_eq!(again[0].place, shard.place);
    }
    let url = format!("file://{}/caf%E9", tree.path());
    for (input, count) in [
        (url.clone(), 2),
        (format!("{url}/*.gz"), 1),
        (format!("{url}/d*p/*"), 1),
    ] {
        assert_eq!(tree.store.expand(&[input], None).unwrap().shards.len(), count);
    }
    tree.write("odd.list", b"a.warc\r\ncaf\xe9/\xe9.warc.gz\r\n\xff.warc");
    assert_eq!(tree.expand(&["@odd.list"]).unwrap(), all[..3]);
    std::fs::write(path(b"caf\xe9/list"), b"../a.warc\ndeep").unwrap();
    let found = tree.store.expand(&[format!("@{url}/list")], None).unwrap().shards;
    assert_eq!(found.len(), 2);
}

#[test]
fn lists_begin_with_a_mark_and_have_any_ends_of_lines() {
    let tree = Tree::new(&["a.warc", "b.warc"]);
    tree.write("list", b"\xef\xbb\xbfa.warc\r\n# none\r\n\r\n  b.warc\r\n");
    assert_eq!(tree.expand(&["@list"]).unwrap(), ["a.warc", "b.warc"]);
}

#[cfg(unix)]
#[test]
fn lines_from_a_pipe_are_relative_to_the_working_folder() {
    use std::os::fd::AsRawFd;
    let tree = Tree::new(&["lists/none"]);
    let here = ["Cargo.toml", "src/lib.rs"];
    let names = |list: String| {
        let found = tree
            .store
            .expand(&[list], None)
            .map_err(|error| error.to_string())?;
        Ok::<_, String>(
            found
                .shards
                .into_iter()
                .map(|shard| shard.location)
                .collect::<Vec<_>>(),
        )
    };
    let pipe = tree.root.path().join("lists/pipe");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let writer = pipe.clone();
    let writing = std::thread::spawn(move || std::fs::write(writer, "Cargo.toml\nsrc/lib.rs\n").unwrap());
    assert_eq!(names(format!("@{}", pipe.display())).unwrap(), here);
    writing.join().unwrap();
    // An open file is where it was opened, as in `@/dev/stdin < list`.
    tree.write("lists/file", b"src/lib.rs\nCargo.toml");
    let file = std::fs::File::open(tree.root.path().join("lists/file")).unwrap();
    for folder in ["/dev/fd", "/proc/self/fd"] {
        assert_eq!(
            names(format!("@{folder}/{}", file.as_raw_fd())).unwrap(),
            here,
            "{folder}"
        );
    }
    assert!(
        tree.expand(&["@lists/file"])
            .unwrap_err()
            .contains("lists/src/lib.rs")
    );
}

#[cfg(unix)]
#[test]
fn what_is_written_meanwhile_is_not_found() {
    let tree = Tree::new(&[
        "in/a.warc",
        "in/out/b.html",
        "in/out/deep/c.html",
        "in/all.html",
        "in/x/d.warc",
    ]);
    std::os::unix::fs::symlink("in/out", tree.root.path().join("link")).unwrap();
    let root = tree.path().to_owned();
    let written = |paths: &[&str], inputs: &[&str]| {
        let store = Store::new(Options {
            written: paths.iter().map(|path| tree.root.path().join(path)).collect(),
            ..Options::default()
        });
        let inputs: Vec<String> = inputs.iter().map(|input| format!("{root}/{input}")).collect();
        let found = store.unwrap().expand(&inputs, None).unwrap().shards;
        let short = |shard: gleaner_store::Shard| shard.location.replace(&format!("{root}/"), "");
        found.into_iter().map(short).collect::<Vec<_>>()
    };
    let all = ["in/a.warc", "in/all.html", "in/x/d.warc"];
    for out in ["in/out", "in/x/../out", "in/out/", "link"] {
        for input in ["in", "in/../in/", "in/**/*.*", "in/*"] {
            let found = written(&[out], &[input]);
            let found: Vec<_> = found
                .iter()
                .map(|name| name.replace("in/../in/", "in/"))
                .collect();
            assert_eq!(found, all, "{out}, {input}");
        }
    }
    assert_eq!(
        written(&["in/out", "in/all.html"], &["in"]),
        ["in/a.warc", "in/x/d.warc"]
    );
    assert_eq!(written(&["in/none"], &["in"]).len(), 5);
    // What is named is read, and so is what is below a folder that only lies in what is written.
    assert_eq!(written(&["in/out"], &["in/out/b.html"]), ["in/out/b.html"]);
    assert_eq!(written(&["in/out"], &["in/out"]).len(), 2);
    assert_eq!(written(&["in"], &["in/x/*"]), ["in/x/d.warc"]);
    assert_eq!(written(&["in"], &["in"]).len(), 5);
}

#[test]
fn outputs_leave_nothing_unless_finished() {
    let tree = Tree::new(&[]);
    let output = tree.store.output(&format!("{}/out", tree.path())).unwrap();
    let mut upload = output.create("t/x").unwrap();
    upload.write_all(b"half").unwrap();
    let listed: Vec<_> = output
        .list("")
        .unwrap()
        .into_iter()
        .map(|entry| entry.name)
        .collect();
    assert_eq!(listed, ["t/.x.partial"]);
    drop(upload);
    assert_eq!(output.list("").unwrap(), []);

    let mut upload = output.create("t/x").unwrap();
    upload.write_all(b"whole").unwrap();
    upload.finish().unwrap().wait().unwrap();
    assert_eq!(output.get("t/x").unwrap().unwrap(), "whole");

    std::mem::forget(output.create("t/killed").unwrap());
    let partial: Vec<_> = output
        .list("t")
        .unwrap()
        .into_iter()
        .map(|entry| gleaner_store::Output::is_partial(&entry.name))
        .collect();
    assert_eq!(partial, [true, false]);

    assert!(output.put_new("m", b"1").unwrap());
    assert!(!output.put_new("m", b"2").unwrap());
    assert_eq!(output.get("m").unwrap().unwrap(), "1");
}

/// Files of other processes get their names, and partial ones go, at any moment of a listing.
#[test]
fn what_others_write_meanwhile_is_listed_or_not() {
    let tree = Tree::new(&[]);
    let output = tree.store.output(&format!("{}/out", tree.path())).unwrap();
    output.put("t/there", b"").unwrap();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Relaxed) {
                (0..20).for_each(|_| drop(output.create("t/x").unwrap()));
                let names = ["t/y/a", "t/y/b"];
                names.iter().for_each(|name| output.put(name, b"").unwrap());
                output.remove("t/y").unwrap();
            }
        });
        let listed: Vec<_> = (0..3000).map(|_| output.list("")).collect();
        is_done.store(true, Relaxed);
        for listed in listed {
            assert!(listed.unwrap().iter().any(|entry| entry.name == "t/there"));
        }
    });
}

#[cfg(unix)]
#[test]
fn outputs_are_readable_by_all() {
    use std::os::unix::fs::PermissionsExt;
    let tree = Tree::new(&[]);
    let output = tree.store.output(&format!("{}/out", tree.path())).unwrap();
    output.put("a", b"").unwrap();
    output.put_new("b", b"").unwrap();
    let modes = ["a", "b"].map(|name| {
        let meta = std::fs::metadata(tree.root.path().join("out").join(name)).unwrap();
        meta.permissions().mode() & 0o777
    });
    assert_eq!(modes[0], modes[1]);
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_to_its_end() {
    let tree = Tree::new(&[]);
    let path = tree.root.path().join("pipe");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
    let shard = tree
        .store
        .expand(&[path.to_str().unwrap().to_owned()], None)
        .unwrap()
        .shards
        .remove(0);
    assert_eq!((shard.size, shard.version.clone()), (None, None));
    let writer = std::thread::spawn(move || std::fs::write(path, b"0123456789"));
    let mut stream = tree.store.open(&shard, 4, None).unwrap();
    assert_eq!(stream.wait().unwrap().unwrap(), "456789");
    assert_eq!(stream.wait().unwrap(), None);
    writer.join().unwrap().unwrap();
}

#[test]
fn handles_can_be_shared_and_streams_sent() {
    fn shared<T: Send + Sync + Clone>() {}
    fn sent<T: Send>() {}
    shared::<Store>();
    shared::<gleaner_store::Output>();
    sent::<gleaner_store::Stream>();
    sent::<gleaner_store::Upload>();
    sent::<gleaner_store::Commit>();
}
