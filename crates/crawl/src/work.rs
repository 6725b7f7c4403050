//! What is done for one URL, on any thread: the request, and the records of its answer.

use std::sync::Arc;
use std::time::Duration;

use gleaner_warc::{http as message, media_type};
use http::HeaderMap;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH};
use parking_lot::Mutex;
use url::Url;

use crate::archive::now;
use crate::capture::{Bench, Captured, Context};
use crate::fetch::{Answer, Ask, Connection, Connector, Failure, fetch};
use crate::frontier::{HostId, Waiting};
use crate::journal::{Found, RobotsVerdict};
use crate::rules::verdict;
use crate::settings::Settings;
use crate::since::{Earlier, Previous};
use crate::summary::{Outcome, Reason};

/// Redirects of a robots.txt that are followed (RFC 9309, section 2.3.1.2).
const ROBOTS_REDIRECTS: usize = 5;
/// Bytes of a robots.txt that are kept: twice what is read of it.
const ROBOTS_BYTES: usize = 1 << 20;

/// What all requests share.
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) user_agent: String,
    pub(crate) connector: Connector,
    pub(crate) earlier: Earlier,
    pub(crate) benches: Mutex<Vec<Bench>>,
}

/// A request to be made.
#[derive(Debug)]
pub(crate) enum Job {
    Page(Page),
    /// The robots.txt of an origin.
    Robots {
        origin: String,
        url: Url,
    },
}

/// A page to be fetched.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) waiting: Waiting,
    pub(crate) found: Found,
    pub(crate) url: Url,
    pub(crate) via: Option<String>,
}

/// What came of a request.
pub(crate) struct Report {
    pub(crate) host: HostId,
    pub(crate) came: Came,
    /// To be used again.
    pub(crate) connection: Option<Connection>,
}

/// What came of a job.
pub(crate) enum Came {
    Page(Page, Result<Answered, Failure>),
    Robots {
        origin: String,
        url: Url,
        answered: Option<Answered>,
        said: RobotsSaid,
    },
}

/// What a robots.txt says, and which sitemaps it names; or why that is not known, with what more is known of it.
pub(crate) type RobotsSaid = Result<(RobotsVerdict, Vec<String>), (Reason, String)>;

/// An answer, as it goes into the archive.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) bytes: u64,
    pub(crate) is_unwanted: bool,
    /// How long the server wants to be left alone.
    pub(crate) retry_after: Option<Duration>,
    pub(crate) captured: Captured,
}

impl Answered {
    /// What became of its URL.
    pub(crate) fn outcome(&self) -> Outcome {
        match self.captured.is_unchanged {
            true => Outcome::Unchanged,
            false => Outcome::Fetched(self.status),
        }
    }
}

/// Does a job.
pub(crate) async fn work(shared: Arc<Shared>, host: HostId, job: Job, kept: Option<Connection>) -> Report {
    let (came, connection) = match job {
        Job::Page(page) => {
            let (result, connection) = page_work(&shared, &page, kept).await;
            (Came::Page(page, result), connection)
        }
        Job::Robots { origin, url } => {
            let (answered, said, connection) = robots_work(&shared, &url, kept).await;
            let came = Came::Robots {
                origin,
                url,
                answered,
                said,
            };
            (came, connection)
        }
    };
    Report {
        host,
        came,
        connection,
    }
}

async fn page_work(
    shared: &Shared,
    page: &Page,
    kept: Option<Connection>,
) -> (Result<Answered, Failure>, Option<Connection>) {
    let previous = shared.earlier.of(&page.url);
    let settings = &shared.settings;
    let ask = Ask {
        url: &page.url,
        user_agent: &shared.user_agent,
        conditions: previous.as_ref().map(conditions).unwrap_or_default(),
        most_bytes: settings.limits.page_bytes,
        most_time: settings.limits.page_time,
    };
    let wants = |status: u16, headers: &HeaderMap| {
        !(200..300).contains(&status) || wants(settings, &page.url, headers)
    };
    let time = now();
    let (result, connection) = fetch(&shared.connector, kept, &ask, wants).await;
    let (depth, redirects) = (page.found.depth as usize, page.found.redirects as usize);
    let hops = "L".repeat(depth) + &"R".repeat(redirects);
    let context = Context {
        url: &page.url,
        time,
        via: page.via.as_deref(),
        is_seed: page.found.seed.is_some(),
        hops: &hops,
        earlier: Some(&shared.earlier),
        previous: previous.as_ref(),
    };
    let answered = result.map(|answer| shared.answered(&answer, &context));
    (answered, connection)
}

/// Fetches a robots.txt, wherever it was moved to. What is kept is the answer of the origin itself.
async fn robots_work(
    shared: &Shared,
    url: &Url,
    kept: Option<Connection>,
) -> (Option<Answered>, RobotsSaid, Option<Connection>) {
    let previous = shared.earlier.of(url);
    let time = now();
    let (result, connection) = shared.fetch_robots(url, kept).await;
    let mut answer = match result {
        Ok(answer) => answer,
        Err(failure) => {
            let said = Err((failure.reason(), failure.to_string()));
            return (None, said, connection);
        }
    };
    let context = Context {
        url,
        time,
        via: None,
        is_seed: false,
        hops: "P",
        earlier: None,
        previous: previous.as_ref(),
    };
    let answered = shared.answered(&answer, &context);
    let mut target = url.clone();
    let mut redirects = 0;
    while let Some(next) = redirect(&answer, &target) {
        redirects += 1;
        if redirects > ROBOTS_REDIRECTS {
            return (Some(answered), Ok((RobotsVerdict::All, Vec::new())), connection);
        }
        target = next;
        answer = match shared.fetch_robots(&target, None).await.0 {
            Ok(answer) => answer,
            Err(failure) => {
                let said = Err((failure.reason(), failure.to_string()));
                return (Some(answered), said, connection);
            }
        };
    }
    let body = decoded(&answer);
    let unknown = || (Reason::RobotsUnknown, format!("status {}", answer.status));
    let verdict = verdict(answer.status, &body).ok_or_else(unknown);
    (Some(answered), verdict, connection)
}

/// Where an answer leads to.
fn redirect(answer: &Answer, url: &Url) -> Option<Url> {
    let location = answer.header("location")?;
    let target = url.join(location).ok()?;
    let leads = matches!(answer.status, 301 | 302 | 303 | 307 | 308);
    (leads && matches!(target.scheme(), "http" | "https")).then_some(target)
}

impl Shared {
    async fn fetch_robots(
        &self,
        url: &Url,
        kept: Option<Connection>,
    ) -> (Result<Answer, Failure>, Option<Connection>) {
        let ask = Ask {
            url,
            user_agent: &self.user_agent,
            conditions: Vec::new(),
            most_bytes: ROBOTS_BYTES,
            most_time: self.settings.limits.page_time,
        };
        fetch(&self.connector, kept, &ask, |_, _| true).await
    }

    /// Makes the records of an answer, at a bench that is free.
    fn answered(&self, answer: &Answer, context: &Context<'_>) -> Answered {
        let mut bench = self.benches.lock().pop().unwrap_or_default();
        let captured = match answer.is_unwanted {
            true => Captured::default(),
            false => bench.capture(answer, context),
        };
        self.benches.lock().push(bench);
        Answered {
            status: answer.status,
            bytes: answer.body.len() as u64,
            is_unwanted: answer.is_unwanted,
            retry_after: answer.header("retry-after").and_then(retry_after),
            captured,
        }
    }
}

/// Whether the body of a page is kept, by its media type. Sitemaps are, and they may be compressed.
fn wants(settings: &Settings, url: &Url, headers: &HeaderMap) -> bool {
    let content_type = headers
        .get(CONTENT_TYPE)
        .map(HeaderValue::as_bytes)
        .unwrap_or_default();
    let media_type = media_type(&String::from_utf8_lossy(content_type));
    let is_sitemap = [".xml", ".xml.gz"]
        .iter()
        .any(|ending| url.path().ends_with(ending));
    let may_be_sitemap =
        media_type.ends_with("/xml") || media_type.ends_with("gzip") || media_type.ends_with("octet-stream");
    settings.takes_type(&media_type) || (is_sitemap && may_be_sitemap)
}

/// By which a server says that a page is as it was.
fn conditions(previous: &Previous) -> Vec<(HeaderName, HeaderValue)> {
    let lines = [
        (IF_NONE_MATCH, &previous.etag),
        (IF_MODIFIED_SINCE, &previous.last_modified),
    ];
    let value = |text: &Option<String>| HeaderValue::from_str(text.as_deref()?).ok();
    lines
        .into_iter()
        .filter_map(|(name, text)| Some((name, value(text)?)))
        .collect()
}

/// `120`, or a date.
fn retry_after(value: &str) -> Option<Duration> {
    if let Ok(seconds) = value.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = chrono::DateTime::parse_from_rfc2822(value.trim()).ok()?;
    let wait = date.timestamp_millis() - now();
    Some(Duration::from_millis(u64::try_from(wait).unwrap_or_default()))
}

/// The body of an answer without its content codings.
fn decoded(answer: &Answer) -> Vec<u8> {
    let whole = [&answer.head[..], &answer.body].concat();
    let mut scratch = message::Scratch::default();
    match message::parse(&whole, &mut scratch, &message::Limits::default()) {
        Ok(message) => message.body.to_vec(),
        Err(_) => answer.body.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_ask_for_a_pause_in_seconds_or_by_a_date() {
        assert_eq!(retry_after(" 120"), Some(Duration::from_secs(120)));
        assert_eq!(retry_after("Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO));
        assert!(retry_after("Wed, 21 Oct 2099 07:28:00 GMT").unwrap() > Duration::from_secs(1 << 20));
        assert_eq!(retry_after("soon"), None);
    }
}
