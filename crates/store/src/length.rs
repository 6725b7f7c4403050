//! Answers of web servers without a length.
//!
//! The client takes no answer without a length. Those of web servers are therefore given a length that no file
//! has, before the client sees them.

#[cfg(feature = "cloud")]
pub(crate) use answers::with_length;

/// The length of an answer whose end can be seen: the body marks it.
pub(crate) const UNTIL_END: u64 = u64::MAX;

/// The length of an answer that ends when the connection does: a cut answer looks the same.
pub(crate) const UNTIL_CLOSE: u64 = u64::MAX - 1;

/// The length in an answer's headers, if there is one.
pub(crate) fn known(length: u64) -> Option<u64> {
    (length < UNTIL_CLOSE).then_some(length)
}

#[cfg(feature = "cloud")]
mod answers {
    use chrono::DateTime;
    use http::Version;
    use http::header::{
        CONTENT_LENGTH, CONTENT_RANGE, HeaderMap, HeaderValue, LAST_MODIFIED, TRANSFER_ENCODING,
    };
    use object_store::client::HttpResponse;

    use super::{UNTIL_CLOSE, UNTIL_END};

    /// An answer with a length, and without headers that the client takes for an error.
    pub(crate) fn with_length(mut answer: HttpResponse) -> HttpResponse {
        if !answer.status().is_success() {
            return answer;
        }
        let has_end = answer.version() >= Version::HTTP_2 || answer.headers().contains_key(TRANSFER_ENCODING);
        let headers = answer.headers_mut();
        leave_out_odd(headers);
        let is_number = |value: &HeaderValue| value.to_str().is_ok_and(|text| text.parse::<u64>().is_ok());
        if !headers.get(CONTENT_LENGTH).is_some_and(is_number) {
            let length = if has_end { UNTIL_END } else { UNTIL_CLOSE };
            headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        }
        if let Some(range) = full_range(headers) {
            headers.insert(CONTENT_RANGE, range);
        }
        answer
    }

    /// The client reads some headers as text and one as a date.
    fn leave_out_odd(headers: &mut HeaderMap) {
        let is_date = |value: &HeaderValue| {
            value
                .to_str()
                .is_ok_and(|text| DateTime::parse_from_rfc2822(text).is_ok())
        };
        let odd = |(name, value): (&http::HeaderName, &HeaderValue)| {
            let is_odd = value.to_str().is_err() || (name == LAST_MODIFIED && !is_date(value));
            is_odd.then(|| name.clone())
        };
        let odd: Vec<_> = headers.iter().filter_map(odd).collect();
        for name in odd {
            headers.remove(name);
        }
    }

    /// A range of a file of unknown length (`bytes 0-99/*`), with the length that stands for that.
    fn full_range(headers: &HeaderMap) -> Option<HeaderValue> {
        let range = headers.get(CONTENT_RANGE)?.to_str().ok()?.trim();
        let range = range.strip_suffix("/*")?;
        HeaderValue::from_str(&format!("{range}/{UNTIL_END}")).ok()
    }

    #[cfg(test)]
    mod tests {
        use object_store::client::HttpResponseBody;

        use super::*;

        fn seen(headers: &[(&'static str, &str)], version: Version) -> (String, String) {
            let mut answer = HttpResponse::new(HttpResponseBody::from(String::new()));
            *answer.version_mut() = version;
            for (name, value) in headers {
                answer
                    .headers_mut()
                    .append(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
            }
            let answer = with_length(answer);
            let text = |name: &str| {
                let value = answer.headers().get(name);
                value.map_or(String::new(), |value| value.to_str().unwrap().to_owned())
            };
            (text("content-length"), text("content-range"))
        }

        #[test]
        fn every_answer_has_a_length() {
            let length = |headers: &[_], version| seen(headers, version).0;
            assert_eq!(length(&[("content-length", "12")], Version::HTTP_11), "12");
            assert_eq!(length(&[], Version::HTTP_11), UNTIL_CLOSE.to_string());
            assert_eq!(
                length(&[("content-length", "many")], Version::HTTP_10),
                UNTIL_CLOSE.to_string()
            );
            assert_eq!(
                length(&[("transfer-encoding", "chunked")], Version::HTTP_11),
                UNTIL_END.to_string()
            );
            assert_eq!(length(&[], Version::HTTP_2), UNTIL_END.to_string());
        }

        #[test]
        fn a_range_of_an_unknown_whole_has_one_too() {
            let headers = [("content-length", "5"), ("content-range", "bytes 0-4/*")];
            let expected = ("5".to_owned(), format!("bytes 0-4/{UNTIL_END}"));
            assert_eq!(seen(&headers, Version::HTTP_11), expected);
            let headers = [("content-range", "bytes 0-4/9")];
            assert_eq!(seen(&headers, Version::HTTP_11).1, "bytes 0-4/9");
        }

        #[test]
        fn headers_that_are_no_text_or_no_date_are_left_out() {
            let mut answer = HttpResponse::new(HttpResponseBody::from(String::new()));
            let headers = answer.headers_mut();
            headers.insert("last-modified", HeaderValue::from_static("yesterday"));
            headers.insert(
                "content-disposition",
                HeaderValue::from_bytes("filename=ü".as_bytes()).unwrap(),
            );
            headers.insert("etag", HeaderValue::from_static("\"a\""));
            let answer = with_length(answer);
            let names: Vec<_> = answer.headers().keys().map(http::HeaderName::as_str).collect();
            assert_eq!(names, ["etag", "content-length"]);
        }
    }
}
