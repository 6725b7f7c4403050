//! Where something is: a local path or a key in a store.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use url::Url;

use crate::secret::{Secret, is_scheme, shown};
use crate::{Error, system};

/// A local path, or an object in a store.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Place {
    /// A path on this machine. One that is not UTF-8 is absolute.
    Local(#[serde(serialize_with = "write_path", deserialize_with = "read_path")] PathBuf),
    /// An object of a bucket (`s3`, `gs`, `az`).
    Object {
        /// `s3://bucket`: scheme and bucket, no slash at the end.
        bucket: String,
        /// The key; a prefix where a folder is meant.
        key: String,
    },
    /// A page of a web server, by its whole URL.
    Web {
        /// The URL, without fragment and without credentials.
        url: String,
        /// Its credentials. They are no part of what the place is.
        #[serde(skip)]
        secret: Secret,
    },
}

impl Place {
    /// Reads what the user typed.
    ///
    /// # Errors
    ///
    /// A scheme that is not served, or a URL that is not one.
    pub fn parse(input: &str) -> Result<Place, Error> {
        let Some((scheme, rest)) = input.split_once("://") else {
            return Ok(Place::Local(PathBuf::from(input)));
        };
        match scheme.to_ascii_lowercase().as_str() {
            "s3" | "s3a" => object(input, "s3", rest),
            "gs" => object(input, "gs", rest),
            "az" | "azure" | "abfs" | "abfss" => object(input, "az", rest),
            "http" | "https" => web(input),
            "file" => local(input),
            _ if !is_scheme(scheme) => Ok(Place::Local(PathBuf::from(input))),
            _ => Err(Error::Scheme(shown(input).into_owned(), scheme.to_owned())),
        }
    }

    /// Whether it is on this machine.
    pub fn is_local(&self) -> bool {
        matches!(self, Place::Local(_))
    }

    /// The place of a relative name within the folder that this place is; the folder for `""`.
    pub fn join(&self, name: &str) -> Place {
        if name.is_empty() {
            return self.clone();
        }
        match self {
            Place::Local(path) => Place::Local(path.join(name)),
            Place::Object { bucket, key } => Place::Object {
                bucket: bucket.clone(),
                key: join_key(key, name),
            },
            Place::Web { url, secret } => {
                let url = join_key(url, name);
                let secret = secret.below(&url);
                Place::Web { url, secret }
            }
        }
    }

    /// The place of a folder. An extra slash before its key is ignored.
    pub(crate) fn parse_folder(input: &str) -> Result<Place, Error> {
        Ok(match Place::parse(input)? {
            Place::Object { bucket, key } => Place::Object {
                bucket,
                key: key.trim_start_matches('/').to_owned(),
            },
            place => place,
        })
    }

    /// The folder that holds this place; the place itself where there is none.
    pub(crate) fn parent(&self) -> Place {
        match self {
            Place::Local(path) => Place::Local(path.parent().unwrap_or(path).to_owned()),
            Place::Object { bucket, key } => {
                let key = key
                    .trim_end_matches('/')
                    .rsplit_once('/')
                    .map_or("", |(folder, _)| folder);
                Place::Object {
                    bucket: bucket.clone(),
                    key: key.to_owned(),
                }
            }
            Place::Web { url, secret } => {
                let path = url.split(['?', '#']).next().unwrap_or(url);
                let host_end = path.find("://").map_or(0, |at| at + 3);
                let end = path[host_end..]
                    .rfind('/')
                    .map_or(path.len(), |slash| host_end + slash);
                let url = path[..end].to_owned();
                let secret = secret.above(&url);
                Place::Web { url, secret }
            }
        }
    }

    /// What [`Place::parse`] reads as this place, credentials included.
    pub(crate) fn typed(&self) -> String {
        match self {
            Place::Web { url, secret } => secret.whole(url).to_owned(),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Local(path) => f.write_str(&typed_path(path)),
            Place::Object { bucket, key } => write!(f, "{bucket}/{key}"),
            Place::Web { url, .. } => f.write_str(url),
        }
    }
}

/// What [`Place::parse`] reads as a path: the path itself, or an absolute file URL if it is not UTF-8, in which case
/// tables, lists and messages have no other name for it.
pub fn typed_path(path: &Path) -> Cow<'_, str> {
    const IN_URL: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'/')
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~');
    if let Some(text) = path.to_str() {
        return system::typed(text);
    }
    let path = absolute(path);
    let bytes = path.as_os_str().as_encoded_bytes();
    Cow::Owned(format!("file://{}", percent_encode(bytes, IN_URL)))
}

/// A path that means the same in every folder. Symbolic links stay.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn write_path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&typed_path(path))
}

fn read_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    let text = String::deserialize(deserializer)?;
    match Place::parse(&text) {
        Ok(Place::Local(path)) if text.starts_with("file://") => Ok(path),
        _ => Ok(PathBuf::from(text)),
    }
}

/// Keys are taken as they are: `aws s3 cp` and the like do not decode `%20` either.
fn object(input: &str, scheme: &str, rest: &str) -> Result<Place, Error> {
    if shown(input) != input {
        let detail = "credentials of a bucket are not read from its URL: put them into the environment (AWS_*, GOOGLE_*, \
                      AZURE_*), or use the https:// URL";
        return Err(bad_url(input, detail));
    }
    let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
    if bucket.is_empty() {
        return Err(bad_url(input, "no bucket is named"));
    }
    Ok(Place::Object {
        bucket: format!("{scheme}://{bucket}"),
        key: key.to_owned(),
    })
}

fn web(input: &str) -> Result<Place, Error> {
    let mut url = Url::parse(input).map_err(|error| bad_url(input, &error.to_string()))?;
    url.set_fragment(None);
    Ok(Place::Web {
        url: shown(url.as_str()).into_owned(),
        secret: Secret::from_url(&url),
    })
}

/// The pattern that a local input is, where it has to be looked for rather than looked up: as typed, or what a
/// `file://` URL stands for. There an encoded `*`, `?` or `[` is no wildcard.
pub(crate) fn local_pattern(input: &str) -> Result<Option<OsString>, Error> {
    let is_url = |(scheme, _): (&str, &str)| scheme.eq_ignore_ascii_case("file");
    if !input.split_once("://").is_some_and(is_url) {
        return Ok(is_pattern(input).then(|| input.into()));
    }
    let path = url_path(input)?;
    if !is_pattern(path) {
        return Ok(None);
    }
    let escape = |byte: u8| match byte {
        b'*' | b'?' | b'[' => vec![b'[', byte, b']'],
        _ => vec![byte],
    };
    Ok(Some(decoded(path, escape)))
}

/// A file URL is a path after its host: `?` and `#` have no meaning of their own there.
fn local(input: &str) -> Result<Place, Error> {
    let path = decoded(url_path(input)?, |byte| vec![byte]);
    Ok(Place::Local(PathBuf::from(path)))
}

fn url_path(input: &str) -> Result<&str, Error> {
    let (_, rest) = input.split_once("://").unwrap_or_default();
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
        let detail =
            "a file URL with a host names a file of another machine: use file:///PATH for one of this";
        return Err(bad_url(input, detail));
    }
    match path.is_empty() {
        true => Err(bad_url(input, "a file URL needs an absolute path")),
        false => Ok(system::path_of_url(path)),
    }
}

/// A path with `%20` and the like decoded; `spell` decides what an encoded byte becomes.
fn decoded(path: &str, spell: impl Fn(u8) -> Vec<u8>) -> OsString {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        let code = code.filter(|code| byte == b'%' && code.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(code) => {
                bytes.extend(spell(code));
                rest = &after[2..];
            }
            None => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    system::name(&bytes).into_owned()
}

/// Whether a name is a pattern.
pub(crate) fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

fn bad_url(input: &str, detail: &str) -> Error {
    Error::BadUrl(shown(input).into_owned(), detail.to_owned())
}

fn join_key(folder: &str, name: &str) -> String {
    if folder.is_empty() || folder.ends_with('/') {
        return format!("{folder}{name}");
    }
    format!("{folder}/{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(input: &str) -> String {
        Place::parse(input).map_or_else(|error| error.to_string(), |place| place.to_string())
    }

    #[test]
    fn inputs_are_read_as_typed() {
        assert_eq!(parsed("crawl/a b.warc"), "crawl/a b.warc");
        assert_eq!(parsed("s3a://bucket/k ey/%20"), "s3://bucket/k ey/%20");
        assert_eq!(
            parsed("abfss://box@acc.dfs.core.windows.net/k"),
            "az://box@acc.dfs.core.windows.net/k"
        );
        assert_eq!(parsed("http://h/a?b=1#c"), "http://h/a?b=1");
        assert_eq!(parsed("file:///tmp/a%20b"), "/tmp/a b");
        assert_eq!(parsed("FILE://LocalHost/tmp/%C3%A9%"), "/tmp/é%");
        assert_eq!(parsed("file:///tmp/a?b#c%2"), "/tmp/a?b#c%2");
        assert_eq!(parsed("what ever://x"), "what ever://x");
    }

    #[test]
    fn bad_inputs_say_the_mend() {
        assert_eq!(
            parsed("ftp://host/a"),
            "unknown scheme 'ftp://' in 'ftp://host/a': use a path, s3://, gs://, az://, http:// or https://"
        );
        assert_eq!(parsed("s3:///key"), "cannot use 's3:///key': no bucket is named");
        assert_eq!(
            parsed("s3://AK:secret@bucket/a"),
            "cannot use 's3://bucket/a': credentials of a bucket are not read from its URL: put them into the environment \
             (AWS_*, GOOGLE_*, AZURE_*), or use the https:// URL"
        );
        assert_eq!(
            parsed("https://me:pa/ss@host/a?token=5"),
            "cannot use 'https://host/a': invalid port number"
        );
        assert_eq!(
            parsed("file://me:pass@host/a"),
            "cannot use 'file://host/a': a file URL with a host names a file of another machine: use file:///PATH for one of this"
        );
        assert_eq!(
            parsed("file://"),
            "cannot use 'file://': a file URL needs an absolute path"
        );
    }

    #[test]
    fn paths_in_no_charset_have_urls() {
        let odd = Path::new("/a b/").join(system::name(b"caf\xe9*?"));
        let url = "file:///a%20b/caf%E9%2A%3F";
        assert_eq!(typed_path(&odd), url);
        assert_eq!(typed_path(Path::new("a b/\u{e9}*")), "a b/\u{e9}*");
        let place = Place::parse(url).unwrap();
        assert_eq!(place, Place::Local(odd));
        assert_eq!(place.to_string(), url);
        for place in [place, Place::parse("a b").unwrap()] {
            let json = serde_json::to_string(&place).unwrap();
            assert_eq!(serde_json::from_str::<Place>(&json).unwrap(), place, "{json}");
        }
        let within = typed_path(Path::new("x")).into_owned();
        assert_eq!(within, "x");
        let relative = typed_path(&Path::new("x").join(system::name(b"\xff"))).into_owned();
        let folder = std::env::current_dir().unwrap();
        assert!(
            relative.ends_with("/x/%FF") && relative.starts_with(&format!("file://{}/", folder.display()))
        );
    }

    #[test]
    fn credentials_are_kept_for_requests_and_not_printed() {
        let parse = |text: &str| Place::parse(text).unwrap();
        let signed = parse("https://me:pass@host/dir/a.warc?file=3&X-Amz-Date=1&X-Amz-Signature=5");
        let again = parse("https://host/dir/a.warc?X-Amz-Signature=6&X-Amz-Date=2&file=3");
        assert_eq!(signed.to_string(), "https://host/dir/a.warc?file=3");
        assert_eq!(signed, again);
        assert_ne!(signed, parse("https://host/dir/a.warc?file=4"));
        assert!(signed.typed().contains("me:pass@") && signed.typed().contains("Signature=5"));
        assert!(!format!("{signed:?}").contains("pass"), "{signed:?}");
        let json = serde_json::to_string(&signed).unwrap();
        assert_eq!(json, r#"{"Web":{"url":"https://host/dir/a.warc?file=3"}}"#);
        assert_eq!(serde_json::from_str::<Place>(&json).unwrap(), signed);
        assert_eq!(signed.parent().typed(), "https://me:pass@host/dir");
        let container = parse("https://host/container?sv=1&sig=5").join("a.warc");
        assert_eq!(container.to_string(), "https://host/container/a.warc");
        assert_eq!(container.typed(), "https://host/container/a.warc?sv=1&sig=5");
    }

    #[test]
    fn patterns_of_paths_and_of_file_urls() {
        let pattern = |input: &str| local_pattern(input).unwrap();
        assert_eq!(pattern("a/%20"), None);
        assert_eq!(pattern("a/*%20").unwrap(), "a/*%20");
        assert_eq!(pattern("file:///a/%2A%20"), None);
        assert_eq!(pattern("file:///a/%5B1]/%2A%20*?").unwrap(), "/a/[[]1]/[*] *?");
    }

    #[test]
    fn parents_and_children() {
        let up = |input: &str| Place::parse(input).unwrap().parent().to_string();
        assert_eq!(up("s3://b/x/list.txt"), "s3://b/x");
        assert_eq!(up("http://h/x/list.txt?a=/b"), "http://h/x");
        assert_eq!(up("http://h/list.txt"), "http://h");
        assert_eq!(up("x/list.txt"), "x");
        assert_eq!(Place::parse("s3://b").unwrap().join("k").to_string(), "s3://b/k");
    }
}
