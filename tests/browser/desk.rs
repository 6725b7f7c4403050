//! What the tests share: the service as a process, a browser, and a tab whose messages and requests are watched.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};

use gleaner_render::browser::{Browser, Events, Launch, Page, find};
use serde_json::{Value, json};
use tokio::runtime::Builder;

use crate::support::gleaner;

/// `gleaner serve` on a port of its own.
pub(super) struct Service {
    child: Child,
    pub(super) url: String,
}

impl Service {
    pub(super) fn start<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Service {
        let mut command = gleaner();
        command.args(["serve", "--port", "0"]).args(arguments);
        let mut child = command
            .env("USER", "jo")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut url)
            .unwrap();
        let url = url.trim().to_owned();
        assert!(
            url.starts_with("http://127.0.0.1:"),
            "no address on standard output: '{url}'"
        );
        Service { child, url }
    }

    /// Pages to label in a folder, and the folder for their labels.
    pub(super) fn labelling(pages: &Path, notes: &Path) -> Service {
        Service::start([pages.as_os_str(), "--annotations".as_ref(), notes.as_os_str()])
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // Fails if it has ended.
        self.child.kill().ok();
        self.child.wait().unwrap();
    }
}

/// Runs a test with a browser; prints why, and does nothing, where there is none.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
pub(super) fn with_browser(test: impl AsyncFnOnce(Browser)) {
    if let Err(error) = find(None) {
        assert!(std::env::var_os("CI").is_none(), "{error}");
        eprintln!("skipped: {error}");
        return;
    }
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async { test(Browser::launch(&Launch::default()).await.unwrap()).await });
}

/// A tab on the page of a service, watched from the first request on.
pub(super) struct Tab {
    pub(super) page: Page,
    events: Events,
    base: String,
    /// Messages that a test expects.
    pub(super) expected: Vec<&'static str>,
}

impl Tab {
    /// Opens a view: `#/page`.
    pub(super) async fn open(browser: &Browser, service: &Service, view: &str) -> Tab {
        let tab = Tab::empty(browser, &service.url).await;
        tab.page.open(&format!("{}{view}", service.url)).await.unwrap();
        tab.wait("document.querySelector('main h1')").await;
        tab
    }

    /// A tab that may request what begins with this.
    pub(super) async fn empty(browser: &Browser, base: &str) -> Tab {
        let page = browser.new_page().await.unwrap();
        let events = page.session().events();
        for method in ["Log.enable", "Runtime.enable", "Network.enable", "Page.enable"] {
            page.session().call(method, json!({})).await.unwrap();
        }
        page.set_viewport(1280, 860).await.unwrap();
        Tab {
            page,
            events,
            base: base.to_owned(),
            expected: Vec::new(),
        }
    }

    /// The value of an expression of JavaScript.
    pub(super) async fn get(&self, expression: &str) -> Value {
        let value = self.page.evaluate(expression).await;
        value.unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    pub(super) async fn text(&self, selector: &str) -> String {
        let text = self
            .get(&format!(
                "document.querySelector({})?.textContent",
                json!(selector)
            ))
            .await;
        text.as_str()
            .unwrap_or_else(|| panic!("no {selector}"))
            .to_owned()
    }

    /// Waits until an expression is true, and shows what the page says if it never is.
    pub(super) async fn wait(&self, expression: &str) {
        // On a machine that is busy with other tests the first wait may be too short.
        if self.page.wait_for(expression).await.is_ok() {
            return;
        }
        if let Err(error) = self.page.wait_for(expression).await {
            let shown = self.get("document.body.innerText").await;
            panic!("{error}; the page says: {}", shown.as_str().unwrap_or_default());
        }
    }

    pub(super) async fn wait_for_text(&self, selector: &str, text: &str) {
        let (selector, text) = (json!(selector), json!(text));
        self.wait(&format!(
            "[...document.querySelectorAll({selector})].some(found => found.textContent.includes({text}))"
        ))
        .await;
    }

    pub(super) async fn click(&self, selector: &str) {
        self.page.click(selector).await.unwrap();
    }

    pub(super) async fn press(&self, keys: &[&str]) {
        for key in keys {
            self.page.press(key).await.unwrap();
        }
    }

    /// Loads the page again, and waits until its view is drawn.
    pub(super) async fn reload(&self) {
        self.get("(() => { window.isOld = true; })()").await;
        self.page.session().call("Page.reload", json!({})).await.unwrap();
        // (What is asked while the old page ends has no answer.)
        self.wait("!window.isOld && document.querySelector('main h1')")
            .await;
    }

    /// Goes to another view of the page.
    pub(super) async fn go(&self, view: &str) {
        self.forget_title().await;
        let view = json!(view);
        self.get(&format!(
            "(() => {{ if (location.hash === {view}) dispatchEvent(new Event('hashchange')); else location.hash = {view}; }})()"
        ))
        .await;
        self.settled().await;
    }

    /// Clicks what leads to another view, and waits until that is drawn.
    pub(super) async fn follow(&self, selector: &str) {
        self.forget_title().await;
        self.click(selector).await;
        self.settled().await;
    }

    /// Without its title a view is not settled: the next one is known by having one. The address
    /// does not tell, since it changes before the view does.
    async fn forget_title(&self) {
        self.get("(() => { for (const old of document.querySelectorAll('main h1')) old.remove(); })()")
            .await;
    }

    /// Waits until nothing is being read any more.
    pub(super) async fn settled(&self) {
        self.wait("document.querySelector('main h1') && !document.querySelector('[aria-busy]')")
            .await;
    }

    /// Pastes a page and cleans it.
    pub(super) async fn paste(&self, html: &str) {
        self.click("#html").await;
        self.get("document.querySelector('#html').select()").await;
        self.page.type_text(html).await.unwrap();
        self.click("form button.main").await;
        self.wait("document.querySelector('.pair')").await;
        self.framed().await;
    }

    /// Waits until the page is in its frame.
    pub(super) async fn framed(&self) {
        self.wait("document.querySelector('iframe[data-shown]')").await;
    }

    /// Gives a file to the field for files.
    pub(super) async fn give_file(&self, file: &Path) {
        let session = self.page.session();
        let field = json!({"expression": "document.querySelector('input[type=file]')"});
        let found = session.call("Runtime.evaluate", field).await.unwrap();
        let params = json!({"files": [file], "objectId": found["result"]["objectId"]});
        session.call("DOM.setFileInputFiles", params).await.unwrap();
    }

    /// What was reported since the last call: messages of the console, and requests that leave the service.
    pub(super) fn noise(&mut self) -> Vec<String> {
        let mut noise = Vec::new();
        while let Some(event) = self.events.try_next() {
            let params = &event.params;
            let line = match event.method.as_str() {
                "Runtime.consoleAPICalled" | "Runtime.exceptionThrown" | "Page.javascriptDialogOpening" => {
                    format!("{}: {params}", event.method)
                }
                "Log.entryAdded" => params["entry"]["text"].as_str().unwrap_or_default().to_owned(),
                "Network.requestWillBeSent" => {
                    let url = params["request"]["url"].as_str().unwrap_or_default();
                    if [self.base.as_str(), "data:", "blob:", "about:"]
                        .iter()
                        .any(|own| url.starts_with(own))
                    {
                        continue;
                    }
                    format!("request of {url}")
                }
                _ => continue,
            };
            if !self.expected.iter().any(|expected| line.contains(expected)) {
                noise.push(line);
            }
        }
        noise
    }

    /// Ends the test of a tab: its console was silent, and no request left the service.
    pub(super) async fn end(mut self) {
        let noise = self.noise();
        assert!(noise.is_empty(), "{noise:#?}");
        self.page.close().await.unwrap();
    }
}
