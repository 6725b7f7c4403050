//! One page in one tab: its requests are answered from the archives, its scripts run by a virtual clock, and what they drew is read.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::browser::{Browser, BrowserError, Event, Page};
use crate::replay::{Answer, PageToDraw, Replay};
use crate::settings::Settings;
use crate::summary::{Failure, Requests};

/// What came of a page.
#[derive(Debug)]
pub(crate) enum Drawn {
    /// The page as HTML.
    Html { html: String, is_cut: bool },
    /// It could not be drawn.
    Failed(Failure),
    /// Its process, or the browser, ended.
    Ended,
}

/// How long a tab may take to close.
const CLOSE: Duration = Duration::from_secs(5);
/// Tasks after which the virtual clock moves, though more are there: a page that always has a task ends, too.
const TASKS: u32 = 2000;

/// Draws a page in a tab that has nothing of other pages.
pub(crate) async fn draw(
    browser: &Browser,
    replay: &Arc<Replay>,
    page: &PageToDraw,
    settings: &Settings,
) -> (Drawn, Requests) {
    let mut requests = Requests::default();
    let Ok(Ok(tab)) = timeout(settings.page_timeout, browser.new_page()).await else {
        return (Drawn::Ended, requests);
    };
    let drawing = Drawing {
        tab: &tab,
        replay,
        page,
        settings,
        is_opened: false,
        requests: &mut requests,
    };
    let drawn = match timeout(settings.page_timeout, drawing.run()).await {
        Ok(Ok(drawn)) => drawn,
        Ok(Err(BrowserError::Ended)) => Drawn::Ended,
        Ok(Err(_)) => Drawn::Failed(Failure::NotOpened),
        Err(_) => Drawn::Failed(Failure::TimedOut),
    };
    // (A tab that cannot be closed ends with its browser.)
    timeout(CLOSE, tab.close()).await.ok();
    (drawn, requests)
}

struct Drawing<'a> {
    tab: &'a Page,
    replay: &'a Arc<Replay>,
    page: &'a PageToDraw,
    settings: &'a Settings,
    /// Whether the page itself was answered: a second document is another page.
    is_opened: bool,
    requests: &'a mut Requests,
}

impl Drawing<'_> {
    async fn run(mut self) -> Result<Drawn, BrowserError> {
        let session = self.tab.session();
        let mut events = session.events();
        let frame = self.begin().await?;
        let mut opening = pin!(session.call("Page.navigate", json!({"url": self.page.url})));
        let mut is_open = false;
        loop {
            let event = tokio::select! {
                biased;
                opened = &mut opening, if !is_open => {
                    if opened?["errorText"].is_string() {
                        return Ok(Drawn::Failed(Failure::NotOpened));
                    }
                    // Not before: the empty page that was there would use up the time.
                    is_open = true;
                    self.run_clock()?;
                    continue;
                }
                event = events.next() => event,
            };
            let Some(Event { method, params }) = event else {
                return Err(BrowserError::Ended);
            };
            match method.as_str() {
                "Fetch.requestPaused" => self.answer(&params, &frame).await?,
                "Page.javascriptDialogOpening" => {
                    session.send("Page.handleJavaScriptDialog", json!({"accept": false}))?;
                }
                "Emulation.virtualTimeBudgetExpired" => return self.read(&frame).await,
                "Inspector.targetCrashed" | "Inspector.detached" => return Ok(Drawn::Ended),
                _ => {}
            }
        }
    }

    /// Sets the tab up. Returns the id of its frame.
    async fn begin(&self) -> Result<String, BrowserError> {
        let session = self.tab.session();
        session.send("Page.enable", json!({}))?;
        session.send("Inspector.enable", json!({}))?;
        session.send("Fetch.enable", json!({"patterns": [{"urlPattern": "*"}]}))?;
        session.send(
            "Browser.setDownloadBehavior",
            json!({"behavior": "deny", "browserContextId": self.tab.context()}),
        )?;
        session.send(
            "Page.addScriptToEvaluateOnNewDocument",
            json!({"source": include_str!("scripts/before.js")}),
        )?;
        session.send(
            "Emulation.setVirtualTimePolicy",
            json!({"policy": "pause", "initialVirtualTime": self.page.date as f64 / 1000.0}),
        )?;
        let tree = session.call("Page.getFrameTree", json!({})).await?;
        let frame = &tree["frameTree"]["frame"]["id"];
        Ok(frame.as_str().unwrap_or_default().to_owned())
    }

    /// Lets the virtual clock run for the time of a page, but not while a request is under way.
    fn run_clock(&self) -> Result<(), BrowserError> {
        let budget = self.settings.virtual_time.as_millis() as u64;
        self.tab.session().send(
            "Emulation.setVirtualTimePolicy",
            json!({
                "policy": "pauseIfNetworkFetchesPending", "budget": budget,
                "maxVirtualTimeTaskStarvationCount": TASKS,
            }),
        )
    }

    /// Answers a request, or lets it fail.
    async fn answer(&mut self, params: &Value, frame: &str) -> Result<(), BrowserError> {
        let id = params["requestId"].as_str().unwrap_or_default();
        let of_type = params["resourceType"].as_str().unwrap_or_default();
        let request = &params["request"];
        let is_own = of_type == "Document" && params["frameId"] == frame;
        if is_own && !std::mem::replace(&mut self.is_opened, true) {
            return self.fulfil(id, &self.page.answer);
        }
        // The browser asks for icons by itself.
        if of_type == "Other" {
            return self.fail(id, "BlockedByClient");
        }
        if is_own {
            // Another page: this one stays.
            self.requests.refused += 1;
            return self.fail(id, "Aborted");
        }
        match request["method"].as_str().unwrap_or_default() {
            "GET" | "HEAD" => {}
            "OPTIONS" => return self.fulfil(id, &permission(&request["headers"])),
            _ => {
                self.requests.refused += 1;
                return self.fail(id, "BlockedByClient");
            }
        }
        let url = request["url"].as_str().unwrap_or_default().to_owned();
        let (replay, date) = (Arc::clone(self.replay), self.page.date);
        let found = tokio::task::spawn_blocking(move || replay.of_url(&url, date)).await;
        match found {
            Ok(Ok(Some(answer))) => {
                self.requests.answered += 1;
                self.fulfil(id, &answer)
            }
            // (An archive that changed meanwhile has nothing of the URL any more.)
            _ => {
                self.requests.missing += 1;
                self.fail(id, "NameNotResolved")
            }
        }
    }

    fn fulfil(&self, id: &str, answer: &Answer) -> Result<(), BrowserError> {
        let session = self.tab.session();
        session.send("Fetch.fulfillRequest", answer.params(id))
    }

    fn fail(&self, id: &str, reason: &str) -> Result<(), BrowserError> {
        let params = json!({"requestId": id, "errorReason": reason});
        self.tab.session().send("Fetch.failRequest", params)
    }

    /// Reads the page as it is now.
    async fn read(&self, frame: &str) -> Result<Drawn, BrowserError> {
        let session = self.tab.session();
        // A world of its own: what a page did to the objects of the language is not there.
        let world = json!({"frameId": frame, "worldName": "gleaner"});
        let world = session.call("Page.createIsolatedWorld", world).await?;
        let limit = self.settings.max_page;
        let params = json!({
            "expression": format!("({})({limit})", include_str!("scripts/after.js").trim()),
            "contextId": world["executionContextId"], "returnByValue": true,
        });
        let mut read = session.call("Runtime.evaluate", params).await?;
        let mut value = read["result"]["value"].take();
        let is_cut = value["cut"] == true;
        match value["html"].take() {
            Value::String(mut html) if !html.is_empty() => {
                let end = html.floor_char_boundary(limit);
                let is_cut = is_cut || end < html.len();
                html.truncate(end);
                Ok(Drawn::Html { html, is_cut })
            }
            _ => Ok(Drawn::Failed(Failure::NotOpened)),
        }
    }
}

/// The answer to a page that asks whether it may read from another site.
fn permission(headers: &Value) -> Answer {
    let of = |name: &str| {
        let headers = headers.as_object().into_iter().flatten();
        let mut found = headers.filter(|(found, _)| found.eq_ignore_ascii_case(name));
        found.next().and_then(|(_, value)| value.as_str())
    };
    let asked = of("Access-Control-Request-Headers").unwrap_or_default();
    Answer::permission(of("Origin").unwrap_or("*"), asked)
}
