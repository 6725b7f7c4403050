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

fn script() -> PathBuf {
    gleaner_testing::data("../tools/score.py")
}

#[test]
#[ignore = "reads the data sets: set GLEANER_DATA"]
fn scores_are_those_of_the_script() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut gold = std::fs::File::create(path("gold.jsonl")).unwrap();
    let mut kept = std::fs::File::create(path("kept.jsonl")).unwrap();
    for (page, text) in pages() {
        writeln!(gold, "{}", serde_json::to_string(&page).unwrap()).unwrap();
        let row = serde_json::json!({"record_id": page.record_id, "text": text});
        writeln!(kept, "{row}").unwrap();
    }
    let run = Command::new("python3")
        .arg(script())
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

/// Reads lines of two texts and two lists of snippets as JSON, and prints what the script's own
/// functions make of each with all digits. Where `rapidfuzz` is missing there is no LCS.
const DRIVER: &str = "
import json, sys
sys.path.insert(0, sys.argv[1])
import score
try:
    from rapidfuzz.distance import LCSseq
except ImportError:
    LCSseq = None
for line in open(sys.argv[2], encoding='utf-8'):
    kept, gold, has, lacks = json.loads(line)
    ours, theirs = score.tokens(kept), score.tokens(gold)
    figures = list(score.word_prf(ours, theirs))
    figures += [score.share(kept, has) if has else None]
    figures += [1 - score.share(kept, lacks) if lacks else None]
    figures += [score.lcs_prf(ours, theirs)[2] if LCSseq else None]
    print(json.dumps(figures))
";

/// Real pages: what is kept of each is its gold with every seventh line left out, and the first
/// lines of the page before, so that all figures lie between 0 and 1.
fn real_pages(set: &str) -> Vec<(GoldPage, String)> {
    let pages = gleaner_gold::read(&gleaner_testing::data("pages").join(set)).expect("the set can be read");
    let mut before = String::new();
    let pages = pages.into_iter().map(|page| {
        let lines = page.text.lines().enumerate();
        let kept: Vec<&str> = lines
            .filter(|(at, _)| at % 7 != 3)
            .map(|(_, line)| line)
            .collect();
        let text = format!("{before}{}", kept.join("\n"));
        before = page.text.split_inclusive('\n').take(3).collect();
        (page, text)
    });
    pages.collect()
}

#[test]
#[ignore = "reads the data sets: set GLEANER_DATA"]
fn scores_of_real_pages_are_those_of_the_script() {
    let (script, pages) = (script(), real_pages("wcxb-dev.gold.jsonl"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pages.jsonl");
    let mut file = std::fs::File::create(&path).unwrap();
    for (page, kept) in &pages {
        let snippets = |list: &Option<Vec<String>>| list.clone().unwrap_or_default();
        let line = (kept, &page.text, snippets(&page.with), snippets(&page.without));
        writeln!(file, "{}", serde_json::to_string(&line).unwrap()).unwrap();
    }
    let mut command = Command::new("python3");
    command
        .args(["-B", "-c", DRIVER])
        .arg(script.parent().unwrap())
        .arg(&path);
    let Ok(run) = command.output() else {
        return println!("skipped: python3 is not installed");
    };
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let lines = String::from_utf8(run.stdout).unwrap();
    assert_eq!(lines.lines().count(), pages.len());
    for (line, (page, kept)) in lines.lines().zip(&pages) {
        let theirs: [Option<f64>; 6] = serde_json::from_str(line).unwrap();
        let score = PageScore::new(kept, page);
        let words = score.words;
        let lcs = theirs[5].map(|_| score.lcs.f1);
        let ours = [
            Some(words.precision),
            Some(words.recall),
            Some(words.f1),
            score.with,
            score.without,
            lcs,
        ];
        let near = |(one, other): (&Option<f64>, &Option<f64>)| match (one, other) {
            (Some(one), Some(other)) => (one - other).abs() < 1e-6,
            _ => one == other,
        };
        assert!(
            ours.iter().zip(&theirs).all(near),
            "{}: {ours:?}, {theirs:?}",
            page.url
        );
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
