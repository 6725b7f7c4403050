//! All pages: drawn in several tabs, written in the order of the archives.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use futures::StreamExt;
use gleaner_store::{Shard, Store};
use tokio::sync::Semaphore;
use tokio::time::sleep;

use crate::Error;
use crate::browser::{BrowserError, find};
use crate::browsers::Browsers;
use crate::captures::{Captures, Choice, Found, Place};
use crate::output::Output;
use crate::progress::Progress;
use crate::replay::{PageToDraw, Replay};
use crate::settings::Settings;
use crate::summary::{Failure, Requests, Summary};
use crate::tab::{Drawn, draw};

/// Pages under way for each tab: those that are drawn wait for those before them.
const AHEAD: usize = 4;
const LOOK: Duration = Duration::from_millis(50);

/// Draws the pages of archives, and writes them to a new archive. It appears when it is whole.
///
/// # Errors
/// An archive cannot be read, there is no browser, or the output cannot be written.
pub fn render(
    store: Store,
    shards: Vec<Shard>,
    settings: &Settings,
    stop: &AtomicBool,
    progress: &Progress,
) -> Result<Summary, Error> {
    Output::check(&settings.out)?;
    find(settings.browser.as_deref())?;
    let choice = Choice {
        all: settings.all,
        limit: settings.limit,
    };
    let is_stopped = || stop.load(Relaxed);
    let (captures, found) = Captures::read(store, shards, choice, progress, &is_stopped)?;
    let mut summary = Summary {
        pages: found.looked_at,
        not_needed: found.not_needed,
        damaged: found.damaged,
        ..Summary::default()
    };
    if found.no_address > 0 {
        summary.failed.insert(Failure::NoWebAddress, found.no_address);
    }
    // Dropped after the runtime: it has one of its own.
    let replay = Arc::new(Replay::new(captures));
    let runtime = tokio::runtime::Runtime::new().map_err(Error::Threads)?;
    runtime.block_on(async {
        let job = Job {
            replay: Arc::clone(&replay),
            settings,
            stop,
            progress,
        };
        job.run(found, &mut summary).await
    })?;
    drop(runtime);
    Ok(summary)
}

struct Job<'a> {
    replay: Arc<Replay>,
    settings: &'a Settings,
    stop: &'a AtomicBool,
    progress: &'a Progress,
}

/// A page with what came of it.
type Done = (Option<PageToDraw>, Drawn, Requests);

impl Job<'_> {
    async fn run(&self, found: Found, summary: &mut Summary) -> Result<(), Error> {
        let browsers = Browsers::start(self.settings).await?;
        tokio::select! {
            result = self.draw_all(&browsers, found, summary) => result,
            () = self.stopped() => Err(Error::Interrupted),
            never = browsers.watch_memory(self.settings.max_memory) => match never {},
        }
    }

    async fn stopped(&self) {
        while !self.stop.load(Relaxed) {
            sleep(LOOK).await;
        }
    }

    async fn draw_all(&self, browsers: &Browsers, found: Found, summary: &mut Summary) -> Result<(), Error> {
        summary.browser = browsers.next().await?.version().await?;
        let mut output = Output::create(&self.settings.out)?;
        let date = match found.pages.first() {
            Some(&first) => self.page(first).await?.map_or(0, |page| page.date),
            None => 0,
        };
        output.write_info(&summary.browser, self.settings, date)?;
        let tabs = Semaphore::new(self.settings.tabs);
        let tabs = &tabs;
        let drawing = found.pages.into_iter().map(|place| async move {
            let _tab = tabs.acquire().await.expect("it is never closed");
            self.draw(browsers, place).await
        });
        let mut done = futures::stream::iter(drawing).buffered(self.settings.tabs * AHEAD);
        while let Some(page) = done.next().await {
            self.write(page?, &mut output, summary)?;
        }
        summary.bytes = output.finish()?;
        Ok(())
    }

    /// Draws a page, and once more if its process ends.
    async fn draw(&self, browsers: &Browsers, place: Place) -> Result<Done, Error> {
        let Some(page) = self.page(place).await? else {
            return Ok((None, Drawn::Failed(Failure::NotRead), Requests::default()));
        };
        for _ in 0..2 {
            let browser = browsers.next().await?;
            let (drawn, requests) = draw(&browser, &self.replay, &page, self.settings).await;
            if !matches!(drawn, Drawn::Ended) {
                return Ok((Some(page), drawn, requests));
            }
        }
        let drawn = Drawn::Failed(Failure::Crashed);
        Ok((Some(page), drawn, Requests::default()))
    }

    async fn page(&self, place: Place) -> Result<Option<PageToDraw>, Error> {
        let replay = Arc::clone(&self.replay);
        let read = tokio::task::spawn_blocking(move || replay.page(place)).await;
        read.unwrap_or(Err(Error::Browser(BrowserError::Ended)))
    }

    fn write(
        &self,
        (page, drawn, requests): Done,
        output: &mut Output,
        summary: &mut Summary,
    ) -> Result<(), Error> {
        self.progress.done.fetch_add(1, Relaxed);
        summary.requests.add(requests);
        let url = page
            .as_ref()
            .map(|page| page.target_uri.as_str())
            .unwrap_or_default();
        match (&page, drawn) {
            (Some(page), Drawn::Html { html, is_cut }) => {
                output.write_page(page, &html, is_cut)?;
                summary.drawn += 1;
                summary.cut += u64::from(is_cut);
            }
            (_, Drawn::Failed(reason)) => summary.add_failed(url, reason),
            (_, Drawn::Ended) | (None, Drawn::Html { .. }) => summary.add_failed(url, Failure::Crashed),
        }
        Ok(())
    }
}
