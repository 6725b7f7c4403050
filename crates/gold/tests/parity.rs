//! The scores against the independent script that the data comes with.

use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

use gleaner_gold::{GoldPage, PageScore, Summary};

/// Texts that a tokenizer may read in more ways than one.
const TEXTS: &[(&str, &str)] = &[
    ("Hello, snake_case x2!", "hello snake_case X2"),
    ("The cat the cat", "the dog and the cat"),
    ("你好，世界 ２０２４年", "你好 世界 ２０２４年"),
    ("ภาษาไทย ที่นี่ วันนี้", "ที่นี่ ภาษาไทย"),
    ("हिन्दी भाषा में", "हिन्दी में"),
    ("العَرَبِيَّة لغة", "العربية لغة"),
    ("İstanbul ISTANBUL ıspanak", "i̇stanbul istanbul ISPANAK"),
    ("ΟΔΟΣ ΣΟΦΟΣ", "οδος σοφός"),
    ("½ cup, x² and ① Ⅳ ⓐ", "½ x² ① ⅳ ⓐ"),
    ("naïve café e\u{301}tude", "naïve cafe étude"),
    ("a\u{200d}b c\u{00ad}d e\u{2019}s", "ab cd es"),
    ("", "something"),
    ("something", ""),
    ("", " \n"),
    ("𝒜𝒷 😀 𐐀𐐨", "𝒜𝒷 𐐨𐐨"),
    ("ǅ ŉ ﬁne ß ẞ", "ǆ ŉ ﬁne SS ß"),
];

fn pages() -> Vec<(GoldPage, String)> {
    let page = |(index, (kept, gold)): (usize, &(&str, &str))| {
        let gold = GoldPage {
            record_id: format!("<urn:uuid:{index}>"),
            url: format!("http://example.org/{index}"),
            page_type: Some(if index % 3 == 0 { "article" } else { "forum" }.to_owned()),
            text: (*gold).to_owned(),
            with: (index % 2 == 0).then(|| vec!["CAT".to_owned(), "ไทย".to_owned()]),
            without: (index % 2 == 0).then(|| vec!["dog".to_owned()]),
            ..GoldPage::default()
        };
        (gold, (*kept).to_owned())
    };
    TEXTS.iter().enumerate().map(page).collect()
}

fn script() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/tools/score.py");
    let data = std::env::var_os("GLEANER_DATA").map(|data| PathBuf::from(data).join("../tools/score.py"));
    data.into_iter()
        .chain([PathBuf::from(beside)])
        .find(|path| path.exists())
}

#[test]
fn scores_are_those_of_the_script() {
    let Some(script) = script() else {
        return println!("skipped: score.py is not there (see GLEANER_DATA)");
    };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut gold = std::fs::File::create(path("gold.jsonl")).unwrap();
    let mut kept = std::fs::File::create(path("kept.jsonl")).unwrap();
    for (page, text) in pages() {
        writeln!(gold, "{}", serde_json::to_string(&page).unwrap()).unwrap();
        let row = serde_json::json!({"record_id": page.bare_record_id(), "text": text});
        writeln!(kept, "{row}").unwrap();
    }
    let run = Command::new("python3")
        .arg(script)
        .args([path("gold.jsonl"), path("kept.jsonl")])
        .args(["--by", "page_type", "--pages"])
        .arg(path("pages.tsv"))
        .output();
    let Ok(run) = run else {
        return println!("skipped: python3 is not installed");
    };
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));

    let theirs = std::fs::read_to_string(path("pages.tsv")).unwrap();
    let ours = pages()
        .iter()
        .map(|(page, text)| row(page, &PageScore::new(text, page)))
        .collect::<String>();
    assert_eq!(ours, theirs);
    let printed = String::from_utf8(run.stdout).unwrap();
    let scores: Vec<_> = pages()
        .iter()
        .map(|(page, text)| PageScore::new(text, page))
        .collect();
    assert_eq!(
        summary("all", &Summary::of(&scores)),
        printed.lines().next().unwrap()
    );
    let pages = pages();
    let by_type = Summary::by_type(pages.iter().map(|(page, _)| page).zip(&scores));
    for (name, group) in &by_type {
        let line = summary(name, group);
        assert!(printed.lines().any(|theirs| theirs == line), "{line}\n{printed}");
    }
}

fn row(page: &GoldPage, score: &PageScore) -> String {
    let words = &score.words;
    format!(
        "{}\t{:.4}\t{:.4}\t{:.4}\n",
        page.url, words.precision, words.recall, words.f1
    )
}

fn summary(name: &str, summary: &Summary) -> String {
    let words = &summary.words;
    format!(
        "{name:14} {:5} pages  P {:.4}  R {:.4}  F1 {:.4}  with {:.4}  without {:.4}",
        summary.pages,
        words.precision,
        words.recall,
        words.f1,
        summary.with.expect("every group has a page with snippets"),
        summary.without.expect("every group has a page with snippets")
    )
}
