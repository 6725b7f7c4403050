//! Every view at two widths, light and dark: nothing scrolls sideways, and axe-core finds no serious fault. The page of `gleaner
//! report` is one of them.

use std::fs;
use std::path::{Path, PathBuf};

use gleaner_render::browser::Browser;
use gleaner_testing::warc::article;
use serde_json::Value;
use tempfile::TempDir;

use super::desk::{Service, Tab, with_browser};
use crate::support::{gleaner, run, said, sample};

const WIDTHS: [(u32, u32); 2] = [(1280, 860), (390, 844)];

/// The script of axe-core, where `tests/servers/install.sh` puts it; outside of CI it may be missing.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn axe() -> Option<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/npm/node_modules/axe-core/axe.min.js");
    let script = fs::read_to_string(file).ok();
    if script.is_none() {
        assert!(
            std::env::var_os("CI").is_none(),
            "axe-core is missing: tests/servers/install.sh installs it"
        );
        eprintln!("skipped: axe-core is not installed; tests/servers/install.sh does it");
    }
    script
}

/// The bundled crawl as a corpus, with what a report and a reader want.
pub(super) fn corpus(folder: &TempDir) -> PathBuf {
    let corpus = folder.path().join("corpus");
    let output = run([
        "build".as_ref(),
        sample().as_os_str(),
        "--out".as_ref(),
        corpus.as_os_str(),
    ]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", said(&output));
    corpus
}

/// The report of a corpus, as a file.
pub(super) fn report(corpus: &Path, folder: &TempDir) -> PathBuf {
    let file = folder.path().join("report.html");
    let output = gleaner()
        .current_dir(folder.path())
        .arg("report")
        .arg(corpus.file_name().unwrap())
        .arg("--out")
        .arg(&file)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    file
}

/// Looks at what is shown: at both widths, light and dark.
async fn check(tab: &Tab, view: &str, axe: Option<&str>, faults: &mut Vec<String>) {
    for (width, height) in WIDTHS {
        tab.page.set_viewport(width, height).await.unwrap();
        let wide = tab
            .get("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            .await;
        if wide.as_i64().unwrap() > 0 {
            faults.push(format!("{view} at {width}: {wide} pixels too wide"));
        }
    }
    let Some(axe) = axe else {
        return;
    };
    tab.get(&format!("{axe}; 0")).await;
    for scheme in ["light", "dark"] {
        tab.page
            .set_media_feature("prefers-color-scheme", scheme)
            .await
            .unwrap();
        let found = tab
            .get(
                "axe.run(document, {iframes: false, resultTypes: ['violations']}).then(all => all.violations\
                 .filter(fault => ['serious', 'critical'].includes(fault.impact))\
                 .map(fault => `${fault.id}: ${fault.nodes.slice(0, 3).map(node => node.html.slice(0, 200)).join(' ')}`))",
            )
            .await;
        let found: Vec<&Value> = found.as_array().unwrap().iter().collect();
        if !found.is_empty() {
            faults.push(format!("{view}, {scheme}: {found:?}"));
        }
    }
}

pub(super) async fn views(browser: &Browser, service: &Service, views: &[&str]) {
    let axe = axe();
    let tab = Tab::open(browser, service, "#/page").await;
    tab.paste(&article()).await;
    let mut faults = Vec::new();
    for view in views {
        tab.go(view).await;
        if view.starts_with("#/page") || view.contains("/doc/") {
            tab.wait("document.querySelector('.pair')").await;
            tab.settled().await;
        }
        check(&tab, view, axe.as_deref(), &mut faults).await;
    }
    assert!(faults.is_empty(), "{faults:#?}");
    tab.end().await;
}

#[test]
fn views_of_a_page_and_of_labels_fit_and_have_no_serious_fault() {
    with_browser(async |browser| {
        let folder = tempfile::tempdir().unwrap();
        let pages = folder.path().join("pages");
        fs::create_dir(&pages).unwrap();
        fs::write(pages.join("page.html"), article()).unwrap();
        let service = Service::labelling(&pages, &folder.path().join("notes"));
        let tabs = ["text", "markdown", "metadata", "posts", "features", "json"]
            .map(|tab| format!("#/page?tab={tab}"));
        let mut all = vec![
            "#/page",
            "#/page?block=4",
            "#/page?file=0",
            "#/label",
            "#/label/0",
            "#/elsewhere",
        ];
        all.extend(tabs.iter().map(String::as_str));
        views(&browser, &service, &all).await;
    });
}

#[test]
fn views_of_a_corpus_fit_and_have_no_serious_fault() {
    with_browser(async |browser| {
        let folder = tempfile::tempdir().unwrap();
        let service = Service::start([
            corpus(&folder).as_os_str(),
            "--input".as_ref(),
            sample().as_os_str(),
        ]);
        let tab = Tab::open(&browser, &service, "#/corpus?q=ferry").await;
        tab.wait_for_text(".results mark", "ferry").await;
        // What was searched for can be filtered, and the address keeps it.
        tab.click("summary").await;
        tab.get("(() => { document.querySelector('details.box').open = true; document.querySelector('[name=site]').value = 'www.marrowbaycourier.example'; })()").await;
        tab.click("form button.main").await;
        tab.wait(
            "/site=www.marrowbaycourier.example/.test(location.hash) && document.querySelector('.results a')",
        )
        .await;
        tab.reload().await;
        tab.wait_for_text(".results .url", "marrowbaycourier").await;
        assert_eq!(tab.get("[...document.querySelectorAll('.results .url')].every(url => url.textContent.includes('marrowbaycourier'))").await, true);
        let document = tab
            .get("document.querySelector('.results a').hash")
            .await
            .as_str()
            .unwrap()
            .to_owned();
        // A document: its page, its columns, why.
        tab.go(&document).await;
        tab.wait("document.querySelector('.pair iframe')").await;
        tab.framed().await;
        tab.click(".block.kept").await;
        tab.wait("document.querySelector('.why table')").await;
        for (name, text) in [
            ("columns", "word count"),
            ("signals", "Signals"),
            ("rights", "ights"),
            ("text", "ferry"),
        ] {
            tab.click(&format!("#tab-{name}")).await;
            tab.wait_for_text("#panel", text).await;
        }
        // Back leads to the search.
        tab.get("history.back()").await;
        tab.wait_for_text(".results mark", "ferry").await;
        // The numbers of a histogram are in a table.
        tab.go("#/corpus/columns?column=word_count").await;
        tab.wait("document.querySelectorAll('svg.chart .b').length > 1")
            .await;
        let rows = tab.get("document.querySelectorAll('tbody tr').length === document.querySelectorAll('svg.chart .b').length").await;
        assert_eq!(rows, true);
        tab.go("#/corpus/clusters").await;
        let cluster = tab.get("document.querySelector('tbody a')?.hash ?? null").await;
        tab.go("#/corpus/rejects").await;
        tab.wait_for_text("table", "media-type").await;
        tab.end().await;

        let with_block = format!("{document}?block=3");
        let mut all = vec![
            "#/corpus",
            "#/corpus?q=ferry",
            "#/corpus/columns",
            "#/corpus/columns?column=language",
            "#/corpus/rejects",
            "#/corpus/rejects?reason=media-type",
            "#/corpus/clusters",
            document.as_str(),
            with_block.as_str(),
        ];
        all.extend(cluster.as_str());
        views(&browser, &service, &all).await;
    });
}

#[test]
fn the_report_fits_and_has_no_serious_fault() {
    with_browser(async |browser| {
        let folder = tempfile::tempdir().unwrap();
        let report = folder.path().join("report.html");
        let mut command = gleaner();
        command
            .arg("report")
            .arg(corpus(&folder))
            .arg("--out")
            .arg(&report);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        let url = format!("file://{}", report.display());
        let tab = Tab::empty(&browser, &url).await;
        tab.page.open(&url).await.unwrap();
        let mut faults = Vec::new();
        check(&tab, "report", axe().as_deref(), &mut faults).await;
        assert!(faults.is_empty(), "{faults:#?}");
        tab.end().await;
    });
}
