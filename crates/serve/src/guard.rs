//! Who is answered: this machine's own page and programs. What every answer carries.
//!
//! A browser sends the requests of any page it shows, also to this machine. So the name of the host has to be this machine's (a foreign
//! name may be bound to its address), and the headers that a browser adds have to name our own page.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderName, HeaderValue, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, Method, StatusCode, Uri};

use crate::Error;

/// The names of this machine, with the port.
#[derive(Clone)]
pub(crate) struct Hosts(Arc<[String]>);

impl Hosts {
    pub(crate) fn of_port(port: u16) -> Hosts {
        let names = ["127.0.0.1", "localhost", "[::1]"];
        let with_port = names.iter().map(|name| format!("{name}:{port}"));
        // (Without a port it is 80.)
        let bare = names.iter().filter(|_| port == 80).map(|name| (*name).to_owned());
        Hosts(with_port.chain(bare).collect())
    }

    fn has(&self, host: &str) -> bool {
        self.0.iter().any(|own| own.eq_ignore_ascii_case(host))
    }

    fn check(&self, request: &Request) -> Result<(), Error> {
        let headers = request.headers();
        let mut hosts = headers.get_all(HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok());
        let of_uri = request.uri().authority().map(http::uri::Authority::as_str);
        let is_ours = |host: &str| self.has(host);
        if !host.is_some_and(is_ours) || hosts.next().is_some() || !of_uri.is_none_or(is_ours) {
            return Err(refused(&format!(
                "this service is called {}: use that address",
                self.0[0]
            )));
        }
        let origin = |origin: &HeaderValue| origin.to_str().ok()?.strip_prefix("http://").map(is_ours);
        let mut origins = headers.get_all(ORIGIN).iter();
        if !origins.all(|value| origin(value) == Some(true)) || is_of_other_site(headers) {
            return Err(refused("requests of pages of other sites are not answered"));
        }
        Ok(())
    }
}

/// The header by which browsers name the site that sends a request.
const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

fn is_of_other_site(headers: &HeaderMap) -> bool {
    // A typed address sends `none`.
    let is_own = |site: &HeaderValue| matches!(site.as_bytes(), b"same-origin" | b"none");
    !headers.get_all(SITE).iter().all(is_own)
}

fn refused(sentence: &str) -> Error {
    Error::new(StatusCode::FORBIDDEN, sentence)
}

/// Refuses foreign requests before anything of them is read, and completes the headers of all answers.
pub(crate) async fn guard(State(hosts): State<Hosts>, request: Request, next: Next) -> Response {
    let mut response = match hosts.check(&request) {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    };
    let is_page = response.headers().get(CONTENT_SECURITY_POLICY).is_some();
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if !is_page {
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY_OF_DATA));
    }
    response
}

const HEADERS: [(HeaderName, &str); 5] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (CACHE_CONTROL, "no-store"),
];

/// What the web page may load and do.
pub(crate) const POLICY_OF_PAGE: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; \
     frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The document in which the web page shows foreign pages. Nothing of them is fetched and no script runs; their own styles are the only
/// thing that is let through, or they would not look like themselves. (A frame without an address would have the policy of the web page,
/// which lets no styles through.)
pub(crate) const POLICY_OF_FRAME: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'self'; sandbox allow-same-origin";

/// All other answers are data: opened by themselves, they load nothing.
const POLICY_OF_DATA: &str =
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

/// There is no such address.
pub(crate) async fn not_found(uri: Uri) -> Error {
    let path = uri.path();
    Error::not_found(format!(
        "there is nothing at {path}: /openapi.json lists what there is"
    ))
}

/// There is, but not for this method.
pub(crate) async fn not_allowed(method: Method, uri: Uri) -> Error {
    let path = uri.path();
    let sentence = format!("{path} does not take {method}: /openapi.json lists the methods of each path");
    Error::new(StatusCode::METHOD_NOT_ALLOWED, sentence)
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn checked(headers: &[(&str, &str)], uri: &str) -> Result<(), Error> {
        let mut request = Request::builder().uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Hosts::of_port(8417).check(&request.body(Body::empty()).unwrap())
    }

    #[test]
    fn only_names_of_this_machine_are_answered() {
        for host in ["127.0.0.1:8417", "localhost:8417", "LOCALHOST:8417", "[::1]:8417"] {
            assert_eq!(checked(&[("host", host)], "/"), Ok(()), "{host}");
        }
        for host in [
            "evil.example:8417",
            "127.0.0.1",
            "localhost:80",
            "127.0.0.1:8417.evil.example",
            "",
            "10.0.0.1:8417",
        ] {
            assert!(checked(&[("host", host)], "/").is_err(), "{host}");
        }
        assert!(checked(&[], "/").is_err());
        let twice = [("host", "localhost:8417"), ("host", "evil.example")];
        assert!(checked(&twice, "/").is_err());
        assert!(checked(&[("host", "localhost:8417")], "http://evil.example/").is_err());
        assert!(Hosts::of_port(80).has("localhost"));
    }

    #[test]
    fn pages_of_other_sites_are_not_answered() {
        let host = ("host", "localhost:8417");
        for (name, value, is_answered) in [
            ("origin", "http://localhost:8417", true),
            ("origin", "http://127.0.0.1:8417", true),
            ("origin", "https://localhost:8417", false),
            ("origin", "http://localhost:3000", false),
            ("origin", "http://evil.example", false),
            ("origin", "null", false),
            ("sec-fetch-site", "same-origin", true),
            ("sec-fetch-site", "none", true),
            ("sec-fetch-site", "same-site", false),
            ("sec-fetch-site", "cross-site", false),
        ] {
            assert_eq!(
                checked(&[host, (name, value)], "/").is_ok(),
                is_answered,
                "{name}: {value}"
            );
        }
    }
}
