//! The client of a browser, with a browser.
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]

use gleaner_render::browser::{Browser, BrowserError, Launch, Message, find};

/// A runtime and a browser; `None`, and a line with the reason, where there is none.
fn browser() -> Option<(tokio::runtime::Runtime, Browser)> {
    if let Err(error) = find(None) {
        assert!(std::env::var_os("CI").is_none(), "{error}");
        eprintln!("skipped: {error}");
        return None;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let browser = runtime.block_on(Browser::launch(&Launch::default())).unwrap();
    Some((runtime, browser))
}

#[test]
fn a_page_is_opened_and_used() {
    let Some((runtime, browser)) = browser() else {
        return;
    };
    runtime.block_on(async {
        assert!(browser.version().await.unwrap().contains('/'));
        let page = browser.new_page().await.unwrap();
        page.set_viewport(640, 480).await.unwrap();
        let html = "data:text/html,<title>a</title><input autofocus><button onclick='console.log(`clicked`, 7); wasClicked = true'>b</button>\
                    <script>console.warn('w'); setTimeout(() => { throw new Error('thrown') })</script>";
        page.open(html).await.unwrap();
        assert_eq!(page.evaluate("document.title").await.unwrap(), "a");
        assert_eq!(page.evaluate("[innerWidth, innerHeight]").await.unwrap(), serde_json::json!([640, 480]));
        assert_eq!(page.evaluate("Promise.resolve(3)").await.unwrap(), 3);
        page.evaluate("document.querySelector('input').focus()").await.unwrap();
        page.press("x").await.unwrap();
        page.type_text("yz").await.unwrap();
        page.press("Backspace").await.unwrap();
        assert_eq!(page.evaluate("document.querySelector('input').value").await.unwrap(), "xy");
        page.click("button").await.unwrap();
        page.wait_for("window.wasClicked").await.unwrap();
        let message = |level: &str, text: &str| Message { level: level.to_owned(), text: text.to_owned() };
        let messages = page.messages();
        assert!(messages.contains(&message("warning", "w")), "{messages:?}");
        assert!(messages.contains(&message("log", "clicked 7")), "{messages:?}");
        assert!(messages.iter().any(|message| message.level == "exception" && message.text.contains("thrown")));
        assert_eq!(page.requests()[0].method, "GET");
        let picture = page.screenshot().await.unwrap();
        assert!(picture.starts_with(b"\x89PNG"));
        let failed = page.evaluate("nothing.at.all").await.unwrap_err();
        assert!(matches!(&failed, BrowserError::Script(text) if text.contains("nothing is not defined")), "{failed}");
        page.close().await.unwrap();
    });
}

#[test]
fn tabs_share_no_storage() {
    let Some((runtime, browser)) = browser() else {
        return;
    };
    let server = gleaner_testing::web::Site::start();
    runtime.block_on(async {
        let url = server.url("127.0.0.1", "/");
        let pages = [
            browser.new_page().await.unwrap(),
            browser.new_page().await.unwrap(),
        ];
        for page in &pages {
            page.open(&url).await.unwrap();
        }
        pages[0]
            .evaluate("localStorage.a = 1; document.cookie = 'a=1'")
            .await
            .unwrap();
        let seen = "[localStorage.a ?? null, document.cookie]";
        assert_eq!(
            pages[0].evaluate(seen).await.unwrap(),
            serde_json::json!(["1", "a=1"])
        );
        assert_eq!(
            pages[1].evaluate(seen).await.unwrap(),
            serde_json::json!([null, ""])
        );
    });
}

#[test]
fn a_browser_ends_with_its_processes() {
    let Some((runtime, browser)) = browser() else {
        return;
    };
    let page = runtime.block_on(browser.new_page()).unwrap();
    drop(browser);
    let error = runtime.block_on(page.evaluate("1")).unwrap_err();
    assert!(matches!(error, BrowserError::Ended), "{error}");
}

#[test]
fn a_program_that_is_no_browser_is_named() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let start = |program: &str| {
        let launch = Launch {
            program: Some(program.into()),
            ..Launch::default()
        };
        runtime
            .block_on(Browser::launch(&launch))
            .unwrap_err()
            .to_string()
    };
    let error = start("/no/such/chromium");
    assert!(
        error.starts_with("could not start '/no/such/chromium': "),
        "{error}"
    );
    assert_eq!(
        start("/bin/false"),
        "'/bin/false' ended at its start: it printed nothing"
    );
}
