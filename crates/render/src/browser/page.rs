//! A tab: what tests of a page need.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use super::keys::Key;
use super::{BrowserError, Event, Events, Session};

const WAIT: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(20);

/// What a page wrote to its console, or an exception that no script caught.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// `log`, `warning`, `error`, or `exception`.
    pub level: String,
    /// Its text.
    pub text: String,
}

/// What a page requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The method of HTTP.
    pub method: String,
    /// Its address.
    pub url: String,
}

/// What a page reported since it was opened.
#[derive(Debug, Default)]
struct Log {
    messages: Vec<Message>,
    requests: Vec<Request>,
}

/// A tab with a storage of its own. Dropped, it stays open until the browser ends: [`Page::close`] closes it.
#[derive(Debug)]
pub struct Page {
    browser: Session,
    session: Session,
    context: String,
    target: String,
    log: Arc<Mutex<Log>>,
}

impl Page {
    pub(super) async fn open_tab(browser: &Session) -> Result<Page, BrowserError> {
        let context = browser
            .call("Target.createBrowserContext", json!({"disposeOnDetach": true}))
            .await?;
        let context = text(&context["browserContextId"]);
        let target = json!({"url": "about:blank", "browserContextId": context});
        let target = text(&browser.call("Target.createTarget", target).await?["targetId"]);
        let attach = json!({"targetId": target, "flatten": true});
        let attached = browser.call("Target.attachToTarget", attach).await?;
        let session = browser.with(&text(&attached["sessionId"]));
        let log = Arc::default();
        tokio::spawn(write_log(session.events(), Arc::clone(&log)));
        Ok(Page {
            browser: browser.clone(),
            session,
            context,
            target,
            log,
        })
    }

    /// The session of the tab, for all other methods.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The id of the tab as a target.
    #[must_use]
    pub fn target(&self) -> &str {
        &self.target
    }

    /// The id of its storage.
    #[must_use]
    pub fn context(&self) -> &str {
        &self.context
    }

    /// Opens a URL, and waits until the page and what belongs to it is loaded. From now on messages and requests are kept.
    ///
    /// # Errors
    /// It cannot be loaded, or not in half a minute.
    pub async fn open(&self, url: &str) -> Result<(), BrowserError> {
        for domain in ["Page", "Runtime", "Network"] {
            self.session.call(&format!("{domain}.enable"), json!({})).await?;
        }
        let mut events = self.session.events();
        let opened = self.session.call("Page.navigate", json!({"url": url})).await?;
        if let Some(error) = opened["errorText"].as_str() {
            return Err(BrowserError::Call {
                method: format!("opening {url}"),
                message: error.to_owned(),
            });
        }
        let loaded = async {
            while let Some(event) = events.next().await {
                if event.method == "Page.loadEventFired" {
                    return Ok(());
                }
            }
            Err(BrowserError::Ended)
        };
        timeout(WAIT, loaded)
            .await
            .unwrap_or_else(|_| Err(waited(&format!("the load of {url}"))))
    }

    /// The value of an expression; a promise is waited for. It becomes JSON.
    ///
    /// # Errors
    /// It throws an exception, or the browser ended.
    pub async fn evaluate(&self, expression: &str) -> Result<Value, BrowserError> {
        let params = json!({
            "expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true,
        });
        let mut result = self.session.call("Runtime.evaluate", params).await?;
        match result.get("exceptionDetails") {
            Some(details) => Err(BrowserError::Script(exception(details))),
            None => Ok(result["result"]["value"].take()),
        }
    }

    /// Waits until an expression is true.
    ///
    /// # Errors
    /// It throws an exception, or is not true in half a minute.
    pub async fn wait_for(&self, expression: &str) -> Result<(), BrowserError> {
        let begin = Instant::now();
        while self.evaluate(&format!("!!({expression})")).await? != true {
            if begin.elapsed() > WAIT {
                return Err(waited(expression));
            }
            sleep(LOOK).await;
        }
        Ok(())
    }

    /// Presses a key and releases it: a character, or a name such as `Enter`, `Tab`, `Escape`, `ArrowDown`; modifiers come
    /// before it: `Control+a`, `Shift+Tab`.
    ///
    /// # Errors
    /// There is no such key, or the browser ended.
    pub async fn press(&self, name: &str) -> Result<(), BrowserError> {
        let key = Key::named(name).ok_or_else(|| BrowserError::Call {
            method: "pressing a key".to_owned(),
            message: format!("no key '{name}'"),
        })?;
        for kind in ["keyDown", "keyUp"] {
            let params = key.event(kind);
            self.session.call("Input.dispatchKeyEvent", params).await?;
        }
        Ok(())
    }

    /// Types a text into the element that has the focus.
    ///
    /// # Errors
    /// The browser ended.
    pub async fn type_text(&self, text: &str) -> Result<(), BrowserError> {
        let params = json!({"text": text});
        self.session.call("Input.insertText", params).await.map(drop)
    }

    /// Clicks into the middle of the first element that a selector of CSS finds, after scrolling to it.
    ///
    /// # Errors
    /// There is none, or the browser ended.
    pub async fn click(&self, selector: &str) -> Result<(), BrowserError> {
        let place = self
            .evaluate(&format!(
                "(() => {{ const found = document.querySelector({}); if (!found) return null; \
                 found.scrollIntoView({{block: 'center'}}); const box = found.getBoundingClientRect(); \
                 return [box.x + box.width / 2, box.y + box.height / 2]; }})()",
                Value::from(selector)
            ))
            .await?;
        if place.is_null() {
            return Err(BrowserError::Script(format!("no element '{selector}'")));
        }
        for kind in ["mousePressed", "mouseReleased"] {
            let params =
                json!({"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1});
            self.session.call("Input.dispatchMouseEvent", params).await?;
        }
        Ok(())
    }

    /// Sets the width and the height of the page, in pixels of CSS.
    ///
    /// # Errors
    /// The browser ended.
    pub async fn set_viewport(&self, width: u32, height: u32) -> Result<(), BrowserError> {
        let params = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        let method = "Emulation.setDeviceMetricsOverride";
        self.session.call(method, params).await.map(drop)
    }

    /// Sets a feature of media queries: `prefers-color-scheme` to `dark`.
    ///
    /// # Errors
    /// The browser ended.
    pub async fn set_media_feature(&self, name: &str, value: &str) -> Result<(), BrowserError> {
        let params = json!({"features": [{"name": name, "value": value}]});
        let method = "Emulation.setEmulatedMedia";
        self.session.call(method, params).await.map(drop)
    }

    /// A picture of what is visible, as PNG.
    ///
    /// # Errors
    /// The browser ended.
    pub async fn screenshot(&self) -> Result<Vec<u8>, BrowserError> {
        let params = json!({"format": "png"});
        let picture = self.session.call("Page.captureScreenshot", params).await?;
        let data = picture["data"].as_str().unwrap_or_default();
        STANDARD.decode(data).map_err(|error| BrowserError::Call {
            method: "Page.captureScreenshot".to_owned(),
            message: error.to_string(),
        })
    }

    /// What the page wrote to its console so far, and exceptions that no script caught.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        self.log.lock().messages.clone()
    }

    /// What the page requested so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.log.lock().requests.clone()
    }

    /// Closes the tab and removes its storage.
    ///
    /// # Errors
    /// The browser ended.
    pub async fn close(self) -> Result<(), BrowserError> {
        self.session.forget();
        let params = json!({"browserContextId": self.context});
        let method = "Target.disposeBrowserContext";
        self.browser.call(method, params).await.map(drop)
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn waited(what: &str) -> BrowserError {
    BrowserError::Wait {
        what: what.to_owned(),
        seconds: WAIT.as_secs(),
    }
}

/// The text of an exception.
fn exception(details: &Value) -> String {
    let thrown = &details["exception"];
    let texts = [&thrown["description"], &thrown["value"], &details["text"]];
    let first = texts.into_iter().find(|text| !text.is_null());
    match first {
        Some(Value::String(text)) => text.clone(),
        other => other.map(Value::to_string).unwrap_or_default(),
    }
}

async fn write_log(mut events: Events, log: Arc<Mutex<Log>>) {
    while let Some(Event { method, params }) = events.next().await {
        match method.as_str() {
            "Runtime.consoleAPICalled" => log.lock().messages.push(Message {
                level: text(&params["type"]),
                text: console_text(&params["args"]),
            }),
            "Runtime.exceptionThrown" => log.lock().messages.push(Message {
                level: "exception".to_owned(),
                text: exception(&params["exceptionDetails"]),
            }),
            "Network.requestWillBeSent" => log.lock().requests.push(Request {
                method: text(&params["request"]["method"]),
                url: text(&params["request"]["url"]),
            }),
            _ => {}
        }
    }
}

/// What a call of the console prints, with spaces between its arguments.
fn console_text(arguments: &Value) -> String {
    let arguments = arguments.as_array().map_or(&[][..], Vec::as_slice);
    let texts = arguments.iter().map(|argument| match &argument["value"] {
        Value::Null => text(&argument["description"]),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    texts.collect::<Vec<_>>().join(" ")
}
