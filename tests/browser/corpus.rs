//! A corpus in the browser: from a bar to its documents, how many there are, orders, and what copies differ in.

use std::path::{Path, PathBuf};

use gleaner_testing::Random;
use gleaner_testing::warc::{Archive, SENTENCE};
use tempfile::TempDir;

use super::desk::{Service, Tab, with_browser};
use super::views::views;
use crate::support::{run, said};

/// A page of these paragraphs.
fn page(title: &str, paragraphs: &[String]) -> String {
    let paragraphs: String = paragraphs.iter().map(|text| format!("<p>{text}</p>")).collect();
    format!("<html lang=en><title>{title}</title><main><h1>{title}</h1>{paragraphs}</main>")
}

/// Sixty pages with words of their own, and two that differ in two paragraphs far down.
fn corpus(folder: &TempDir) -> PathBuf {
    let mut archive = Archive::new();
    let mut random = Random::new(7);
    for number in 0..60 {
        let paragraphs: Vec<String> = (0..3 + number % 5).map(|_| random.words(30) + ".").collect();
        let title = format!("Harbour {number}");
        archive = archive.page(
            &format!("http://harbour.example/{number}"),
            page(&title, &paragraphs),
        );
    }
    let mut paragraphs: Vec<String> = (0..80)
        .map(|number| format!("{number}: {SENTENCE}; {}.", random.words(12)))
        .collect();
    archive = archive.page("http://tides.example/first", page("A long diary", &paragraphs));
    paragraphs[60] += " The lamp was lit late.";
    paragraphs[70] += " Nothing else happened.";
    archive = archive.page("http://tides.example/second", page("A long diary", &paragraphs));
    let archive = archive.write(folder.path(), "made.warc.gz");
    let corpus = folder.path().join("corpus");
    let out = [
        "build".as_ref(),
        archive.as_os_str(),
        "--out".as_ref(),
        corpus.as_os_str(),
    ];
    let output = run(out);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", said(&output));
    corpus
}

fn serve(corpus: &Path) -> Service {
    Service::start([corpus])
}

/// Waits until the list has this heading.
async fn headed(tab: &Tab, text: &str) {
    tab.settled().await;
    tab.wait_for_text("main div > p.note", text).await;
}

#[test]
fn a_bar_leads_to_its_documents() {
    with_browser(async |browser| {
        let folder = tempfile::tempdir().unwrap();
        let service = serve(&corpus(&folder));
        let tab = Tab::open(
            &browser,
            &service,
            "#/corpus/columns?column=word_count&language=eng",
        )
        .await;
        tab.wait("document.querySelector('svg.chart a')").await;
        // Bars and the table of their numbers have the same links.
        let links = |of: &str| {
            format!(
                "JSON.stringify([...document.querySelectorAll('{of}')].map(link => link.getAttribute('href')))"
            )
        };
        let [bars, rows] = [
            tab.get(&links("svg.chart a")).await,
            tab.get(&links("table.short a")).await,
        ];
        assert_eq!(bars, rows);
        let counts = "[...document.querySelectorAll('table.short tr')].filter(row => row.querySelector('a')).map(row => row.querySelector('td').textContent)";
        let counts = tab.get(counts).await;
        let first = counts[0].as_str().unwrap();
        tab.follow("svg.chart a").await;
        headed(&tab, &format!("{first} document")).await;
        let tests = tab.text(".tests").await;
        assert!(
            tests.contains("word_count ≥ ") && tests.contains("word_count < "),
            "{tests}"
        );
        assert_eq!(
            tab.get("document.querySelector('[name=language]').value").await,
            "eng"
        );

        // A search keeps the tests of columns; each is taken away by its link.
        tab.follow("form button.main").await;
        headed(&tab, &format!("{first} document")).await;
        tab.follow(".chip").await;
        assert_eq!(tab.get("document.querySelectorAll('.chip').length").await, 1);

        // Of names, too: two of one column both hold.
        tab.go("#/corpus/columns?column=site&is.site=tides.example").await;
        tab.wait_for_text("table.short a", "tides.example").await;
        tab.follow("table.short a").await;
        headed(&tab, "2 documents").await;
        tab.end().await;
    });
}

#[test]
fn the_number_of_documents_comes_behind_the_list() {
    with_browser(async |browser| {
        let folder = tempfile::tempdir().unwrap();
        let service = serve(&corpus(&folder));
        let tab = Tab::open(&browser, &service, "#/corpus?site=harbour.example").await;
        headed(&tab, "60 documents").await;
        assert_eq!(
            tab.get("document.querySelectorAll('.results li').length").await,
            50
        );
        tab.wait_for_text("main span.note", "50 of 60").await;
        tab.get(
            "[...document.querySelectorAll('button')].find(button => button.textContent === 'More').click()",
        )
        .await;
        tab.wait("document.querySelectorAll('.results li').length === 60")
            .await;
        tab.wait_for_text("main span.note", "60 of 60").await;

        // Orders are those that the form offers.
        let first = async || tab.text(".results h2").await;
        for (order, title) in [("words", "A long diary"), ("-words", "Harbour")] {
            tab.get(&format!("(() => {{ document.querySelector('details.box').open = true; document.querySelector('[name=site]').value = ''; document.querySelector('[name=sort]').value = '{order}'; }})()")).await;
            tab.follow("form button.main").await;
            assert_eq!(tab.get("location.hash").await, format!("#/corpus?sort={order}"));
            headed(&tab, "62 documents").await;
            assert!(first().await.starts_with(title), "{order}: {}", first().await);
        }
        // A column is counted whatever the order of the list was.
        tab.follow("[href^='#/corpus/columns']").await;
        tab.wait("document.querySelector('svg.chart')").await;
        // A phrase, and a beginning.
        for (query, heading) in [
            ("%22long diary%22", "2 documents"),
            ("diar*", "2 documents"),
            ("diar", "No document matches"),
        ] {
            tab.go(&format!("#/corpus?q={query}")).await;
            headed(&tab, heading).await;
        }
        tab.end().await;
    });
}

#[test]
fn copies_are_shown_with_their_first_difference() {
    with_browser(async |browser| {
        let folder = tempfile::tempdir().unwrap();
        let service = serve(&corpus(&folder));
        let tab = Tab::open(&browser, &service, "#/corpus/clusters").await;
        tab.wait("document.querySelector('tbody a')").await;
        let cluster = tab.get("document.querySelector('tbody a').hash").await;
        let cluster = cluster.as_str().unwrap();
        tab.go(cluster).await;
        tab.wait_for_text(".card", "2 differences").await;
        assert!(tab.text("main h1").await.starts_with("Copies of A long"));
        assert!(tab.text(".card h2").await.starts_with("A long"));
        assert_eq!(
            tab.get("document.title").await,
            format!("{} – gleaner", tab.text("main h1").await)
        );
        let is_seen = "(() => { const change = document.querySelector('.change.at').getBoundingClientRect(), \
            box = document.querySelector('.change.at').closest('.differences').getBoundingClientRect(); \
            return change.top >= box.top && change.bottom <= box.bottom; })()";
        let at = async || {
            assert_eq!(tab.get(is_seen).await, true);
            tab.text(".change.at").await
        };
        assert!(at().await.contains("The lamp was lit late."), "{}", at().await);

        // Keys and buttons lead to the others, and round.
        tab.get("document.querySelector('.change').closest('.differences').focus()")
            .await;
        tab.press(&["n"]).await;
        assert!(at().await.contains("Nothing else happened."));
        tab.press(&["n"]).await;
        assert!(at().await.contains("The lamp was lit late."));
        tab.press(&["p"]).await;
        tab.wait_for_text(".card .note", "2 of 2").await;
        tab.get("[...document.querySelectorAll('button')].find(button => /^Next/.test(button.textContent)).click()").await;
        tab.wait_for_text(".card .note", "1 of 2").await;

        // What is folded is shown on request, and the text is whole then.
        let whole = "(() => { const box = document.querySelector('.change').closest('.differences').cloneNode(true); \
            for (const gone of box.querySelectorAll('del')) gone.remove(); return box.textContent; })()";
        assert!(!tab.get(whole).await.as_str().unwrap().contains("30: The harbour"));
        while tab.get("document.querySelector('.fold') !== null").await == true {
            tab.click(".fold").await;
        }
        assert_eq!(
            tab.get("document.activeElement.matches('.differences')").await,
            true
        );
        let row_id = tab.get("[...document.querySelectorAll('.card')].find(card => card.querySelector('.change')).querySelector('a').hash.split('/').pop()").await;
        let text = tab.get(&format!("fetch('/api/documents/' + {row_id}).then(answer => answer.json()).then(found => found.document.text)")).await;
        assert_eq!(tab.get(whole).await, text);
        tab.end().await;
        views(
            &browser,
            &service,
            &[
                cluster,
                "#/corpus?min.word_count=20&is.site=harbour.example&sort=-words",
            ],
        )
        .await;
    });
}

#[test]
fn the_window_has_the_title_of_its_view() {
    with_browser(async |browser| {
        let folder = tempfile::tempdir().unwrap();
        let service = serve(&corpus(&folder));
        let mut tab = Tab::open(&browser, &service, "#/corpus").await;
        tab.expected.push("404");
        tab.wait("document.querySelector('.results a')").await;
        tab.get("document.querySelector('.results a').click()").await;
        tab.wait("location.hash.startsWith('#/corpus/doc/') && document.querySelector('.pair')")
            .await;
        let title = tab.text("main h1").await;
        tab.wait(&format!("document.title === '{title} – gleaner'")).await;
        tab.go(&format!("#/corpus/doc/{}", "0".repeat(32))).await;
        tab.wait("document.title === 'A document – gleaner' && document.querySelector('[role=alert]')")
            .await;
        tab.end().await;
    });
}
