//! Where something is: a local path or a key in a store.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::Error;

/// A local path, or an object in a store.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Place {
    /// A path on this machine. Always UTF-8.
    Local(PathBuf),
    /// An object of a bucket (`s3`, `gs`, `az`).
    Object {
        /// `s3://bucket`: scheme and bucket, no slash at the end.
        bucket: String,
        /// The key, without a slash at its start; a prefix where a folder is meant.
        key: String,
    },
    /// A page of a web server, by its whole URL.
    Web {
        /// The URL, without fragment.
        url: String,
    },
}

impl Place {
    /// Reads what a person typed.
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
            _ => Err(Error::Scheme {
                input: input.to_owned(),
                scheme: scheme.to_owned(),
            }),
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
            Place::Web { url } => Place::Web {
                url: join_key(url, name),
            },
        }
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
            Place::Web { url } => {
                let path = url.split(['?', '#']).next().unwrap_or(url);
                let host_end = path.find("://").map_or(0, |at| at + 3);
                let end = path[host_end..]
                    .rfind('/')
                    .map_or(path.len(), |slash| host_end + slash);
                Place::Web {
                    url: path[..end].to_owned(),
                }
            }
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Local(path) => path.display().fmt(f),
            Place::Object { bucket, key } => write!(f, "{bucket}/{key}"),
            Place::Web { url } => f.write_str(url),
        }
    }
}

/// Keys are taken as they are: `aws s3 cp` and the like do not decode `%20` either.
fn object(input: &str, scheme: &str, rest: &str) -> Result<Place, Error> {
    let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
    if bucket.is_empty() {
        return Err(bad_url(input, "no bucket is named"));
    }
    let key = key.trim_start_matches('/').to_owned();
    Ok(Place::Object {
        bucket: format!("{scheme}://{bucket}"),
        key,
    })
}

fn web(input: &str) -> Result<Place, Error> {
    let mut url = Url::parse(input).map_err(|error| bad_url(input, &error.to_string()))?;
    url.set_fragment(None);
    Ok(Place::Web { url: url.into() })
}

fn local(input: &str) -> Result<Place, Error> {
    let url = Url::parse(input).map_err(|error| bad_url(input, &error.to_string()))?;
    let path = url
        .to_file_path()
        .map_err(|()| bad_url(input, "a file URL needs an absolute path"))?;
    Ok(Place::Local(path))
}

/// `a:b://c` can be a path; a scheme is a letter and then letters, digits, `+`, `-`, `.`.
fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

fn bad_url(input: &str, detail: &str) -> Error {
    Error::BadUrl {
        input: input.to_owned(),
        detail: detail.to_owned(),
    }
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

    fn shown(input: &str) -> String {
        Place::parse(input).map_or_else(|error| error.to_string(), |place| place.to_string())
    }

    #[test]
    fn inputs_are_read_as_typed() {
        assert_eq!(shown("crawl/a b.warc"), "crawl/a b.warc");
        assert_eq!(shown("s3a://bucket/k ey/%20"), "s3://bucket/k ey/%20");
        assert_eq!(
            shown("abfss://box@acc.dfs.core.windows.net/k"),
            "az://box@acc.dfs.core.windows.net/k"
        );
        assert_eq!(shown("http://h/a?b=1#c"), "http://h/a?b=1");
        assert_eq!(shown("file:///tmp/a%20b"), "/tmp/a b");
        assert_eq!(shown("what ever://x"), "what ever://x");
    }

    #[test]
    fn bad_inputs_say_the_mend() {
        assert_eq!(
            shown("ftp://host/a"),
            "unknown scheme 'ftp://' in 'ftp://host/a': use a path, s3://, gs://, az://, http:// or https://"
        );
        assert_eq!(shown("s3:///key"), "cannot use 's3:///key': no bucket is named");
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
