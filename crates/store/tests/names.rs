//! What files are called in the tables: the same wherever they are, and however they are named.

use std::path::{Path, PathBuf};

use gleaner_store::{Error, Options, Shard, Store, check_names};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[&str]) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        files.iter().for_each(|file| folder.write(file, ""));
        folder
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.path(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    /// What inputs are expanded to; `DIR` stands for the folder.
    fn expand(&self, inputs: &[&str], base: Option<&str>) -> Vec<Shard> {
        let whole = |input: &str| input.replace("DIR", self.0.path().to_str().unwrap());
        let inputs: Vec<String> = inputs.iter().map(|input| whole(input)).collect();
        let store = Store::new(Options::default()).unwrap();
        store
            .expand(&inputs, base.map(whole).as_deref())
            .unwrap_or_else(|error| panic!("{inputs:?}: {error}"))
            .shards
    }

    fn names(&self, inputs: &[&str]) -> Vec<String> {
        let shards = self.expand(inputs, None).into_iter();
        shards.map(|shard| shard.name).collect()
    }

    fn clash(&self, inputs: &[&str]) -> String {
        let shards = self.expand(inputs, None);
        let found = gleaner_store::Expanded {
            shards,
            ..Default::default()
        };
        let error: Error = check_names(&found.shards).unwrap_err();
        error.to_string().replace(self.0.path().to_str().unwrap(), "DIR")
    }
}

#[test]
fn names_begin_below_the_input() {
    let folder = Folder::new(&["crawl/2024-01/x.warc.gz", "crawl/2024-02/deep/y.warc.gz"]);
    let below = ["2024-01/x.warc.gz", "2024-02/deep/y.warc.gz"];
    for all in [
        "DIR/crawl",
        "DIR/crawl/",
        "DIR/./crawl",
        "DIR/crawl/2024-01/..",
        "DIR/crawl/*",
        "DIR/crawl/2024-*",
        "DIR/crawl/**/*.warc.gz",
        "DIR/crawl/[2]024*/",
        "file://DIR/crawl",
        "file://DIR/crawl/2024*",
    ] {
        assert_eq!(folder.names(&[all]), below, "{all}");
    }
    for one in [
        "DIR/crawl/2024-01",
        "DIR/crawl/2024-01/*.warc.gz",
        "DIR/crawl/2024-01/x.warc.gz",
        "file://DIR/crawl/2024-01/x.warc.gz",
    ] {
        assert_eq!(folder.names(&[one]), ["x.warc.gz"], "{one}");
    }
    assert_eq!(folder.names(&["DIR/*"])[0], "crawl/2024-01/x.warc.gz");
    assert_eq!(folder.names(&["DIR/*/2024-01"]), ["crawl/2024-01/x.warc.gz"]);
}

#[cfg(unix)]
#[test]
fn a_linked_folder_gives_the_same_names() {
    let folder = Folder::new(&["crawl/a/x.warc"]);
    std::os::unix::fs::symlink("crawl", folder.path("link")).unwrap();
    for input in ["DIR/link", "DIR/link/", "DIR/link/*", "DIR/link/**/*.warc"] {
        assert_eq!(folder.names(&[input]), ["a/x.warc"], "{input}");
    }
    // Once, and under one name, in whatever order they are named.
    for inputs in [
        ["DIR/link", "DIR/crawl/a/x.warc"],
        ["DIR/crawl/a/x.warc", "DIR/link"],
    ] {
        assert_eq!(folder.names(&inputs), ["a/x.warc"]);
    }
}

/// Relative paths are those of the working folder, which is that of the crate.
#[test]
fn relative_and_absolute_paths_give_the_same_names() {
    let here = std::env::current_dir().unwrap();
    let store = Store::new(Options::default()).unwrap();
    let names = |input: &str| {
        let shards = store
            .expand(&[input.to_owned()], None)
            .unwrap()
            .shards
            .into_iter();
        shards.map(|shard| shard.name).collect::<Vec<_>>()
    };
    for input in ["src/s*.rs", "src/**/u*.rs", "Cargo.toml"] {
        let whole = here.join(input).to_str().unwrap().to_owned();
        let dotted = format!("./{input}");
        assert_eq!(names(input), names(&whole), "{input}");
        assert_eq!(names(input), names(&dotted), "{input}");
    }
    assert_eq!(names("src/sto*.rs"), ["store.rs"]);
    assert_eq!(names("s*/sto*.rs"), ["src/store.rs"]);
    assert_eq!(names("Cargo.toml"), ["Cargo.toml"]);
}

#[test]
fn lines_of_a_list_are_names_as_they_stand() {
    let folder = Folder::new(&["crawl/2024-01/x.warc", "crawl/2024-02/x.warc", "other/y.warc"]);
    let lines = "2024-01/x.warc\n./2024-02\n";
    folder.write("crawl/list", lines);
    folder.write("elsewhere/list", lines);
    let names = ["2024-01/x.warc", "2024-02/x.warc"];
    assert_eq!(folder.names(&["@DIR/crawl/list"]), names);
    let based = folder.expand(&["@DIR/elsewhere/list"], Some("DIR/crawl/"));
    assert_eq!(based.iter().map(|shard| &*shard.name).collect::<Vec<_>>(), names);
    folder.write("crawl/patterns", "2024-0[12]/*.warc\n../other\n");
    assert_eq!(
        folder.names(&["@DIR/crawl/patterns"]),
        ["../other/y.warc", "2024-01/x.warc", "2024-02/x.warc"]
    );
    let whole = folder.path("other").to_str().unwrap().to_owned();
    folder.write("crawl/whole", &whole);
    assert_eq!(folder.names(&["@DIR/crawl/whole"]), [format!("{whole}/y.warc")]);
}

#[cfg(unix)]
#[test]
fn names_in_no_charset_are_written_as_in_urls() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new(&[]);
    let odd = Path::new(std::ffi::OsStr::from_bytes(b"caf\xe9 1/b c.warc"));
    let path = folder.0.path().join(odd);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "").unwrap();
    std::fs::write(folder.path("list"), odd.as_os_str().as_bytes()).unwrap();
    for input in ["DIR", "DIR/c*/*.warc", "@DIR/list"] {
        assert_eq!(folder.names(&[input]), ["caf%E9 1/b c.warc"], "{input}");
    }
}

#[test]
fn two_files_of_one_name_are_an_error_with_a_mend() {
    let folder = Folder::new(&["2024-01/a/x.warc", "2024-02/a/x.warc", "z/x.warc"]);
    assert_eq!(
        folder.clash(&["DIR/2024-01", "DIR/2024-02"]),
        "'DIR/2024-01/a/x.warc' and 'DIR/2024-02/a/x.warc' would both be named 'a/x.warc' in the tables: give a pattern in \
         quotes ('DIR/2024-0*'), or the folder above them ('DIR/'), or a list of their paths (@FILE)"
    );
    assert_eq!(
        folder.clash(&["DIR/z/x.warc", "DIR/2024-01/a"]),
        "'DIR/2024-01/a/x.warc' and 'DIR/z/x.warc' would both be named 'x.warc' in the tables: give the folder above them \
         ('DIR/'), or a list of their paths (@FILE)"
    );
    // The mends are none of each other's.
    let mended = ["2024-01/a/x.warc", "2024-02/a/x.warc"];
    assert_eq!(folder.names(&["DIR/2024-0*"]), mended);
    assert_eq!(folder.names(&["DIR/"])[..2], mended);
    let found = folder.expand(&["DIR/2024-01", "DIR/z"], None);
    assert_eq!(found.len(), 2, "names differ");
}
