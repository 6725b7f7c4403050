//! A page that is pasted: what is kept, why, and how long pages and other scripts are shown.

use std::fmt::Write as _;
use std::fs;

use gleaner_testing::warc::{SENTENCE, article};
use serde_json::json;

use super::desk::{Service, Tab, with_browser};
use crate::support::run;

const NOTHING: [&str; 0] = [];

#[test]
fn a_pasted_page_is_cleaned_and_explained() {
    with_browser(async |browser| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("page.html");
        fs::write(&file, article()).unwrap();
        let cleaned = |format: &str| {
            let output = run(["clean", "--format", format, file.to_str().unwrap()]);
            String::from_utf8(output.stdout).unwrap()
        };
        let service = Service::start(NOTHING);
        let tab = Tab::open(&browser, &service, "#/page").await;
        tab.paste(&article()).await;

        let kept = tab
            .get("[...document.querySelectorAll('.block.kept .words')].map(words => words.textContent)")
            .await;
        assert!(
            kept.as_array()
                .unwrap()
                .iter()
                .any(|text| text.as_str().unwrap().contains(SENTENCE)),
            "{kept}"
        );
        let dropped = tab
            .get("[...document.querySelectorAll('.block.dropped .words')].map(words => words.textContent)")
            .await;
        assert!(
            dropped.as_array().unwrap().contains(&json!("About us")),
            "{dropped}"
        );
        // Colour is not the only mark.
        let marks = tab.get("[...document.querySelectorAll('.block')].every(block => /^[+–] (header|paragraph|list|continuation|other)$/.test(block.querySelector('.what').textContent))").await;
        assert_eq!(marks, true);

        // A block is marked in the page, and the page shows blocks that are clicked.
        tab.click(".block.kept").await;
        tab.wait_for_text(".why h3", "kept").await;
        assert_eq!(
            tab.get("document.querySelector('iframe').contentWindow.CSS.highlights.get('gleaner-at').size")
                .await,
            1
        );
        assert!(
            tab.get("document.querySelectorAll('.why table').length")
                .await
                .as_u64()
                .unwrap()
                > 1
        );
        let place = tab.get("(() => { const frame = document.querySelector('iframe'), outer = frame.getBoundingClientRect(); \
            const inner = [...frame.contentDocument.querySelectorAll('li')].find(item => item.textContent === 'News').getBoundingClientRect(); \
            return [outer.x + inner.x + 12, outer.y + inner.y + inner.height / 2]; })()").await;
        for kind in ["mousePressed", "mouseReleased"] {
            let click =
                json!({"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1});
            tab.page
                .session()
                .call("Input.dispatchMouseEvent", click)
                .await
                .unwrap();
        }
        tab.wait_for_text(".why h3", "dropped").await;
        assert_eq!(tab.text(".block[aria-selected=true] .words").await, "News");

        // Text and Markdown are those of the command; nothing that Markdown says becomes markup of the page.
        tab.click("#tab-text").await;
        tab.wait("document.querySelector('#panel .text')").await;
        assert_eq!(
            tab.text("#panel .text").await.trim_end(),
            cleaned("text").trim_end()
        );
        tab.click("#tab-markdown").await;
        tab.wait_for_text("#panel .drawn h3", "A diary of the tides")
            .await;
        tab.click("#panel button:nth-of-type(2)").await;
        tab.wait("document.querySelector('#panel .mono')").await;
        assert_eq!(
            tab.text("#panel .mono").await.trim_end(),
            cleaned("markdown").trim_end()
        );
        for (name, text) in [
            ("metadata", "A diary of the tides"),
            ("posts", "post"),
            ("features", "features"),
            ("json", "\"blocks\""),
        ] {
            tab.click(&format!("#tab-{name}")).await;
            tab.wait_for_text("#panel", text).await;
        }

        // A reload shows the same view of the same page.
        tab.reload().await;
        tab.wait("document.querySelector('.pair')").await;
        assert_eq!(
            tab.get("document.querySelector('[role=tab][aria-selected=true]').id")
                .await,
            "tab-json"
        );
        assert_eq!(tab.get("document.querySelectorAll('.why').length").await, 0);
        tab.end().await;
    });
}

#[test]
fn what_cannot_be_cleaned_is_said_in_a_sentence() {
    with_browser(async |browser| {
        let service = Service::start(["--max-body", "10KiB"]);
        let tab = Tab::open(&browser, &service, "#/page").await;
        tab.click("form button.main").await;
        tab.wait_for_text("[role=alert]", "there is no page yet").await;
        // All of it is kept.
        tab.paste("just plain text, no tags, that has some words in it and a full stop.")
            .await;
        tab.wait_for_text(".facts", "thresholdnone").await;
        // An emptied field is no page, and not the page of before.
        tab.get("(() => { document.querySelector('details.box').open = true; document.querySelector('#html').value = ' '; })()")
            .await;
        tab.click("form button.main").await;
        tab.wait_for_text("[role=alert]", "there is no page yet").await;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("long.html");
        fs::write(&file, "<p>a".repeat(10_000)).unwrap();
        tab.give_file(&file).await;
        tab.wait_for_text(
            "[role=alert]",
            "the page has 40,000 bytes, and the service takes 10,240",
        )
        .await;
        for (view, sentence) in [
            ("#/label", "no pages to label were given"),
            ("#/corpus", "no corpus was given"),
            ("#/elsewhere", "there is no view elsewhere"),
        ] {
            tab.go(view).await;
            tab.wait_for_text("[role=alert]", sentence).await;
        }
        tab.end().await;
    });
}

#[test]
fn what_is_written_from_right_to_left_is_shown_so() {
    with_browser(async |browser| {
        let sentence = "كتبت مديرة الميناء يوميات المد والجزر منذ ربيع عام ألف وتسعمئة وثمانين، وتضيف إليها سطرا كل مساء قبل أن تضاء المصابيح.";
        let html = format!(
            "<html lang=ar dir=rtl><title>يوميات</title><body><nav><a href=/>الرئيسية</a></nav><h1>يوميات المد والجزر</h1>{}",
            format!("<p>{sentence}</p>").repeat(4)
        );
        let service = Service::start(NOTHING);
        let tab = Tab::open(&browser, &service, "#/page").await;
        tab.paste(&html).await;
        tab.wait_for_text(".block.kept .words", sentence).await;
        let directions = tab.get("[...document.querySelectorAll('.block .words')].map(words => getComputedStyle(words).direction)").await;
        assert!(
            directions
                .as_array()
                .unwrap()
                .iter()
                .all(|direction| direction == "rtl"),
            "{directions}"
        );
        assert_eq!(
            tab.get(
                "getComputedStyle(document.querySelector('iframe').contentDocument.documentElement).direction"
            )
            .await,
            "rtl"
        );
        tab.click(".block.kept").await;
        tab.wait_for_text(".why .full", "يوميات").await;
        assert_eq!(
            tab.get("getComputedStyle(document.querySelector('.why .full')).direction")
                .await,
            "rtl"
        );
        assert_eq!(
            tab.get("getComputedStyle(document.querySelector('.why')).direction")
                .await,
            "ltr"
        );
        tab.end().await;
    });
}

#[test]
fn a_page_of_10_mb_is_shown() {
    with_browser(async |browser| {
        let mut html = String::from("<title>long</title><h1>A long page</h1>");
        let mut paragraphs = 0;
        while html.len() < 10_000_000 {
            write!(html, "<p>Paragraph {paragraphs}: {SENTENCE}, and every evening, before the lamp is lit, she adds a line to it.</p>").unwrap();
            paragraphs += 1;
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("long.html");
        fs::write(&file, &html).unwrap();
        let service = Service::start(NOTHING);
        let tab = Tab::open(&browser, &service, "#/page").await;
        tab.give_file(&file).await;
        tab.wait("document.getElementById('block-5')").await;
        // The last block can be reached before all rows are there.
        tab.get("document.querySelector('[role=listbox]').focus()").await;
        tab.press(&["End", "Enter"]).await;
        tab.wait_for_text(".why .full", SENTENCE).await;
        let last = tab
            .get("document.querySelectorAll('.block').length")
            .await
            .as_u64()
            .unwrap();
        assert!(last as usize >= paragraphs, "{last} of {paragraphs}");
        assert!(
            tab.text(".block[aria-selected=true] .words")
                .await
                .starts_with(&format!("Paragraph {}", paragraphs - 1))
        );
        tab.end().await;
    });
}

#[test]
fn keys_alone_lead_from_a_page_to_a_reason() {
    with_browser(async |browser| {
        let service = Service::start(NOTHING);
        let tab = Tab::open(&browser, &service, "#/page").await;
        let focused = "document.activeElement.id || document.activeElement.className || document.activeElement.textContent";
        // The link that skips the views is the first stop.
        tab.press(&["Tab"]).await;
        assert_eq!(tab.get(focused).await, "skip");
        tab.press(&["Enter"]).await;
        assert_eq!(tab.get(focused).await, "main");
        tab.press(&["Tab", "Tab"]).await;
        assert_eq!(tab.get(focused).await, "html");
        tab.page.type_text(&article()).await.unwrap();
        until(&tab, "Tab", "document.activeElement.matches('form button.main')").await;
        tab.press(&["Enter"]).await;
        tab.wait("document.querySelector('.pair')").await;
        tab.framed().await;
        until(&tab, "Tab", "document.activeElement.matches('[role=tab]')").await;
        tab.press(&["ArrowRight", "ArrowRight", "End", "Home"]).await;
        assert_eq!(tab.get(focused).await, "tab-blocks");
        until(&tab, "Tab", "document.activeElement.matches('[role=listbox]')").await;
        tab.press(&["ArrowDown", "ArrowDown", "ArrowDown", "Enter"]).await;
        tab.wait_for_text(".why h3", "Block 3: ").await;
        assert_eq!(
            tab.get("document.activeElement.getAttribute('aria-activedescendant')")
                .await,
            "block-3"
        );
        // The focus is visible.
        assert_ne!(
            tab.get("getComputedStyle(document.activeElement).outlineStyle")
                .await,
            "none"
        );
        tab.press(&["Escape"]).await;
        assert_eq!(
            tab.get(
                "document.querySelector('.why').hidden && document.activeElement.matches('[role=listbox]')"
            )
            .await,
            true
        );
        tab.end().await;
    });
}

/// Presses a key until something is so.
pub(super) async fn until(tab: &Tab, key: &str, is_so: &str) {
    for _ in 0..60 {
        if tab.get(is_so).await == true {
            return;
        }
        tab.press(&[key]).await;
    }
    panic!("{key} never leads to {is_so}");
}

/// A browser takes a time that grows with the square of the elements that are open at once.
#[test]
fn a_page_of_200000_nested_elements_is_shown() {
    with_browser(async |browser| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deep.html");
        fs::write(&file, format!("<p>{SENTENCE}</p>{}", "<div>".repeat(200_000))).unwrap();
        let service = Service::start(NOTHING);
        let tab = Tab::open(&browser, &service, "#/page").await;
        tab.give_file(&file).await;
        tab.wait("document.querySelector('.block')").await;
        tab.framed().await;
        tab.end().await;
    });
}
