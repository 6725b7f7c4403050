//! HTTP clients that count requests, and that record how long a busy server wants no requests (`Retry-After`).

use std::borrow::Cow;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpResponseBody, HttpService,
    ReqwestConnector,
};

use crate::backend::{Purpose, RETRY_AFTER};
use crate::length::with_length;
use crate::listing::PageEnd;
use crate::odd_requests::OddRequests;
use crate::{Counts, Options, keys};

/// Makes such clients.
#[derive(Clone, Debug)]
pub(crate) struct Polite {
    purpose: Purpose,
    longest: Duration,
    counts: Arc<Counts>,
    /// Whether the servers are plain web servers, whose answers may have no length.
    web: bool,
    odd: OddRequests,
}

impl Polite {
    pub(crate) fn new(purpose: Purpose, options: &Options) -> Polite {
        Polite {
            purpose,
            longest: options.max_backoff,
            counts: Arc::clone(&options.counts),
            web: false,
            odd: OddRequests::default(),
        }
    }

    /// For web servers.
    pub(crate) fn for_web(options: &Options) -> Polite {
        Polite {
            web: true,
            ..Polite::new(Purpose::Read, options)
        }
    }

    /// How requests for odd keys are made.
    pub(crate) fn odd(&self) -> &OddRequests {
        &self.odd
    }
}

impl HttpConnector for Polite {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(Service {
            client: ReqwestConnector::default().connect(options)?,
            polite: self.clone(),
        }))
    }
}

#[derive(Debug)]
struct Service {
    client: HttpClient,
    polite: Polite,
}

/// A call, as a trait object.
type Call<'a> = Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'a>>;

impl HttpService for Service {
    fn call<'a, 'b>(&'a self, request: HttpRequest) -> Call<'b>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async {
            self.polite.counts.requests.fetch_add(1, Relaxed);
            let lists = is_listing(request.uri().query().unwrap_or_default());
            let end = request.extensions().get::<PageEnd>().cloned();
            let answer = self.polite.odd.execute(&self.client, request).await?;
            match asked_for(&answer) {
                Some(seconds) => self.polite.heard(answer, seconds).await,
                None if self.polite.web => Ok(with_length(answer)),
                None if lists && answer.status().is_success() => plain_listing(answer, end).await,
                None => Ok(answer),
            }
        })
    }
}

/// Whether a request is for a listing: of S3 and Google's store, or of Azure's.
fn is_listing(query: &str) -> bool {
    query
        .split('&')
        .any(|pair| pair == "list-type=2" || pair == "comp=list")
}

/// A listing with aliases for the keys that the client cannot read; what it says of its end is noted.
async fn plain_listing(answer: HttpResponse, end: Option<PageEnd>) -> Result<HttpResponse, HttpError> {
    let (parts, body) = answer.into_parts();
    let listing = body.bytes().await?;
    if let Some(end) = end {
        end.read(&listing);
    }
    let body = match keys::with_aliases(&listing) {
        Cow::Borrowed(_) => HttpResponseBody::from(listing),
        Cow::Owned(changed) => HttpResponseBody::from(changed),
    };
    Ok(HttpResponse::from_parts(parts, body))
}

/// The seconds in `Retry-After`. A date is not supported: clocks differ.
fn asked_for(answer: &HttpResponse) -> Option<u64> {
    if !matches!(answer.status().as_u16(), 429 | 503) {
        return None;
    }
    answer
        .headers()
        .get("retry-after")?
        .to_str()
        .ok()?
        .trim()
        .parse()
        .ok()
}

impl Polite {
    /// A client that repeats requests by itself gets its answer late. Otherwise the text of the answer has the seconds
    /// to wait.
    async fn heard(&self, answer: HttpResponse, seconds: u64) -> Result<HttpResponse, HttpError> {
        if self.purpose == Purpose::Write {
            tokio::time::sleep(Duration::from_secs(seconds).min(self.longest)).await;
            return Ok(answer);
        }
        let (parts, body) = answer.into_parts();
        let said = body.bytes().await?;
        let text = format!(
            "{} {RETRY_AFTER}{seconds})",
            String::from_utf8_lossy(&said).trim()
        );
        Ok(HttpResponse::from_parts(parts, HttpResponseBody::from(text)))
    }
}
