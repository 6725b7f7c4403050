//! A page that was sent: its bytes, its address and its type.

use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use gleaner_html::PageError;
use http::StatusCode;
use http::header::CONTENT_TYPE;

use crate::Error;
use crate::context::Shared;

/// The body of a request, with the header that says what it is.
pub(crate) struct SentPage {
    pub(super) body: Bytes,
    /// As the HTTP header of a page; none where it says nothing.
    pub(super) content_type: Option<String>,
    pub(super) is_text: bool,
}

impl FromRequest<Shared> for SentPage {
    type Rejection = Error;

    async fn from_request(request: Request, context: &Shared) -> Result<SentPage, Error> {
        let (content_type, is_text) = match request.headers().get(CONTENT_TYPE) {
            None => (None, false),
            Some(header) => kind(header.to_str().unwrap_or_default())?,
        };
        let body = Bytes::from_request(request, context).await;
        Ok(SentPage {
            body: body.map_err(|rejection| Error::new(rejection.status(), rejection.body_text()))?,
            content_type,
            is_text,
        })
    }
}

/// The header as pages have it, if it says something of them, and whether they are plain texts.
fn kind(header: &str) -> Result<(Option<String>, bool), Error> {
    let media = header.split(';').next().unwrap_or_default().trim();
    match media.to_ascii_lowercase().as_str() {
        "" | "application/octet-stream" => Ok((None, false)),
        "text/html" | "application/xhtml+xml" => Ok((Some(header.to_owned()), false)),
        "text/plain" => Ok((Some(header.to_owned()), true)),
        _ => {
            let sentence = format!(
                "the Content-Type '{media}' is neither HTML nor plain text: send text/html or text/plain, with or without \
                 a charset"
            );
            Err(Error::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, sentence))
        }
    }
}

/// 422: the bytes are no text.
pub(super) fn no_page(error: &PageError) -> Error {
    let sentence = format!("the body is not a page: {error}");
    Error::new(StatusCode::UNPROCESSABLE_ENTITY, sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_as_the_headers_of_pages() {
        let with_charset = "Text/HTML; charset=Shift_JIS";
        assert_eq!(kind(with_charset), Ok((Some(with_charset.to_owned()), false)));
        assert_eq!(kind("text/plain"), Ok((Some("text/plain".to_owned()), true)));
        assert_eq!(kind("application/octet-stream"), Ok((None, false)));
        assert_eq!(
            kind("image/png").unwrap_err().status,
            StatusCode::UNSUPPORTED_MEDIA_TYPE
        );
    }
}
