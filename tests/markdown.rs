//! Markdown, through `gleaner clean` and `gleaner build`.

use gleaner_testing::warc::{Archive, SENTENCE};

use crate::support::{build, gleaner, said};

const TIDES: &str = "https://tides.example/";

fn page() -> String {
    format!(
        "<title>Tides</title><body><article><h1>Tides</h1><p>{SENTENCE}. {SENTENCE}, as <a href=/moon>the moon</a> has it.</p>\
         <h2>Causes</h2><p>{SENTENCE}, {SENTENCE}.</p><img src=/moon.png alt=\"The moon\"><pre><code class=\"language-c\">int tide(void);</code></pre>\
         <p>{SENTENCE}, {SENTENCE}.</p></article>"
    )
}

fn clean(archive: &std::path::Path, options: &[&str]) -> String {
    let output = gleaner()
        .arg("clean")
        .arg(archive)
        .args(options)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_build_has_the_markdown_of_clean_if_it_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let archive = Archive::new()
        .page(TIDES, page())
        .write(folder.path(), "tides.warc.gz");
    let cleaned = clean(&archive, &["--format", "markdown"]);
    assert!(
        cleaned.starts_with("# Tides\n\n") && cleaned.contains("\n\n## Causes\n\n"),
        "{cleaned}"
    );
    assert!(cleaned.contains("```c\nint tide(void);\n```\n"), "{cleaned}");
    assert!(cleaned.contains("as the moon has it."), "{cleaned}");
    for options in [&["--markdown"][..], &["--markdown", "--no-templates"]] {
        assert_eq!(
            build(&[&archive], options).documents()[TIDES]["markdown"],
            cleaned
        );
    }
    assert_eq!(build(&[&archive], &[]).documents()[TIDES]["markdown"], "");
}

#[test]
fn links_have_addresses_and_images_are_written_if_they_are_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let archive = Archive::new()
        .page(TIDES, page())
        .write(folder.path(), "tides.warc.gz");
    let inline = clean(&archive, &["--format", "md", "--links", "inline"]);
    assert!(
        inline.contains("as [the moon](https://tides.example/moon) has it.") && !inline.contains("The moon"),
        "{inline}"
    );
    let images = clean(&archive, &["--format", "md", "--images", "inline"]);
    assert!(
        images.contains("\n\n![The moon](https://tides.example/moon.png)\n\n"),
        "{images}"
    );
    let both = ["--links", "inline", "--images", "inline"];
    assert_eq!(
        build(&[&archive], &[&["--markdown"], &both[..]].concat()).documents()[TIDES]["markdown"],
        clean(&archive, &[&["--format", "md"], &both[..]].concat())
    );
    let output = gleaner()
        .arg("clean")
        .arg(&archive)
        .args(["--links", "inline"])
        .output()
        .unwrap();
    assert!(
        said(&output).contains("--links has no effect"),
        "{}",
        said(&output)
    );
}
