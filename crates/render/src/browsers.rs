//! The browser that draws: started again when it ends, and after some hundred pages.

use std::convert::Infallible;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};

use crate::browser::{Browser, BrowserError, Launch};
use crate::memory::{LOOK, end_large};
use crate::settings::Settings;

/// Pages that a browser draws before another one takes its place: what it loses in memory is bounded.
const PAGES: u64 = 500;
/// How long a browser that lives may take to answer.
const ANSWER: Duration = Duration::from_secs(10);

/// Nothing leaves the machine, even a request that is not intercepted: the proxy is a port where nothing listens, no name is
/// resolved, and addresses of this machine are no exception.
const ARGUMENTS: [&str; 15] = [
    "--proxy-server=127.0.0.1:1",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--dns-prefetch-disable",
    "--no-pings",
    // A frame of another site is in the process of its page, where its requests are intercepted with those of the page.
    "--disable-site-isolation-trials",
    "--disable-features=IsolateOrigins,site-per-process,Translate,OptimizationHints,MediaRouter",
    // Nothing depends on whether a tab is in front.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-back-forward-cache",
    "--autoplay-policy=user-gesture-required",
    "--window-size=1280,1024",
    "--lang=en-US",
];

/// A browser for many pages.
#[derive(Debug)]
pub(crate) struct Browsers {
    launch: Launch,
    now: Mutex<Running>,
    /// All that still draw a page.
    running: parking_lot::Mutex<Vec<Weak<Browser>>>,
}

#[derive(Debug)]
struct Running {
    browser: Arc<Browser>,
    pages: u64,
}

impl Browsers {
    pub(crate) async fn start(settings: &Settings) -> Result<Browsers, BrowserError> {
        let mut arguments: Vec<String> = ARGUMENTS.map(str::to_owned).to_vec();
        let mebibytes = (settings.max_memory >> 20).max(16);
        arguments.push(format!("--js-flags=--max-old-space-size={mebibytes}"));
        let launch = Launch {
            program: settings.browser.clone(),
            arguments,
            environment: vec![("TZ".to_owned(), "UTC".to_owned())],
        };
        let browser = Arc::new(Browser::launch(&launch).await?);
        let browsers = Browsers {
            launch,
            running: parking_lot::Mutex::new(vec![Arc::downgrade(&browser)]),
            now: Mutex::new(Running { browser, pages: 0 }),
        };
        Ok(browsers)
    }

    fn add(&self, browser: &Arc<Browser>) {
        let mut running = self.running.lock();
        running.retain(|browser| browser.strong_count() > 0);
        running.push(Arc::downgrade(browser));
    }

    /// Ends pages that take more memory than they may, for ever.
    pub(crate) async fn watch_memory(&self, limit: u64) -> Infallible {
        loop {
            sleep(LOOK).await;
            let browsers: Vec<Arc<Browser>> = self.running.lock().iter().filter_map(Weak::upgrade).collect();
            for browser in browsers {
                end_large(&browser, limit);
            }
        }
    }

    /// The browser for the next page.
    pub(crate) async fn next(&self) -> Result<Arc<Browser>, BrowserError> {
        let mut now = self.now.lock().await;
        if now.pages >= PAGES || !is_alive(&now.browser).await {
            // The old one ends when its last page is drawn.
            now.browser = Arc::new(Browser::launch(&self.launch).await?);
            now.pages = 0;
            self.add(&now.browser);
        }
        now.pages += 1;
        Ok(Arc::clone(&now.browser))
    }
}

async fn is_alive(browser: &Browser) -> bool {
    matches!(timeout(ANSWER, browser.version()).await, Ok(Ok(_)))
}
