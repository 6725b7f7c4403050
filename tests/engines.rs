//! Mined expressions mean the same to Rust, Perl, Python's `re` and RE2: they match the same bytes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;
use serde_json::Value;
use tempfile::TempDir;

use crate::readers::python;
use crate::support::{run, said};

/// Pages of a site that are matched.
const PAGES: usize = 6;

/// Expressions and the texts that they were mined from, in files.
struct Mined {
    folder: TempDir,
    expressions: Vec<String>,
    texts: Vec<String>,
}

impl Mined {
    /// Mines inputs, and takes the text of every so many pages of each.
    fn of(inputs: &[PathBuf], more: &[&str]) -> Mined {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("T").to_str().unwrap().to_owned();
        let inputs: Vec<&str> = inputs.iter().map(|input| input.to_str().unwrap()).collect();
        printed(&[&["templates", "mine", "--out", &out], more, &inputs].concat());
        let file = printed(&["templates", "show", "--templates", &out, "--format", "regex"]);
        fs::write(folder.path().join("expressions.txt"), &file).unwrap();
        let expressions = file
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(str::to_owned);
        let mut mined = Mined {
            expressions: expressions.collect(),
            texts: Vec::new(),
            folder,
        };
        for input in inputs {
            let pages = printed(&["templates", "apply", &out, input, "--json"]);
            let pages: Vec<&str> = pages.lines().collect();
            for page in pages.iter().step_by(pages.len().div_ceil(PAGES)) {
                let page: Value = serde_json::from_str(page).unwrap();
                mined.add(page["source"].as_str().unwrap());
            }
        }
        mined
    }

    fn add(&mut self, text: &str) {
        self.texts.push(text.to_owned());
        fs::write(self.text(self.texts.len() - 1), text).unwrap();
    }

    fn text(&self, number: usize) -> PathBuf {
        self.folder.path().join(format!("{number}.txt"))
    }

    /// What Rust finds, in the lines that the scripts print.
    fn in_rust(&self) -> String {
        let mut lines = String::new();
        for (i, expression) in self.expressions.iter().enumerate() {
            let regex = Regex::new(expression).unwrap();
            for (j, text) in self.texts.iter().enumerate() {
                let found = regex.find_iter(text).map(|found| found.range());
                let found: String = found
                    .map(|range| format!(" {}-{}", range.start, range.end))
                    .collect();
                if !found.is_empty() {
                    lines += &format!("{i} {j}{found}\n");
                }
            }
        }
        lines
    }

    /// What another engine finds; nothing where it is missing.
    #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
    fn in_engine(&self, program: &Path, arguments: &[&str]) -> Option<String> {
        let output = Command::new(program)
            .args(arguments)
            .arg(self.folder.path().join("expressions.txt"))
            .args((0..self.texts.len()).map(|number| self.text(number)))
            .output();
        let Ok(output) = output else {
            eprintln!("skipped: {} is not installed", program.display());
            return None;
        };
        let said = String::from_utf8_lossy(&output.stderr);
        if said.starts_with("skipped: ") {
            eprint!("{said}");
            return None;
        }
        assert!(output.status.success(), "{arguments:?}: {said}");
        Some(String::from_utf8(output.stdout).unwrap())
    }

    /// All engines find the same.
    fn check(&self) {
        let expected = self.in_rust();
        let script = |name: &str| format!("{}/tests/engines/{name}", env!("CARGO_MANIFEST_DIR"));
        let (python_script, perl_script) = (script("spans.py"), script("spans.pl"));
        let found = [
            ("re", self.in_engine(&python(), &[&python_script, "re"])),
            (
                "re on bytes",
                self.in_engine(&python(), &[&python_script, "re-bytes"]),
            ),
            ("RE2", self.in_engine(&python(), &[&python_script, "re2"])),
            ("Perl", self.in_engine(Path::new("perl"), &[&perl_script])),
        ];
        for (engine, found) in found {
            let Some(found) = found else { continue };
            let pairs = expected.lines().zip(found.lines());
            let other = pairs.clone().find(|(expected, found)| expected != found);
            assert_eq!(other, None, "{engine}: {}", self.named(other));
            assert_eq!(expected.lines().count(), found.lines().count(), "{engine}");
        }
    }

    /// The expression that is matched in another way.
    fn named(&self, other: Option<(&str, &str)>) -> &str {
        let number = other.and_then(|(expected, _)| expected.split(' ').next()?.parse::<usize>().ok());
        number.map_or("", |number| &self.expressions[number])
    }
}

fn printed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// What the pages of invented sites have around their texts; `#` is another number on each page.
const SITES: [&str; 10] = [
    "Home|News & <b>Views</b>|Posted on May #, 2007 at #:30pm|By J. R. BRANDT|Mail: desk#@gazette.example",
    "Úvod|Články – přehled|Žluťoučký kůň, vydání #. 5. 2021|Kontakt: pošta@kun.example|Cena #,50 Kč|© 2021 Příšerně",
    "الرئيسية|من نحن|نشر في # مارس 2020|السعر #.50 ﷼|حقوق النشر © محفوظة|https://a.example/#?x=\u{feff}y",
    "首页　关于我们|发布于 2020-01-# 10:#:00|价格 ¥#.00|版权所有 © 公司名称　保留所有权利",
    "🏠 Home 🙂|👩‍👩‍👧 family · #️⃣ tags|❤️ # likes|Next ➡️ page #",
    "C++ & C# [draft] {v#} (beta) ^top $#.99 a|b ~tilde~ #anchor --flag -- && || ~~ \\d+ \\|Back\\to\\top",
    "Price: $1,#99.00|Tuesday, #nd of February|12:#0am|2021-05-#T10:00:00Z|deadbeef0123456789abcdef#|U.S.A. NEWS",
    "a\u{a0}b\u{2003}c\u{202f}d\u{3000}e|\u{1}control \u{1f}chars\u{7f} #|soft\u{ad}hyphen zero\u{200b}width|İstanbul ǅ ſ K #",
    "'quoted' \"text\" `tick` <i>a</i> / slash @at =eq %pct ;semi :colon ,comma .dot ?q !bang * + #",
    "日本語のサイト|投稿日 #年#月#日|もっと読む ≫|คลิก อ่านต่อ #|Читать далее №#|Ångström ÅNGSTRÖM",
];

/// Folders of HTML files, a site each.
fn invented(folder: &Path) -> Vec<PathBuf> {
    let words = "amber břeh 森林 dusk 🙂 fjord نهر heath islet knoll ležák May 12 NATO river@x.example 3.50 spruce tide";
    let words: Vec<&str> = words.split(' ').collect();
    let page = |site: usize, number: usize| {
        let parts: Vec<String> = SITES[site]
            .split('|')
            .map(|part| format!("<p>{}</p>", part.replace('#', &(number + 3).to_string())))
            .collect();
        let (head, tail) = parts.split_at(parts.len() / 2);
        let own: Vec<&str> = (0..40)
            .map(|word| words[(number + 5) * (word * word + 7) % 1009 % words.len()])
            .collect();
        let own = own.join(if number.is_multiple_of(2) { " " } else { "\u{a0} " });
        format!(
            "<html><head><meta charset=utf-8></head><body>{}<p>{own}</p><pre>x\ty  z\n# {number}</pre>{}</body></html>",
            head.concat(),
            tail.concat()
        )
    };
    let sites = 0..SITES.len();
    sites
        .map(|site| {
            let folder = folder.join(format!("site{site}"));
            fs::create_dir(&folder).unwrap();
            for number in 0..24 {
                fs::write(folder.join(format!("{number}.html")), page(site, number)).unwrap();
            }
            folder
        })
        .collect()
}

#[test]
fn engines_match_the_same_in_the_texts_of_invented_sites() {
    let folder = tempfile::tempdir().unwrap();
    let mut mined = Mined::of(&invented(folder.path()), &[]);
    // No expression is there for nothing.
    let found = mined.in_rust();
    for number in 0..mined.expressions.len() {
        let is_of = |line: &str| line.split(' ').next() == Some(&number.to_string());
        assert!(found.lines().any(is_of), "{}", mined.expressions[number]);
    }
    // Texts of others, with spaces and line ends of all kinds.
    let others: Vec<String> = mined
        .texts
        .iter()
        .map(|text| {
            text.replace(' ', "\u{a0} \u{2028}")
                .replace('\n', "\r\n\u{b}\u{1c}\u{85}")
        })
        .collect();
    others.iter().for_each(|text| mined.add(text));
    assert!(mined.expressions.len() > SITES.len() && mined.texts.len() > 2 * SITES.len());
    mined.check();
}

#[test]
fn engines_match_the_same_in_the_html_of_invented_sites() {
    let folder = tempfile::tempdir().unwrap();
    let mined = Mined::of(&invented(folder.path()), &["--over", "html"]);
    assert!(mined.expressions.len() > SITES.len());
    mined.check();
}

#[test]
fn engines_match_the_same_with_patterns_and_tokens_of_ones_own() {
    let folder = tempfile::tempdir().unwrap();
    let sites = invented(folder.path());
    let more = [
        "--token",
        r"[^\-\s]+",
        "--pattern",
        r"(?i)v\d+[:;,]?|№\d+",
        "--pattern",
        r"\$[^\s\-]+",
    ];
    Mined::of(&sites, &more).check();
    let own = ["--no-default-patterns", "--pattern", r"\d+"];
    let mined = Mined::of(&sites, &own);
    assert!(
        mined
            .expressions
            .iter()
            .all(|expression| !expression.contains("(?:(January"))
    );
    mined.check();
}

/// Ten sites in as many languages.
const BLOGS: [&str; 10] = [
    "plzenbarcamp",
    "mulham",
    "gtcafe",
    "tomoraku",
    "devbono",
    "fedoseev",
    "dancingforest",
    "parijat",
    "thadaw",
    "technoomt",
];

#[test]
#[ignore = "reads the data sets: set GLEANER_DATA"]
fn engines_match_the_same_on_pages_of_ten_real_sites() {
    for blog in BLOGS {
        let archive = gleaner_testing::data(&format!("blogs/{blog}.warc.gz"));
        let mined = Mined::of(&[archive], &["--site-sample", "60"]);
        assert!(!mined.expressions.is_empty(), "{blog}");
        mined.check();
    }
}
