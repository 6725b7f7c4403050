//! Labelling in the browser: the same keys as in the terminal, and the same files.

use std::fs;
use std::path::{Path, PathBuf};

use gleaner_testing::process::wait_for;
use gleaner_testing::warc::article;
use tempfile::TempDir;

use super::desk::{Service, Tab, with_browser};
use super::pages::until;
use crate::support::files;
use crate::terminal::Terminal;

/// Pages to label, and folders for labels beside them.
struct Desk(TempDir);

impl Desk {
    fn with_pages(pages: usize) -> Desk {
        let folder = tempfile::tempdir().unwrap();
        let desk = Desk(folder);
        fs::create_dir(desk.pages()).unwrap();
        for page in 0..pages {
            fs::write(desk.pages().join(format!("page{page}.html")), article()).unwrap();
        }
        desk
    }

    fn pages(&self) -> PathBuf {
        self.0.path().join("pages")
    }

    fn notes(&self) -> PathBuf {
        self.0.path().join("notes")
    }

    fn serve(&self) -> Service {
        Service::labelling(&self.pages(), &self.notes())
    }

    /// The file of the first page, without the day.
    fn file(&self) -> String {
        without_day(&self.notes())
    }

    /// Labels and who decided, block by block.
    fn labels(&self) -> Vec<String> {
        let text = self.file();
        let blocks = text.split_once("\n\n").unwrap().1.lines();
        let label = |line: &str| line.splitn(3, '\t').take(2).collect::<Vec<_>>().join(" ");
        blocks.map(label).collect()
    }
}

/// The first file of a folder, without the line of the day.
fn without_day(folder: &Path) -> String {
    let text = fs::read_to_string(&files(folder)[0]).unwrap();
    text.lines()
        .filter(|line| !line.starts_with("date: "))
        .map(|line| format!("{line}\n"))
        .collect()
}

async fn saved(tab: &Tab, progress: &str) {
    tab.wait(&format!(
        "[...document.querySelectorAll('.tools strong')].some(found => found.textContent === '{progress}') && \
         [...document.querySelectorAll('.tools .soft')].some(found => found.textContent === 'saved')"
    ))
    .await;
}

/// Presses a key for each letter.
async fn type_keys(tab: &Tab, keys: &str) {
    for key in keys.chars() {
        tab.page.press(&key.to_string()).await.unwrap();
    }
}

async fn labelling(browser: &gleaner_render::browser::Browser, service: &Service, page: usize) -> Tab {
    let tab = Tab::open(browser, service, &format!("#/label/{page}")).await;
    opened(&tab, page).await;
    tab
}

/// Waits until the list of this page has the keys. (The address changes before the view, and the view comes before the focus.)
async fn opened(tab: &Tab, page: usize) {
    tab.wait(&format!(
        "document.querySelector('main h1')?.textContent.includes('page{page}') \
         && document.activeElement.matches('[role=listbox]') && document.querySelector('.block.cursor')"
    ))
    .await;
}

#[test]
fn the_same_keys_give_the_same_file_as_in_the_terminal() {
    with_browser(async |browser| {
        let (desk, other) = (Desk::with_pages(1), Desk::with_pages(1));
        let (pages, notes) = (other.pages(), other.notes());
        let mut terminal = Terminal::start(
            &[Path::new("annotate"), &pages, Path::new("--out"), &notes],
            (100, 30),
            &[],
        );
        terminal.wait_for("0 of 12 blocks");
        terminal.press("ooohv4jppuaxG");
        terminal.wait_for("10 of 12 blocks");
        terminal.press("oUq");
        assert!(terminal.end().success());

        let service = desk.serve();
        let tab = labelling(&browser, &service, 0).await;
        type_keys(&tab, "oooh").await;
        saved(&tab, "4 of 12 blocks").await;
        type_keys(&tab, "v4jppuaxG").await;
        saved(&tab, "10 of 12 blocks").await;
        type_keys(&tab, "oU").await;
        saved(&tab, "11 of 12 blocks").await;
        assert_eq!(desk.file(), other.file());
        tab.end().await;
    });
}

#[test]
fn labels_by_clicks_are_undone_and_survive_a_reload() {
    with_browser(async |browser| {
        let desk = Desk::with_pages(2);
        let service = desk.serve();
        let tab = labelling(&browser, &service, 0).await;
        let press = |key: &str| format!("[aria-keyshortcuts='{key}']");
        // A range: a click, and one with Shift.
        tab.click("#block-3").await;
        tab.get("document.querySelector('#block-5').dispatchEvent(new MouseEvent('click', {bubbles: true, shiftKey: true}))").await;
        assert_eq!(
            tab.get("document.querySelectorAll('[aria-selected=true]').length")
                .await,
            3
        );
        tab.click(&press("p")).await;
        saved(&tab, "3 of 12 blocks").await;
        tab.click(&press("o")).await;
        saved(&tab, "4 of 12 blocks").await;
        tab.click(&press("u")).await;
        saved(&tab, "3 of 12 blocks").await;
        let labels = desk.labels();
        assert_eq!(
            labels[2..7],
            [
                "undecided -",
                "paragraph hand",
                "paragraph hand",
                "paragraph hand",
                "undecided -"
            ]
        );

        // After a reload the labels, the place and what can be undone are there.
        let file = desk.file();
        tab.reload().await;
        tab.wait("document.querySelector('.block.cursor')").await;
        assert_eq!(tab.text(".tools strong").await, "3 of 12 blocks");
        assert_eq!(
            tab.get("document.querySelector('.block.cursor').id").await,
            "block-6"
        );
        assert_eq!(desk.file(), file, "looking changes nothing");
        type_keys(&tab, "u").await;
        saved(&tab, "0 of 12 blocks").await;
        type_keys(&tab, "U").await;
        saved(&tab, "3 of 12 blocks").await;
        assert_eq!(desk.file(), file);

        // A click in the page goes to the block.
        tab.framed().await;
        tab.wait("document.querySelector('iframe').contentWindow.CSS.highlights.has('gleaner-at')")
            .await;
        tab.get("document.querySelector('iframe').contentDocument.querySelector('h1').click()")
            .await;
        assert_eq!(tab.text(".block.cursor .words").await, "A diary of the tides");

        // The rest is accepted, and the list of pages knows it.
        tab.click(&press("A")).await;
        saved(&tab, "12 of 12 blocks").await;
        assert!(
            desk.labels()
                .iter()
                .skip(6)
                .all(|label| label.ends_with("accepted")),
            "{:?}",
            desk.labels()
        );
        tab.go("#/label").await;
        tab.wait_for_text("td", "done").await;
        tab.wait_for_text("td", "not begun").await;
        tab.end().await;
    });
}

/// A page whose first block was labelled `other`, which another program then made a `list`: its file, and its text before and after.
async fn changed_by_another(
    browser: &gleaner_render::browser::Browser,
    service: &Service,
    desk: &Desk,
) -> (Tab, PathBuf, [String; 2]) {
    let mut tab = labelling(browser, service, 0).await;
    tab.expected.push("409");
    type_keys(&tab, "o").await;
    saved(&tab, "1 of 12 blocks").await;
    let file = files(&desk.notes())[0].clone();
    let text = fs::read_to_string(&file).unwrap();
    let changed = text.replace("other\thand", "list\thand");
    fs::write(&file, &changed).unwrap();
    (tab, file, [text, changed])
}

#[test]
fn a_file_that_another_program_changed_is_kept_until_the_annotator_decides() {
    with_browser(async |browser| {
        let desk = Desk::with_pages(1);
        let service = desk.serve();
        let (tab, file, [text, changed]) = changed_by_another(&browser, &service, &desk).await;
        type_keys(&tab, "o").await;
        tab.wait_for_text("dialog h2", "changed by another program").await;
        assert_eq!(fs::read_to_string(&file).unwrap(), changed);
        tab.click("dialog button[value=reload]").await;
        tab.wait_for_text("#block-0 .what", "list").await;
        tab.wait("document.activeElement.matches('[role=listbox]')").await;
        assert_eq!(fs::read_to_string(&file).unwrap(), changed);

        fs::write(&file, &text).unwrap();
        type_keys(&tab, "h").await;
        tab.wait_for_text("dialog h2", "changed by another program").await;
        tab.click("dialog button[value=overwrite]").await;
        wait_for("the file that is overwritten", || {
            desk.labels()[..2] == ["list hand", "header hand"]
        });
        tab.end().await;
    });
}

/// Whatever way leads out of the page: links, the history, another page.
#[test]
fn labels_that_are_not_saved_come_back_with_their_page() {
    with_browser(async |browser| {
        let desk = Desk::with_pages(2);
        let service = desk.serve();
        let (tab, file, [_, changed]) = changed_by_another(&browser, &service, &desk).await;
        type_keys(&tab, "h").await;
        tab.wait_for_text("dialog h2", "changed by another program").await;
        for view in ["#/label", "#/page", "#/label/1"] {
            tab.get("document.querySelector('dialog button[value=\"\"]').click()")
                .await;
            tab.wait_for_text("[role=status]", "not saved").await;
            tab.go(view).await;
            assert_eq!(fs::read_to_string(&file).unwrap(), changed);
            tab.go("#/label/0").await;
            // It is asked again.
            tab.wait_for_text("dialog h2", "changed by another program").await;
            tab.wait_for_text(".tools strong", "2 of 12 blocks").await;
            tab.wait_for_text("#block-1 .what", "header").await;
        }
        tab.click("dialog button[value=overwrite]").await;
        wait_for("the file that is overwritten", || {
            desk.labels()[..2] == ["other hand", "header hand"]
        });
        // What is saved is not kept.
        saved(&tab, "2 of 12 blocks").await;
        fs::write(&file, &changed).unwrap();
        tab.go("#/label/1").await;
        tab.go("#/label/0").await;
        opened(&tab, 0).await;
        tab.wait_for_text("#block-0 .what", "list").await;
        assert_eq!(
            tab.get("document.querySelector('dialog')").await,
            serde_json::Value::Null
        );
        tab.end().await;
    });
}

#[test]
fn a_page_is_labelled_with_keys_alone() {
    with_browser(async |browser| {
        let desk = Desk::with_pages(2);
        let service = desk.serve();
        let tab = Tab::open(&browser, &service, "#/label").await;
        tab.wait("document.querySelector('tbody a')").await;
        until(
            &tab,
            "Tab",
            "document.activeElement.matches('a') && document.activeElement.textContent.includes('page0')",
        )
        .await;
        tab.press(&["Enter"]).await;
        opened(&tab, 0).await;
        // The keys are listed, and Escape leads back.
        tab.press(&["?"]).await;
        tab.wait_for_text("dialog", "continuation").await;
        tab.press(&["Escape"]).await;
        tab.wait("!document.querySelector('dialog') && document.activeElement.matches('[role=listbox]')")
            .await;
        // Search, an open block, a range, the least certain block.
        tab.press(&["/"]).await;
        tab.page.type_text("harbour").await.unwrap();
        tab.press(&["Enter"]).await;
        tab.wait("/harbour/.test(document.querySelector('.block.cursor .words').textContent)")
            .await;
        tab.press(&["p", ".", "Shift+ArrowDown", "p", "g"]).await;
        saved(&tab, "3 of 12 blocks").await;
        tab.press(&["s", "a"]).await;
        saved(&tab, "4 of 12 blocks").await;
        tab.press(&["A"]).await;
        saved(&tab, "12 of 12 blocks").await;
        tab.wait_for_text(".tools [role=status]", "every block is labelled")
            .await;
        tab.press(&["}"]).await;
        opened(&tab, 1).await;
        tab.press(&["q"]).await;
        tab.wait("location.hash === '#/label'").await;
        assert_eq!(files(&desk.notes()).len(), 1);
        // The Tab key always leads on: no part holds the focus.
        tab.wait("document.querySelector('tbody a')").await;
        until(
            &tab,
            "Tab",
            "document.activeElement.matches('a') && document.activeElement.textContent.includes('page1')",
        )
        .await;
        tab.end().await;
    });
}

#[test]
fn a_page_that_cannot_be_read_has_its_name_and_a_way_on() {
    with_browser(async |browser| {
        let desk = Desk::with_pages(3);
        let service = desk.serve();
        fs::remove_file(desk.pages().join("page1.html")).unwrap();
        let mut tab = labelling(&browser, &service, 0).await;
        tab.expected.push("the server responded with a status of");
        tab.press(&["]"]).await;
        tab.wait_for_text("[role=alert]", "put the file back, or start the service again")
            .await;
        assert!(tab.text("main h1").await.contains("page1.html"));
        tab.wait("document.title.includes('page1.html')").await;
        // The keys of other pages lead on, and so do links.
        tab.wait("document.activeElement.matches('.unread')").await;
        tab.press(&["["]).await;
        opened(&tab, 0).await;
        tab.press(&["]"]).await;
        tab.wait("document.querySelector('[role=alert]')").await;
        tab.click("[href='#/label/2']").await;
        tab.wait("document.querySelector('.block.cursor')").await;
        tab.wait("document.title.includes('page2.html')").await;
        tab.end().await;
    });
}
