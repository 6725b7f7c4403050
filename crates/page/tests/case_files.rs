//! The layout of pages, by the case files in `tests/cases`.
//!
//! A case is a line `== NAME`, the lines of its HTML, and sections: `-- SECTION` and what is expected there, a line a block.
//!
//! - `lines`, `tags`, `text`: the texts of the blocks with that unit.
//! - `written`, `written-of-tags`: the blocks as they are written, with unit `line` or `tag`.
//! - `layout`, `layout-of-tags`: with unit `line` or `tag` the tags before the block, `|`, the elements around it with what
//!   else is known of it, `|`, and its text, piece by piece behind the element that it stands in.
//!
//! `\n`, `\r`, `\t`, `\\` and `\u{...}` stand for a letter. Lines before the first case are remarks. With
//! `GLEANER_WRITE_CASES=1` in the environment the sections are written again, to be looked at in a diff.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use gleaner_html::NONE;
use gleaner_page::{Block, Page, PageConfig, Parser, Unit};

/// A case: its name, its HTML, and its sections with their expected lines.
struct Case<'a> {
    name: &'a str,
    html: Vec<&'a str>,
    sections: Vec<(&'a str, Vec<&'a str>)>,
}

/// The remarks at the beginning of a file, and its cases.
fn read(file: &str) -> (Vec<&str>, Vec<Case<'_>>) {
    let (mut remarks, mut cases) = (Vec::new(), Vec::<Case<'_>>::new());
    for line in file.lines() {
        match (
            cases.last_mut(),
            line.strip_prefix("== "),
            line.strip_prefix("-- "),
        ) {
            (_, Some(name), _) => cases.push(Case {
                name,
                html: Vec::new(),
                sections: Vec::new(),
            }),
            (None, ..) => remarks.push(line),
            (Some(case), _, Some(section)) => case.sections.push((section, Vec::new())),
            (Some(case), ..) => match case.sections.last_mut() {
                Some((_, lines)) => lines.extend(Some(line).filter(|line| !line.is_empty())),
                None => case.html.push(line),
            },
        }
    }
    (remarks, cases)
}

/// A text with its escapes replaced.
fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        let length = match after.as_bytes().first() {
            Some(b'n') => push(&mut plain, '\n', 1),
            Some(b'r') => push(&mut plain, '\r', 1),
            Some(b't') => push(&mut plain, '\t', 1),
            Some(b'\\') => push(&mut plain, '\\', 1),
            Some(b'u') => {
                let end = after.find('}').expect("a closing brace");
                let number = u32::from_str_radix(&after[2..end], 16).expect("a hexadecimal number");
                push(&mut plain, char::from_u32(number).expect("a letter"), end + 1)
            }
            _ => panic!("no escape: \\{after}"),
        };
        rest = &after[length..];
    }
    plain + rest
}

fn push(text: &mut String, letter: char, length: usize) -> usize {
    text.push(letter);
    length
}

/// A text on one line, with letters that are not seen as escapes.
fn escaped(text: &str) -> String {
    let mut line = String::new();
    for letter in text.chars() {
        match letter {
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\t' => line.push_str("\\t"),
            '\\' => line.push_str("\\\\"),
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{a0}' => {
                write!(line, "\\u{{{:x}}}", u32::from(letter)).expect("a string takes it");
            }
            _ => line.push(letter),
        }
    }
    line
}

/// What there is in a section of a page.
fn found(section: &str, html: &str) -> Vec<String> {
    let unit = match section {
        "lines" | "written" | "layout" => Unit::Line,
        "tags" | "layout-of-tags" | "written-of-tags" => Unit::Tag,
        "text" => Unit::Text,
        _ => panic!("no section is called {section}"),
    };
    let mut parser = Parser::new(PageConfig {
        unit,
        ..PageConfig::default()
    });
    let page = parser
        .parse(html.as_bytes(), Some("text/html; charset=utf-8"))
        .expect("it is text");
    let line = |block| match section {
        "written" | "written-of-tags" => escaped(page.written(block)),
        "layout" | "layout-of-tags" => laid_out(page, block),
        _ => escaped(page.text(block)),
    };
    page.blocks.iter().map(line).collect()
}

/// A block with all that is known of it.
fn laid_out(page: &Page, block: &Block) -> String {
    let name = |element: u32| page.elements[element as usize].tag.name();
    let mut line = String::new();
    for event in page.split(block) {
        line += if event.open { "<" } else { "</" };
        line = line + event.tag.name() + "> ";
    }
    line = line + "| " + &page.tag_path(block) + " ";
    for (what, element) in [("div", block.div), ("cell", block.td), ("pre", block.pre)] {
        if element != NONE {
            write!(line, "{what}={element} ").expect("a string takes it");
        }
    }
    for (what, is_so) in [("hidden", block.hidden), ("same-line", block.same_line)] {
        line += if is_so { what } else { "" };
        line += if is_so { " " } else { "" };
    }
    line += "|";
    for run in page.runs(block) {
        write!(line, " {}:{}", name(run.element), escaped(page.run_text(run))).expect("a string takes it");
    }
    line
}

/// A file with its sections as they are found.
fn written(remarks: &[&str], cases: &[Case<'_>]) -> String {
    let mut file = remarks.join("\n") + "\n";
    for case in cases {
        write!(file, "== {}\n{}\n", case.name, case.html.join("\n")).expect("a string takes it");
        for (section, _) in &case.sections {
            let found = found(section, &unescaped(&case.html.join("\n")));
            write!(file, "-- {section}\n{}", found.join("\n")).expect("a string takes it");
            file += if found.is_empty() { "" } else { "\n" };
        }
        file += "\n";
    }
    file.trim_end().to_owned() + "\n"
}

/// What is wrong in a case.
fn differences(path: &Path, case: &Case<'_>) -> Vec<String> {
    let html = unescaped(&case.html.join("\n"));
    let wrong = case.sections.iter().filter_map(|(section, expected)| {
        let found = found(section, &html);
        let name = path.file_name().unwrap_or_default().display();
        (found != *expected).then(|| {
            let (found, expected) = (found.join("\n    "), expected.join("\n    "));
            format!(
                "{name}: {} -- {section}\n  expected\n    {expected}\n  found\n    {found}",
                case.name
            )
        })
    });
    wrong.collect()
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let entries = std::fs::read_dir(folder).expect("the folder of the cases");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

#[test]
fn pages_are_laid_out_as_the_cases_have_it() {
    let is_to_be_written = std::env::var_os("GLEANER_WRITE_CASES").is_some();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for path in files() {
        let file = std::fs::read_to_string(&path).expect("it was listed");
        let (remarks, cases) = read(&file);
        for case in &cases {
            assert!(
                !case.sections.is_empty(),
                "{}: {} has no section",
                path.display(),
                case.name
            );
            wrong.extend(differences(&path, case));
        }
        count += cases.len();
        if is_to_be_written {
            std::fs::write(&path, written(&remarks, &cases)).expect("the file can be written");
        }
    }
    assert!(count > 0, "there are cases");
    assert!(wrong.is_empty() || is_to_be_written, "{}", wrong.join("\n"));
}

#[test]
fn escapes_are_read_as_they_are_written() {
    for text in ["a\n\t\\ b\r", "\u{ad}\u{a0}\u{0}é\\u", ""] {
        assert_eq!(unescaped(&escaped(text)), text);
    }
}
