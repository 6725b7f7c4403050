//! Requests that the client cannot make: for objects whose keys have an alias ([`crate::keys`]), sent to the URL of the
//! key, and for pages of listings that begin at a marker.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::header::AUTHORIZATION;
use http::uri::PathAndQuery;
use http::{HeaderValue, Uri};
use object_store::aws::AwsCredentialProvider;
use object_store::client::{HttpClient, HttpError, HttpErrorKind, HttpRequest, HttpResponse};
use ring::{digest, hmac};
use url::form_urlencoded;

use crate::keys::{Odd, odd, spelled_query};
use crate::page_end::Marker;
use crate::retry::Refusal;

/// What requests with aliases need beside the client of all others.
#[derive(Clone, Debug, Default)]
pub(crate) struct OddRequests {
    /// The credentials to sign again with: the signature covers the path.
    credentials: Arc<OnceLock<AwsCredentialProvider>>,
}

impl OddRequests {
    /// The credentials of an S3 client, which are there once it is made.
    pub(crate) fn sign_with(&self, credentials: &AwsCredentialProvider) {
        drop(self.credentials.set(Arc::clone(credentials)));
    }

    /// Sends a request, with the key in place of its alias.
    pub(crate) async fn execute(
        &self,
        client: &HttpClient,
        mut request: HttpRequest,
    ) -> Result<HttpResponse, HttpError> {
        if let Some(Odd {
            path,
            query,
            has_dots,
        }) = changed(&request)
        {
            if has_dots {
                return Err(refused("a key with a '.' or '..' segment cannot be requested"));
            }
            *request.uri_mut() = at(request.uri(), &path, &query).map_err(failed)?;
            self.sign(&mut request).await?;
        }
        client.execute(request).await
    }

    async fn sign(&self, request: &mut HttpRequest) -> Result<(), HttpError> {
        let Some(signed) = request.headers().get(AUTHORIZATION).cloned() else {
            return Ok(());
        };
        let signed = signed.to_str().map_err(failed)?;
        if signed.starts_with("Bearer ") {
            return Ok(());
        }
        let signature = match self.credentials.get() {
            Some(credentials) => {
                let credential = credentials.get_credential().await.map_err(failed)?;
                signature(request, signed, &credential.secret_key)
            }
            None => None,
        };
        let signature = signature.ok_or_else(|| {
            refused(
                "requests for a key with an empty segment or control letters cannot be signed for this store",
            )
        })?;
        let signature = HeaderValue::from_str(&signature).map_err(failed)?;
        request.headers_mut().insert(AUTHORIZATION, signature);
        Ok(())
    }
}

/// The address of a request, where it has to be another one.
fn changed(request: &HttpRequest) -> Option<Odd> {
    let (path, query) = (request.uri().path(), request.uri().query().unwrap_or_default());
    let Some(Marker(marker)) = request.extensions().get() else {
        return odd(path, query);
    };
    let marker: String = form_urlencoded::byte_serialize(marker.as_bytes()).collect();
    Some(Odd {
        path: path.to_owned(),
        query: spelled_query(&format!("{query}&marker={marker}")),
        has_dots: false,
    })
}

/// The error of a request that cannot be made.
fn refused(reason: &str) -> HttpError {
    let text = format!("{reason}: give the object another key");
    failed(Refusal {
        status: 400,
        pause: Duration::ZERO,
        text,
    })
}

fn failed(error: impl std::error::Error + Send + Sync + 'static) -> HttpError {
    HttpError::new(HttpErrorKind::Unknown, error)
}

/// Another address of the same server.
fn at(uri: &Uri, path: &str, query: &str) -> Result<Uri, http::Error> {
    let mark = if query.is_empty() { "" } else { "?" };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(format!("{path}{mark}{query}"))?);
    Ok(Uri::from_parts(parts)?)
}

/// The header of a signed S3 request (AWS Signature, version 4) with the signature of the address that it has
/// now. All else is as the client signed it; nothing where it has another form.
fn signature(request: &HttpRequest, signed: &str, secret: &str) -> Option<String> {
    let rest = signed.strip_prefix("AWS4-HMAC-SHA256 Credential=")?;
    let (credential, rest) = rest.split_once(", SignedHeaders=")?;
    let (names, _) = rest.split_once(", Signature=")?;
    let (_, scope) = credential.split_once('/')?;
    let header = |name: &str| Some(request.headers().get(name)?.to_str().ok()?.trim().to_owned());
    let mut headers = String::new();
    for name in names.split(';') {
        headers += &format!("{name}:{}\n", header(name)?);
    }
    let canonical = format!(
        "{}\n{}\n{}\n{headers}\n{names}\n{}",
        request.method(),
        request.uri().path(),
        request.uri().query().unwrap_or_default(),
        header("x-amz-content-sha256")?
    );
    let digest = hex(digest::digest(&digest::SHA256, canonical.as_bytes()).as_ref());
    let date = header("x-amz-date")?;
    let to_sign = format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{digest}");
    let key = format!("AWS4{secret}").into_bytes();
    let key = scope.split('/').fold(key, |key, part| mac(&key, part));
    let signature = hex(&mac(&key, &to_sign));
    let (before, _) = signed.rsplit_once("Signature=")?;
    Some(format!("{before}Signature={signature}"))
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    let key = hmac::Key::new(hmac::HMAC_SHA256, key);
    hmac::sign(&key, text.as_bytes()).as_ref().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use object_store::aws::{AwsAuthorizer, AwsCredential};
    use object_store::client::HttpRequestBody;

    use super::*;

    fn request(path: &str) -> HttpRequest {
        let mut request = HttpRequest::new(HttpRequestBody::empty());
        *request.uri_mut() = format!("https://bucket.example:9000{path}").parse().unwrap();
        request
            .headers_mut()
            .insert("range", HeaderValue::from_static("bytes=0-9"));
        request
    }

    /// What the client signs by itself is signed in the same way here.
    #[test]
    fn signatures_are_those_of_the_client() {
        for token in [None, Some("token".to_owned())] {
            let credential = AwsCredential {
                key_id: "key".to_owned(),
                secret_key: "secret".to_owned(),
                token,
            };
            for address in ["/a/b%20c.warc.gz", "/?list-type=2&prefix=a%2Fb%20c%2F"] {
                let mut signed = request(address);
                AwsAuthorizer::new(&credential, "s3", "eu-north-1").authorize(&mut signed, None);
                let theirs = signed.headers()[AUTHORIZATION].to_str().unwrap().to_owned();
                assert_eq!(signature(&signed, &theirs, "secret").unwrap(), theirs);
                assert_ne!(signature(&signed, &theirs, "other").unwrap(), theirs);
                *signed.uri_mut() = at(signed.uri(), "/a//../b", "").unwrap();
                let ours = signature(&signed, &theirs, "secret").unwrap();
                assert_ne!(ours, theirs);
                assert_eq!(ours.len(), theirs.len());
            }
        }
    }

    #[test]
    fn the_server_of_an_address_stays() {
        let uri = "http://h:1/bucket/x?versionId=3".parse().unwrap();
        assert_eq!(
            at(&uri, "/b/./c", "d=e").unwrap().to_string(),
            "http://h:1/b/./c?d=e"
        );
        assert_eq!(at(&uri, "/b", "").unwrap().to_string(), "http://h:1/b");
    }
}
