//! The library as its users see it.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests, not only the tests themselves"
)]

use gleaner::{Cleaner, Document, ErrorKind, Favor, Format, Label, Links, MarkdownOptions, Model, Origin};

const ARTICLE: &str = "<html lang=en><title>The tide mill – River News</title><meta name=author content='Ada Ek'>\
    <meta property=article:published_time content=2024-03-01><body>\
    <nav><ul><li><a href=/>Home</a><li><a href=/news>News</a><li><a href=/about>About us</a></ul></nav>\
    <article><h1>The tide mill</h1><p>The mill at the mouth of the river has ground <a href=corn>corn</a> for three hundred \
    years, twice a day, whenever the pond behind its dam was full.<p>Its wheel is of oak and was last renewed in the year \
    of the great storm, when the sea took half of the quay.<pre>sluice {\n    open\n\n    wait\n}</pre></article>\
    <footer><a href=/terms>Terms of use</a> <a href=/privacy>Privacy</a></footer>";

const URL: &str = "https://river.example/2024/tide-mill";

fn article() -> Document {
    Cleaner::default().clean(ARTICLE, &Origin::url(URL)).unwrap()
}

#[test]
fn a_document_has_text_metadata_and_blocks() {
    let document = article();
    assert!(
        document
            .text()
            .starts_with("The tide mill\n\nThe mill at the mouth")
    );
    assert!(!document.text().contains("Privacy"));
    let metadata = document.metadata();
    assert_eq!(metadata.title, Some("The tide mill"));
    assert_eq!(
        (metadata.authors, metadata.language),
        (&["Ada Ek".to_owned()][..], Some("en"))
    );
    assert_eq!(metadata.published.unwrap().to_string(), "2024-03-01");
    let blocks: Vec<_> = document.blocks().collect();
    let heading = blocks.iter().find(|block| block.text == "The tide mill").unwrap();
    assert_eq!(
        (heading.label, &*heading.path),
        (Label::Header, "html/body/article/h1")
    );
    assert_eq!(blocks.last().unwrap().label, Label::Other);
    assert!((0.2..=1.0).contains(&document.kind().unwrap().probability));
    assert!((0.5..=1.0).contains(&document.confidence().unwrap()));
    assert_eq!(
        (document.charset(), document.text_source(), document.url()),
        ("UTF-8", "page", URL)
    );
    assert_eq!(
        (document.truncated().count(), document.structured_data()),
        (0, None)
    );
    assert!(document.word_count() > 50);
}

#[test]
fn formats_are_the_same_from_a_document_and_without_one() {
    let document = article();
    let markdown = Format::Markdown(MarkdownOptions::default().links(Links::Inline));
    for format in [Format::Text, markdown, Format::Html] {
        for has_metadata in [false, true] {
            let output = format.with_metadata(has_metadata);
            let extracted = Cleaner::default()
                .extract(ARTICLE, &Origin::url(URL), output)
                .unwrap();
            assert_eq!(extracted, document.write(output), "{output:?}");
        }
    }
    assert!(
        document
            .write(markdown)
            .contains("[corn](https://river.example/2024/corn)")
    );
    assert!(
        !document
            .to_markdown(MarkdownOptions::default())
            .contains("](http")
    );
    assert!(document.to_html().contains("<pre>sluice {\n    open"));
}

#[test]
fn metadata_stands_before_the_text() {
    let text = article().write(Format::Text.with_metadata(true));
    let front = "---\ntitle: \"The tide mill\"\nauthors: [\"Ada Ek\"]\npublished: 2024-03-01\nlanguage: \"en\"\n\
        url: \"https://river.example/2024/tide-mill\"\n---\nThe tide mill\n";
    assert!(text.starts_with(front), "{text}");
    let html = article().write(Format::Html.with_metadata(true));
    assert!(
        html.contains(
            "<meta name=\"author\" content=\"Ada Ek\">\n<meta name=\"date\" content=\"2024-03-01\">"
        )
    );
}

#[test]
fn a_text_that_is_decoded_is_not_decoded_again() {
    let html = "<meta charset=utf-8><p>The sea rises and falls twice a day, because the moon and the sun pull at it.";
    let origin = Origin::default().content_type("text/html; charset=utf-16le");
    let document = Cleaner::default().clean(html, &origin).unwrap();
    assert!(document.text().contains("The sea rises"));
    assert!(
        !Cleaner::default()
            .clean(html.as_bytes(), &origin)
            .is_ok_and(|document| document.text().contains("The sea"))
    );
}

#[test]
fn settings_change_what_is_kept() {
    let short = "<h1>Tides</h1><p>The sea rises and falls.";
    let text = |builder: gleaner::CleanerBuilder| {
        let mut cleaner = builder.build().unwrap();
        cleaner.extract(short, &Origin::default(), Format::Text).unwrap()
    };
    assert_eq!(text(Cleaner::builder()), "");
    assert_eq!(
        text(Cleaner::builder().favor(Favor::Recall)),
        "Tides\n\nThe sea rises and falls.\n"
    );
    let recall = Cleaner::builder().favor(Favor::Recall);
    assert_eq!(text(recall.title(false)), "The sea rises and falls.\n");
    let cut = Cleaner::builder()
        .byte_limit(100)
        .build()
        .unwrap()
        .clean(ARTICLE, &Origin::default());
    assert_eq!(cut.unwrap().truncated().collect::<Vec<_>>(), ["bytes"]);
}

#[test]
fn plain_texts_have_a_model_of_their_own() {
    let text = "Home\nNews\nAbout us\nThe tide mill\nThe mill at the mouth of the river has ground corn for three hundred years, \
        twice a day, whenever the pond behind its dam was full.\nIts wheel is of oak and was last renewed in the year of the \
        great storm, when the sea took half of the quay.\nPrivacy\n";
    let origin = Origin::default().plain_text(true);
    let document = Cleaner::default().clean(text, &origin).unwrap();
    assert!(
        document.text().contains("Its wheel is of oak"),
        "{:?}",
        document.text()
    );
    assert!(!document.text().contains("Privacy"));
}

#[test]
fn posts_of_a_blog_page_are_found() {
    let blog = "<div class='post hentry'><h2 class=entry-title>On lamps</h2><p class=date>8 July 2016</p>\
        <div class=entry-content><p>They burn.</div></div>";
    let document = Cleaner::default().clean(blog, &Origin::default()).unwrap();
    let posts = document.posts();
    assert_eq!(
        (posts[0].title.as_deref(), &*posts[0].text),
        (Some("On lamps"), "They burn.")
    );
}

#[test]
fn what_cannot_be_used_is_an_error_with_its_reason() {
    let image = Cleaner::default().clean(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", &Origin::default());
    let error = image.unwrap_err();
    assert_eq!(
        (error.kind(), &*error.to_string()),
        (ErrorKind::Page, "the body is no page but a PNG image")
    );
    let missing = Model::from_path("no-such.gcrf").unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::Model);
    assert!(missing.to_string().contains("no-such.gcrf"), "{missing}");
    assert_eq!(Model::from_bytes(b"<html>").unwrap_err().kind(), ErrorKind::Model);
    let swapped = Cleaner::builder()
        .text_model(Model::default())
        .build()
        .unwrap_err();
    assert!(swapped.to_string().contains("does not label plain texts"));
}

#[test]
fn types_can_be_sent_and_shown() {
    fn is_sendable<T: Send + std::fmt::Debug + 'static>() {}
    is_sendable::<Cleaner>();
    is_sendable::<Document>();
    is_sendable::<gleaner::Error>();
    is_sendable::<Model>();
}

#[cfg(feature = "serde")]
#[test]
fn json_is_that_of_the_command() {
    let json = serde_json::to_value(article()).unwrap();
    assert_eq!(json["url"], URL);
    assert_eq!(json["blocks"][3]["label"], "header");
    assert_eq!(json["published"], "2024-03-01");
    let document = article();
    let block = document.blocks().nth(3).unwrap();
    assert_eq!(
        serde_json::to_value(&block).unwrap()["path"],
        "html/body/article/h1"
    );
    let metadata = serde_json::to_value(document.metadata()).unwrap();
    assert_eq!(metadata["published"], "2024-03-01");
    let line = Cleaner::default()
        .extract(ARTICLE, &Origin::url(URL), Format::Json)
        .unwrap();
    assert_eq!(line, serde_json::to_string(&article()).unwrap() + "\n");
}
