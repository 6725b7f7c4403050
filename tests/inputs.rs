//! What a build reads beside plain files: standard input, archives in WACZ files, files with two names.

use std::fs::{self, File};
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use flate2::write::GzEncoder;
use gleaner_testing::warc::{Archive, article};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::resume::contents;
use crate::support::{assert_printed, gleaner, refusal, rows, said};

const URLS: [&str; 2] = ["http://one.example/", "http://two.example/"];

fn archive() -> Vec<u8> {
    URLS.into_iter()
        .fold(Archive::new(), |archive, url| archive.plain(url, article()))
        .bytes()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn wacz(method: CompressionMethod, archive: &[u8]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in [
        ("archive/data.warc", archive),
        ("datapackage.json", b"{}"),
        ("pages/pages.jsonl", b"{}"),
    ] {
        zip.start_file(name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A folder with a file for standard input, and one for the corpus.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    fn out(&self) -> PathBuf {
        self.0.path().join("out")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = gleaner();
        command.current_dir(self.0.path()).arg("build").args(arguments);
        command.args(["--out", "out"]);
        command
    }

    fn build(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn build_from(&self, bytes: &[u8], arguments: &[&str]) -> Output {
        let input = self.write("stdin", bytes);
        let mut command = self.command(arguments);
        command.stdin(File::open(input).unwrap()).output().unwrap()
    }

    /// What the documents are of, one each.
    fn origins(&self) -> Vec<(String, String)> {
        let mut found: Vec<_> = rows(&self.out().join("documents"))
            .into_iter()
            .map(|row| (row["url"].clone(), row["warc_file"].clone()))
            .collect();
        found.sort();
        found
    }

    fn expect_both(&self, output: &Output, file: &str) {
        assert_eq!(output.status.code(), Some(0), "{}", said(output));
        let expected = URLS.map(|url| (url.to_owned(), file.to_owned()));
        assert_eq!(self.origins(), expected);
    }
}

#[test]
fn standard_input_is_an_archive_of_any_form_or_a_page() {
    for bytes in [archive(), gzip(&archive())] {
        let place = Place::new();
        let output = place.build_from(&bytes, &["-"]);
        place.expect_both(&output, "-");
    }
    let place = Place::new();
    let output = place.build_from(&wacz(CompressionMethod::DEFLATE, &archive()), &["-"]);
    place.expect_both(&output, "-/archive/data.warc");
    let place = Place::new();
    let page = format!("<!DOCTYPE html><html><body>{}</body></html>", article());
    let output = place.build_from(page.as_bytes(), &["-"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(place.origins().len(), 1);
}

#[test]
fn a_build_of_standard_input_goes_on_with_the_same_bytes() {
    let (whole, stepwise) = (Place::new(), Place::new());
    assert_eq!(whole.build_from(&archive(), &["-"]).status.code(), Some(0));
    let first = stepwise.build_from(&archive(), &["-", "--phase", "read"]);
    assert_eq!(first.status.code(), Some(0), "{}", said(&first));
    let other = gzip(&archive());
    refusal(&stepwise.build_from(&other, &["-"]));
    let rest = stepwise.build_from(&archive(), &["-"]);
    stepwise.expect_both(&rest, "-");
    let tables = |place: &Place| {
        let mut found = contents(&place.out());
        found.retain(|name, _| name.to_string().ends_with(".parquet"));
        found
    };
    assert_eq!(tables(&whole), tables(&stepwise));
}

#[test]
fn a_list_from_standard_input_names_files_of_the_working_folder() {
    for list in ["@-", "@/dev/stdin", "@/dev/fd/0", "@/proc/self/fd/0"] {
        let place = Place::new();
        place.write("crawl/a.warc", &archive());
        // A file behind standard input is no list of its own folder.
        place.write("stdin", b"");
        let output = place.build_from(b"\xef\xbb\xbf# all\r\ncrawl/*.warc\r\n", &[list]);
        place.expect_both(&output, "crawl/a.warc");
    }
    let place = Place::new();
    place.write("crawl/a.warc", &archive());
    let output = place.build_from(b"a.warc", &["@-", "--base-url", "crawl"]);
    place.expect_both(&output, "a.warc");
}

/// The working folder is searched, of which one file and one folder have names in no charset.
#[cfg(unix)]
#[test]
fn names_in_no_charset_are_inputs_like_others() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let (odd_file, odd_folder) = (
        OsStr::from_bytes(b"caf\xe9.html"),
        OsStr::from_bytes(b"\xe9/in.warc"),
    );
    let page = format!("<!DOCTYPE html><html><body>{}</body></html>", article());
    let build = |inputs: &[&OsStr]| {
        let place = Place::new();
        place.write("in/page.html", page.replace("tides", "winds").as_bytes());
        let path = place.0.path().join("in");
        fs::create_dir(path.join(OsStr::from_bytes(b"\xe9"))).unwrap();
        fs::write(path.join(odd_file), &page).unwrap();
        fs::write(path.join(odd_folder), archive()).unwrap();
        let mut command = place.command(&[]);
        let output = command.args(inputs).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let again = place.command(&[]).args(inputs).output().unwrap();
        assert!(said(&again).contains("nothing to do"), "{}", said(&again));
        let mut files: Vec<_> = place.origins().into_iter().map(|(_, file)| file).collect();
        files.dedup();
        files.sort();
        files
    };
    let all = ["%E9/in.warc", "caf%E9.html", "page.html"];
    assert_eq!(build(&[OsStr::new("in")]), all);
    assert_eq!(build(&[OsStr::new("in/*")]), all);
    let (file, folder) = (
        OsStr::from_bytes(b"in/caf\xe9.html"),
        OsStr::from_bytes(b"in/\xe9"),
    );
    let apart = ["caf%E9.html", "in.warc", "page.html"];
    assert_eq!(build(&[file, OsStr::new("in/page.html"), folder]), apart);
    assert_eq!(build(&[OsStr::from_bytes(b"in/\xe9/[i]*.w?rc")]), apart[1..2]);
}

/// A warning names each, and the rest is built.
#[cfg(unix)]
#[test]
fn links_that_lead_nowhere_are_left_out() {
    let place = Place::new();
    place.write("crawl/a.warc", &archive());
    for link in ["gone.warc", "deep"] {
        std::os::unix::fs::symlink("none", place.0.path().join("crawl").join(link)).unwrap();
    }
    let named = refusal(&place.build(&["crawl", "crawl/gone.warc"]));
    let expected = "no such file or folder: 'crawl/gone.warc' (it is a link that leads nowhere)";
    assert_eq!(named, expected);
    let output = place.build(&["crawl"]);
    place.expect_both(&output, "a.warc");
    for link in ["crawl/gone.warc", "crawl/deep"] {
        let warning = format!("warning: '{link}' is a link that leads nowhere: it is left out\n");
        assert_eq!(said(&output).matches(&warning).count(), 1, "{}", said(&output));
    }
}

/// The folder is given as it stands in the working folder, with its whole path, by a link, by a pattern, by a list, and file by
/// file.
#[cfg(unix)]
#[test]
fn the_same_archives_under_another_spelling_give_the_same_files() {
    let first = Archive::new().plain("http://one.example/", article()).bytes();
    let second = Archive::new()
        .plain("http://two.example/", article())
        .raw("no record")
        .bytes();
    let page = format!("<!DOCTYPE html><html><body>{}</body></html>", article());
    let tables = |inputs: &[&str]| {
        let place = Place::new();
        place.write("d/a.warc", &first);
        place.write("d/b.warc.gz", &gzip(&second));
        place.write("d/c.html", page.as_bytes());
        place.write("d/list", b"c.html\na.warc\n./b.warc.gz\n");
        place.write("e/list", b"[ab].*\nc.html\n");
        std::os::unix::fs::symlink("d", place.0.path().join("link")).unwrap();
        let root = place.0.path().canonicalize().unwrap().display().to_string();
        let inputs: Vec<String> = inputs.iter().map(|input| input.replace("ROOT", &root)).collect();
        let output = place.build(&inputs.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let mut files: Vec<String> = contents(&place.out())
            .into_keys()
            .map(|name| name.to_string())
            .collect();
        files.retain(|name| name.ends_with(".parquet"));
        files
    };
    let expected = tables(&["d"]);
    assert!(expected.len() >= 6, "{expected:?}");
    for inputs in [
        &["ROOT/d"][..],
        &["./d/"],
        &["ROOT/e/../d"],
        &["link"],
        &["d/*.*"],
        &["ROOT/d/[abc].*"],
        &["file://ROOT/d"],
        &["@d/list"],
        &["@ROOT/d/list"],
        &["@e/list", "--base-url", "ROOT/d"],
        &["d/c.html", "ROOT/d/b.warc.gz", "link/a.warc"],
    ] {
        assert_eq!(tables(inputs), expected, "{inputs:?}");
    }
    assert_ne!(tables(&["*/[abc].*"]), expected, "other names are other files");
}

/// Inputs are known by their bytes, and not by their time of change or their order.
#[test]
fn a_complete_corpus_is_another_one_only_for_other_bytes() {
    let place = Place::new();
    let path = place.write("d/a.warc", &archive());
    let page = format!("<!DOCTYPE html><html><body>{}</body></html>", article());
    let other = place.write("d/b.html", page.as_bytes());
    let is_complete = |inputs: &[&str]| {
        let output = place.build(inputs);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        said(&output).contains("nothing to do")
    };
    assert!(!is_complete(&["d/a.warc", "d/b.html"]));
    assert!(is_complete(&["d/b.html", "d/a.warc"]));
    let touch = |path: &Path| {
        let file = File::options().write(true).open(path).unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
    };
    touch(&path);
    touch(&other);
    assert!(is_complete(&["d/a.warc", "d/b.html"]));
    // A copy elsewhere is the same, too.
    place.write("copy/a.warc", &archive());
    assert!(is_complete(&["copy", "d/b.html"]));
    let mut bytes = archive();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, &bytes).unwrap();
    let said = refusal(&place.build(&["d"]));
    assert!(said.contains("other files, also"), "{said}");
}

#[test]
fn two_archives_of_one_name_are_refused_with_a_mend() {
    let place = Place::new();
    for month in ["2024-01", "2024-02"] {
        place.write(&format!("{month}/a.warc"), &archive());
    }
    assert_eq!(
        refusal(&place.build(&["2024-01", "2024-02"])),
        "'2024-01/a.warc' and '2024-02/a.warc' would both be named 'a.warc' in the tables: give a pattern in quotes \
         ('2024-0*'), or the folder above them ('.'), or a list of their paths (@FILE)"
    );
    assert!(!place.out().exists());
    let output = place.build(&["2024-0*"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let files = place
        .origins()
        .into_iter()
        .map(|(_, file)| file)
        .collect::<Vec<_>>();
    assert_eq!(files[..2], ["2024-01/a.warc", "2024-02/a.warc"]);
}

#[test]
fn standard_input_that_cannot_be_read_is_refused() {
    let place = Place::new();
    for twice in [["-", "@-"], ["@-", "@-"]] {
        assert!(refusal(&place.build(&twice)).contains("given twice"));
    }
    assert_printed(
        "inputs-standard-input-that-cannot-be-read-is-refused",
        &refusal(&place.build(&["-", "-"])),
    );
    place.write("hosts", b"localhost:2101\nlocalhost:2102\n");
    for input in ["-", "@-"] {
        assert_eq!(
            refusal(&place.build(&[input, "--hosts", "hosts", "--process", "0"])),
            "several processes cannot read standard input ('-'): write it to a file that all of them can read"
        );
    }
    assert!(!place.out().exists());
}

#[test]
fn archives_in_a_wacz_are_read_like_files() {
    for method in [CompressionMethod::STORE, CompressionMethod::DEFLATE] {
        let place = Place::new();
        place.write("crawl/site.wacz", &wacz(method, &archive()));
        let output = place.build(&["crawl"]);
        place.expect_both(&output, "site.wacz/archive/data.warc");
    }
}

/// A large archive that is stored as it is is read in ranges, and comes out as it does from a file.
#[test]
fn a_stored_archive_is_split_as_a_file_is() {
    let pages = (0..60).fold(Archive::new(), |archive, page| {
        archive.plain(&format!("http://s.example/{page:02}"), article())
    });
    let pages = pages.bytes();
    let place = |input: &str, bytes: &[u8]| {
        let place = Place::new();
        place.write(input, bytes);
        let output = place.build(&[input, "--part-size", "8KiB"]);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let documents = rows(&place.out().join("documents"));
        let found: Vec<_> = documents
            .iter()
            .map(|row| {
                (
                    row["url"].clone(),
                    row["warc_offset"].clone(),
                    row["text"].clone(),
                )
            })
            .collect();
        found
    };
    let packed = place("site.wacz", &wacz(CompressionMethod::STORE, &pages));
    let plain = place("data.warc", &pages);
    assert_eq!(plain.len(), 60);
    assert_eq!(packed, plain);
}

#[test]
fn a_wacz_that_cannot_be_read_is_refused() {
    let place = Place::new();
    place.write("site.wacz", b"no ZIP file");
    let said = refusal(&place.build(&["site.wacz"]));
    assert_printed("inputs-a-wacz-that-cannot-be-read-is-refused", &said);
    assert!(!place.out().exists());
}

#[cfg(unix)]
#[test]
fn a_file_with_two_names_is_read_once_and_told() {
    let place = Place::new();
    place.write("crawl/a.warc", &archive());
    std::os::unix::fs::symlink("a.warc", place.0.path().join("crawl/b.warc")).unwrap();
    let output = place.build(&["crawl", "crawl/a.warc"]);
    place.expect_both(&output, "a.warc");
    let said = said(&output);
    let warnings: Vec<_> = said
        .lines()
        .filter(|line| line.starts_with("warning: "))
        .collect();
    assert_eq!(
        warnings,
        ["warning: 'crawl/b.warc' is the same file as 'crawl/a.warc': it is read once"]
    );
}

#[test]
fn file_urls_take_patterns() {
    let place = Place::new();
    let path = place.write("a b/x.warc", &archive());
    let root = path
        .parent()
        .and_then(Path::parent)
        .unwrap()
        .display()
        .to_string();
    let output = place.build(&[&format!("file://{root}/a%20b/[xy].warc")]);
    place.expect_both(&output, "x.warc");
}

#[test]
fn a_damaged_wacz_in_a_folder_is_a_reject() {
    let place = Place::new();
    place.write("crawl/good.warc", &archive());
    let whole = wacz(CompressionMethod::STORE, &archive());
    place.write("crawl/cut.wacz", &whole[..whole.len() / 2]);
    let output = place.build(&["crawl"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let rejects = rows(&place.out().join("rejects"));
    assert_eq!(rejects.len(), 1, "{rejects:?}");
    assert_eq!(rejects[0]["reason"], "not-an-archive");
    assert_eq!(rejects[0]["warc_file"], "cut.wacz");
}
