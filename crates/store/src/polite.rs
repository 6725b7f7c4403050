//! HTTP clients that count requests, and give the status of a refused one and the pause that a busy server requests
//! (`Retry-After`) as a [`Refusal`].

use std::borrow::Cow;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use http::Method;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody,
    HttpService, ReqwestConnector,
};

use crate::length::with_length;
use crate::odd_requests::OddRequests;
use crate::page_end::PageEnd;
use crate::purpose::Purpose;
use crate::retry::Refusal;
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
            let is_put = request.method() == Method::PUT;
            let end = request.extensions().get::<PageEnd>().cloned();
            let answer = self.polite.odd.execute(&self.client, request).await?;
            match answer.status() {
                status if status.as_u16() >= 300 => self.polite.refused(answer, is_put).await,
                _ if self.polite.web => Ok(with_length(answer)),
                _ if lists => plain_listing(answer, end).await,
                _ => Ok(answer),
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

/// A listing with aliases for the keys that the client cannot read; the end that it reports is noted.
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

impl Polite {
    /// The error of an answer that refuses a request. The client gets the answer itself where it repeats requests on its own,
    /// late if the server is busy, and where it knows the statuses of a PUT.
    async fn refused(&self, answer: HttpResponse, is_put: bool) -> Result<HttpResponse, HttpError> {
        let (status, pause) = (answer.status(), requested(&answer));
        let is_busy = status.is_server_error() || matches!(status.as_u16(), 408 | 429);
        if self.purpose == Purpose::Write && is_busy {
            tokio::time::sleep(pause.min(self.longest)).await;
            return Ok(answer);
        }
        if is_put && matches!(status.as_u16(), 403 | 404 | 409 | 412) {
            return Ok(answer);
        }
        let body = answer.into_body().bytes().await?;
        let text = format!("{status}: {}", String::from_utf8_lossy(&body).trim());
        let refusal = Refusal {
            status: status.as_u16(),
            pause,
            text: text.trim_end_matches(": ").to_owned(),
        };
        Err(HttpError::new(HttpErrorKind::Unknown, refusal))
    }
}

/// The pause of `Retry-After`. A date is not supported: clocks differ.
fn requested(answer: &HttpResponse) -> Duration {
    let header = answer.headers().get("retry-after");
    let seconds = header.and_then(|value| value.to_str().ok()?.trim().parse().ok());
    Duration::from_secs(seconds.unwrap_or_default())
}
