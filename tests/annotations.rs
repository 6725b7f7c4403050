//! Annotation files as gold: for scoring, for training, and when their page has changed.

use std::fs;
use std::path::{Path, PathBuf};

use gleaner_testing::warc::{Archive, SENTENCE, article};

use crate::support::{assert_printed, refusal, run, said};

/// The blocks of the article, labelled as a person would.
fn blocks() -> String {
    let menu: String = ["Home", "News", "About us"]
        .iter()
        .map(|text| format!("other\thand\thtml/body/ul/li/a\t{text}\n"))
        .collect();
    let paragraph = format!(
        "paragraph\taccepted\thtml/body/main/p\t{SENTENCE}, and every evening, before the lamp is lit, she adds a \
         line to it.\n"
    );
    format!(
        "{menu}header\thand\thtml/body/main/h1\tA diary of the tides\n{}{menu}",
        paragraph.repeat(5)
    )
}

/// An annotation file of this page.
fn annotate(path: &Path, source: &str, blocks: &str) -> PathBuf {
    fs::write(
        path,
        format!("gleaner annotations 1\nsource: {source}\n\n{blocks}"),
    )
    .unwrap();
    path.to_owned()
}

/// An annotated article in a folder.
fn annotated(folder: &Path, page: &str, blocks: &str) -> PathBuf {
    fs::write(folder.join("page.html"), page).unwrap();
    annotate(&folder.join("page.anno"), "page.html", blocks)
}

fn eval(path: &Path) -> (String, String) {
    let output = run(["eval".as_ref(), path.as_os_str()]);
    assert!(output.status.success(), "{}", said(&output));
    (String::from_utf8(output.stdout.clone()).unwrap(), said(&output))
}

#[test]
fn the_annotated_blocks_are_the_gold() {
    let folder = tempfile::tempdir().unwrap();
    let file = annotated(folder.path(), &article(), &blocks());
    let (scores, said) = eval(&file);
    let ceiling = scores
        .lines()
        .find(|line| line.contains("(gold's blocks)"))
        .unwrap();
    assert!(
        ceiling.contains("1 pages") && ceiling.contains("F1 1.0000"),
        "{scores}"
    );
    assert_eq!(said, "");
}

#[test]
fn a_page_of_an_archive_is_found_by_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let other = article().replace(SENTENCE, "Nothing of all that");
    Archive::new()
        .page("http://tides.example/", article())
        .page("http://other.example/", other)
        .write(folder.path(), "crawl.warc.gz");
    let notes = folder.path().join("notes");
    fs::create_dir(&notes).unwrap();
    annotate(&notes.join("a.anno"), "../crawl.warc.gz\noffset: 0", &blocks());
    let (scores, said) = eval(&notes);
    assert!(
        scores.contains("1 pages") && scores.contains("F1 1.0000"),
        "{scores}"
    );
    assert_eq!(said, "");
}

#[test]
fn a_page_that_is_cut_otherwise_keeps_its_labels_and_what_is_lost_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let page = article()
        .replace("since the spring", "<br>since the spring")
        .replace("<h1>A diary of the tides</h1>", "<p>New here, and not known</p>");
    let (scores, said) = eval(&annotated(folder.path(), &page, &blocks()));
    assert!(scores.contains("(gold's blocks)"), "{scores}");
    assert_eq!(
        said,
        "page: 1 of 12 annotated blocks are not on the page, and 1 of the page's 17 blocks are not annotated \
         and count as noise\n"
    );
}

#[test]
fn a_page_of_an_archive_is_found_by_its_address_where_no_place_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let other = article().replace(SENTENCE, "Nothing of all that");
    Archive::new()
        .page("http://other.example/", other)
        .page("http://tides.example/", article())
        .write(folder.path(), "crawl.warc.gz");
    let file = folder.path().join("a.anno");
    annotate(&file, "crawl.warc.gz\nurl: http://tides.example/", &blocks());
    let (scores, said) = eval(&file);
    assert!(
        scores.contains("1 pages") && scores.contains("F1 1.0000"),
        "{scores}"
    );
    assert_eq!(said, "");
    annotate(&file, "crawl.warc.gz\nurl: http://nowhere.example/", &blocks());
    let refused = refusal(&run(["eval".as_ref(), file.as_os_str()]));
    assert_printed(
        "annotations-a-page-of-an-archive-is-found-by-its-address-where-no-place-is-told",
        &refused,
    );
    // An HTML file has one page, wherever that is from.
    fs::write(folder.path().join("page.html"), article()).unwrap();
    annotate(&file, "page.html\nurl: http://tides.example/", &blocks());
    assert!(eval(&file).0.contains("F1 1.0000"));
}

#[test]
fn an_unfinished_page_is_left_out_and_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let unfinished = blocks().replacen("other\thand", "undecided\t-", 2);
    let file = annotated(folder.path(), &article(), &unfinished);
    let output = run(["eval".as_ref(), file.as_os_str()]);
    assert_eq!(output.status.code(), Some(2));
    let said = said(&output);
    assert!(
        said.contains("page.anno: left out, because 2 of 12 blocks are undecided"),
        "{said}"
    );
    assert!(
        said.contains("no page has a label for every block: finish one with gleaner annotate"),
        "{said}"
    );
    fs::write(folder.path().join("whole.html"), article()).unwrap();
    annotate(&folder.path().join("whole.anno"), "whole.html", &blocks());
    annotate(&folder.path().join("none.anno"), "page.html", "");
    let (scores, said) = eval(folder.path());
    assert!(
        said.contains("none.anno: left out, because it has no blocks"),
        "{said}"
    );
    assert!(
        scores.contains("1 pages") && said.contains("left out"),
        "{scores}{said}"
    );
    // The same files one by one.
    let whole = folder.path().join("whole.anno");
    let output = run(["eval".as_ref(), file.as_os_str(), whole.as_os_str()]);
    assert_eq!(output.status.code(), Some(0), "{}", crate::support::said(&output));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).matches("1 pages").count(),
        scores.matches("1 pages").count()
    );
}

#[test]
fn align_cuts_pages_as_eval_does() {
    let folder = tempfile::tempdir().unwrap();
    let page = article().replace("</main>", "<p><img src=x alt='A lamp at the sea'></p></main>");
    let file = annotated(folder.path(), &page, &blocks());
    let output = run(["align".as_ref(), "--scores".as_ref(), file.as_os_str()]);
    assert_eq!(said(&output), "");
    let scores = String::from_utf8(output.stdout).unwrap();
    let of_gold = |text: &str| {
        text.lines()
            .find(|line| line.contains("(gold's blocks)"))
            .map(str::to_owned)
    };
    assert!(
        of_gold(&scores).is_some_and(|line| line.contains("1.0000")),
        "{scores}"
    );
    assert_eq!(of_gold(&scores), of_gold(&eval(&file).0));
}

#[test]
fn what_is_wrong_is_said_with_file_line_and_mend() {
    let folder = tempfile::tempdir().unwrap();
    let file = annotated(folder.path(), &article(), &blocks().replacen("other", "noise", 1));
    let sentence = refusal(&run(["eval".as_ref(), file.as_os_str()]));
    assert_printed(
        "annotations-what-is-wrong-is-said-with-file-line-and-mend",
        &sentence,
    );
    let file = annotated(folder.path(), &article(), &blocks());
    fs::remove_file(folder.path().join("page.html")).unwrap();
    let sentence = refusal(&run(["eval".as_ref(), file.as_os_str()]));
    assert_printed(
        "annotations-what-is-wrong-is-said-with-file-line-and-mend-2",
        &sentence,
    );
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let sentence = refusal(&run(["eval".as_ref(), empty.as_os_str()]));
    assert_printed(
        "annotations-what-is-wrong-is-said-with-file-line-and-mend-3",
        &sentence,
    );
}

#[test]
fn a_model_is_trained_on_them() {
    let folder = tempfile::tempdir().unwrap();
    let page = article();
    for number in 0..3 {
        fs::write(folder.path().join(format!("{number}.html")), &page).unwrap();
        annotate(
            &folder.path().join(format!("{number}.anno")),
            &format!("{number}.html"),
            &blocks(),
        );
    }
    let job = folder.path().join("job.toml");
    fs::write(
        &job,
        "[features]\nmodules = [\"container\", \"char\"]\n[training]\nl2 = 0.01\n",
    )
    .unwrap();
    let model = folder.path().join("own.gcrf");
    let arguments = ["train".as_ref(), job.as_os_str(), folder.path().as_os_str()];
    let output = run(arguments.into_iter().chain(["--out".as_ref(), model.as_os_str()]));
    assert!(output.status.success(), "{}", said(&output));
    assert!(
        said(&output).starts_with("3 pages, 36 blocks"),
        "{}",
        said(&output)
    );
    let page = folder.path().join("0.html");
    let cleaned = run([
        "clean".as_ref(),
        "--model".as_ref(),
        model.as_os_str(),
        page.as_os_str(),
    ]);
    let text = String::from_utf8(cleaned.stdout).unwrap();
    assert_eq!(text.matches(SENTENCE).count(), 5, "{text}");
    assert!(!text.contains("About us"), "{text}");
}

/// An empty gold text may be a mistake, labels by hand are none.
#[test]
fn a_page_that_a_person_found_nothing_on_is_learned_from() {
    let folder = tempfile::tempdir().unwrap();
    annotated(folder.path(), &article(), &blocks());
    fs::write(folder.path().join("menu.html"), article()).unwrap();
    let nothing = blocks()
        .replace("header\t", "other\t")
        .replace("paragraph\t", "other\t");
    annotate(&folder.path().join("menu.anno"), "menu.html", &nothing);
    let job = folder.path().join("job.toml");
    fs::write(&job, "least_found = 0.6\n[training]\nmax_iterations = 3\n").unwrap();
    let model = folder.path().join("own.gcrf");
    let arguments = ["train".as_ref(), job.as_os_str(), folder.path().as_os_str()];
    let output = run(arguments.into_iter().chain(["--out".as_ref(), model.as_os_str()]));
    let said = said(&output);
    assert!(
        said.starts_with("2 pages, 24 blocks") && !said.contains("left out 1 more"),
        "{said}"
    );
}

#[test]
fn a_page_that_two_people_labelled_counts_twice() {
    let folder = tempfile::tempdir().unwrap();
    let archive = Archive::new().page("http://tides.example/", article());
    archive.write(folder.path(), "crawl.warc.gz");
    let notes = folder.path().join("notes");
    fs::create_dir(&notes).unwrap();
    for name in ["jo.anno", "al.anno"] {
        annotate(&notes.join(name), "../crawl.warc.gz\noffset: 0", &blocks());
    }
    assert!(eval(&notes).0.contains("2 pages"));
    // Different pages with one place: nothing is guessed.
    let other = "../crawl.warc.gz\noffset: 0\ndigest: sha1:00";
    annotate(&notes.join("other.anno"), other, &blocks());
    let sentence = refusal(&run(["eval".as_ref(), notes.as_os_str()]));
    assert_printed(
        "annotations-a-page-that-two-people-labelled-counts-twice",
        &sentence,
    );
}

/// Two people's labels of the article, each in a folder; the other took the heading for a paragraph, and one of the
/// menu's items for content.
fn two_people(folder: &Path) -> [PathBuf; 2] {
    fs::write(folder.join("page.html"), article()).unwrap();
    let other = blocks()
        .replace("header\thand", "paragraph\thand")
        .replacen("other\thand", "list\thand", 1);
    let people = [("one", blocks()), ("other", other)];
    people.map(|(name, blocks)| {
        let own = folder.join(name);
        fs::create_dir(&own).unwrap();
        annotate(&own.join("tides.anno"), "../page.html", &blocks);
        own
    })
}

/// Another page, whose labels are in this file; the page is beside its folder.
fn annotate_bells(file: &Path) {
    let bells = |text: String| text.replace("tides", "bells");
    let page = file.parent().unwrap().with_file_name("bells.html");
    fs::write(page, bells(article())).unwrap();
    annotate(file, "../bells.html", &bells(blocks()));
}

fn agreement(one: &Path, other: &Path, more: &[&str]) -> std::process::Output {
    let paths = [one.as_os_str(), other.as_os_str()];
    let more = more.iter().map(std::convert::AsRef::as_ref);
    run(["eval".as_ref(), "agreement".as_ref()]
        .into_iter()
        .chain(paths)
        .chain(more))
}

#[test]
fn how_far_two_people_agree_is_told_by_label_and_page() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = two_people(folder.path());
    annotate_bells(&other.join("bells.anno"));
    let output = agreement(&one, &other, &[]);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let lines: Vec<String> = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    // 12 blocks: six of the menus, a heading, five paragraphs. By chance (6 * 5 + 5 * 6) / 144 have the same label, and
    // (6 * 5 + 6 * 7) / 144 are content for both or noise for both.
    let expected = [
        "1 page and 12 blocks labelled in one and in other",
        "1 page in other alone",
        "agree by chance kappa",
        "labels 0.8333 0.4167 0.7143",
        "content 0.9167 0.5000 0.8333",
        "one \\ other header paragraph list continuation other",
        "header 0 1 0 0 0",
        "paragraph 0 5 0 0 0",
        "list 0 0 0 0 0",
        "continuation 0 0 0 0 0",
        "other 0 0 1 0 5",
        "labels content blocks lowest agreement",
        "0.8333 0.9167 12 page.html",
    ];
    assert_eq!(lines, expected, "{}", said(&output));
    let output = agreement(&one, &other, &["--json"]);
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["content"]["by_chance"], 0.5);
    assert_eq!(found["pages_of_one"], serde_json::json!([0, 1]));
    assert_eq!(found["pages"][0]["blocks"], 12);
}

#[test]
fn people_who_labelled_other_pages_cannot_agree() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = two_people(folder.path());
    annotate_bells(&other.join("tides.anno"));
    let output = agreement(&one, &other, &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said(&output).contains("have no page in common"),
        "{}",
        said(&output)
    );
}
