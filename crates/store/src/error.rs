//! Errors of inputs and outputs, in sentences that name the remedy.

use std::io;
use std::time::Duration;

use crate::typed_path;

/// Why an input cannot be read or an output cannot be written. The text names the input as the
/// user wrote it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A path or URL that does not exist, and a possible remedy: empty, or begins with a bracket.
    #[error("no such file or folder: '{0}'{1}")]
    Missing(String, String),
    /// A pattern without a match.
    #[error("no input matches '{0}'")]
    NoMatch(String),
    /// A folder (or key prefix) without a file that could be read, and what else was looked for.
    #[error(
        "no archive (.warc, .arc, .wet, .wacz){1} and no HTML file (.html, .htm, .xhtml) in folder '{0}'"
    )]
    EmptyFolder(String, &'static str),
    /// A folder or a pattern with nothing to read, and a link that it has.
    #[error("nothing to read in '{0}': '{1}' is a link that leads nowhere")]
    OnlyLinks(String, String),
    /// Two files that would have one name in the tables.
    #[error("'{first}' and '{second}' would both be named '{name}' in the tables: {mend}")]
    SameName {
        /// The name.
        name: String,
        /// Where the first of them is.
        first: String,
        /// Where the second is.
        second: String,
        /// What to give in place of both.
        mend: String,
    },
    /// A list without a line.
    #[error("the list '{0}' names no inputs")]
    EmptyList(String),
    /// There were no inputs at all.
    #[error("no inputs given: name files, folders, patterns, URLs or @list files")]
    NoInputs,
    /// A line of a list that cannot be used.
    #[error("'{input}' line {line}: {source}")]
    ListLine {
        /// The list.
        input: String,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        source: Box<Error>,
    },
    /// A list that is not one.
    #[error("cannot read the list '{0}': {1}")]
    BadList(String, String),
    /// A pattern that cannot be read.
    #[error("bad pattern '{0}': {1}")]
    BadPattern(String, String),
    /// A URL with a scheme that is not served.
    #[error("unknown scheme '{1}://' in '{0}': use a path, s3://, gs://, az://, http:// or https://")]
    Scheme(String, String),
    /// A URL that is not one, or that this operation cannot serve.
    #[error("cannot use '{0}': {1}")]
    BadUrl(String, String),
    /// A remote input in a build without the feature `cloud`.
    #[error("cannot read '{0}': this build has no object stores (cargo feature 'cloud')")]
    NoCloud(String),
    /// The store refuses access, or there are no credentials.
    #[error("no access to '{input}': {mend}; the store said: {detail}")]
    Access {
        /// The input.
        input: String,
        /// What to set.
        mend: &'static str,
        /// The store's answer.
        detail: String,
    },
    /// Credentials that are there but cannot be used: which file or setting, and what is wrong with it.
    #[error("cannot read the credentials for '{0}': {1}")]
    Credentials(String, String),
    /// Reading or writing failed on the local disk.
    #[error("{doing} '{path}': {source}")]
    Io {
        /// What was tried, such as "could not read".
        doing: &'static str,
        /// The path.
        path: String,
        /// The system's answer.
        source: io::Error,
    },
    /// A remote operation failed, after the retries that were due.
    #[error("{doing} '{input}': {detail}")]
    Remote {
        /// What was tried, such as "could not read".
        doing: &'static str,
        /// The URL.
        input: String,
        /// The last answer.
        detail: String,
        /// Its HTTP status; none where the connection failed.
        status: Option<u16>,
        /// The pause that the server requests.
        pause: Duration,
    },
    /// A listing of a bucket that does not come to its end.
    #[error("could not list '{0}': {1}; name the files one by one in a list (@list.txt)")]
    Listing(String, String),
    /// A web server that cannot send a part of a file; the whole file is read instead.
    #[error("the server of '{0}' sends whole files only")]
    NoRanges(String),
    /// A shard is not what it was when it was listed.
    #[error("'{0}' changed while it was read: {1}; run again when it is complete")]
    Changed(String, String),
    /// A start beyond the end.
    #[error("'{input}' has {size} bytes, byte {offset} was asked for")]
    Offset {
        /// The shard.
        input: String,
        /// Its length in bytes.
        size: u64,
        /// The first byte wanted.
        offset: u64,
    },
    /// A symbolic link in an output, which would lead elsewhere.
    #[error("'{0}' is a symbolic link: remove it (only the output folder itself may be one)")]
    Link(String),
    /// A WACZ that cannot be taken apart, or a member of one that cannot be read: what is wrong with it, and the remedy.
    #[error("cannot read the WACZ '{0}': {1}")]
    Wacz(String, String),
    /// Standard input that cannot be read.
    #[error("cannot read standard input ('-'): {0}")]
    StandardInput(&'static str),
    /// Another run writes to the output.
    #[error("'{folder}' is being written by {holder}: {mend}")]
    Held {
        /// The output.
        folder: String,
        /// Which run, and since when.
        holder: String,
        /// What to do.
        mend: String,
    },
    /// The runtime beside the workers could not be started.
    #[error("could not start the threads that read from the network: {0}")]
    Runtime(#[source] io::Error),
}

impl Error {
    /// For use with `map_err` after an operation on a local path.
    pub(crate) fn io(
        doing: &'static str,
        path: impl AsRef<std::path::Path>,
    ) -> impl FnOnce(io::Error) -> Error {
        let path = typed_path(path.as_ref()).into_owned();
        move |source| Error::Io { doing, path, source }
    }

    /// A failure that no answer of a server is about.
    pub(crate) fn remote(doing: &'static str, input: &str, detail: String) -> Error {
        Error::Remote {
            doing,
            input: input.to_owned(),
            detail,
            status: None,
            pause: Duration::ZERO,
        }
    }

    /// The error inside one that a stream gave.
    pub(crate) fn of_stream(name: &str, error: io::Error) -> Error {
        error
            .downcast()
            .unwrap_or_else(|error| Error::io("could not read", name)(error))
    }

    /// Whether an input could not be read: it is gone, changed, forbidden or out of reach. A later run may
    /// read it. Every other error means that the request itself cannot be carried out.
    pub fn is_unreadable(&self) -> bool {
        match self {
            Error::ListLine { source, .. } => source.is_unreadable(),
            Error::Missing(..)
            | Error::Access { .. }
            | Error::Io { .. }
            | Error::Remote { .. }
            | Error::Listing(..)
            | Error::NoRanges(..)
            | Error::Changed(..) => true,
            _ => false,
        }
    }

    /// Whether an input could not be read because a server failed or a connection broke: the user cannot change that.
    pub fn is_passing(&self) -> bool {
        match self {
            Error::ListLine { source, .. } => source.is_passing(),
            Error::Remote { .. } | Error::Changed(..) => true,
            _ => false,
        }
    }

    /// The input that an error is about, where it is one of those that could not be read.
    pub fn input(&self) -> &str {
        match self {
            Error::ListLine { source, .. } => source.input(),
            Error::Missing(input, _)
            | Error::Access { input, .. }
            | Error::Remote { input, .. }
            | Error::Listing(input, _)
            | Error::NoRanges(input)
            | Error::NoMatch(input)
            | Error::EmptyFolder(input, _)
            | Error::OnlyLinks(input, _)
            | Error::EmptyList(input)
            | Error::BadList(input, _)
            | Error::BadPattern(input, _)
            | Error::Scheme(input, _)
            | Error::BadUrl(input, _)
            | Error::Wacz(input, _)
            | Error::Changed(input, _) => input,
            Error::SameName { second, .. } => second,
            Error::Io { path, .. } => path,
            _ => "",
        }
    }

    /// Whether a later try can succeed: the server was busy, or the connection broke.
    pub(crate) fn is_transient(&self) -> bool {
        matches!(self, Error::Remote { .. })
    }

    /// Whether the answer means that the request itself is wrong (4xx, but neither "too slow" nor "too
    /// many"), or that the server does not know such requests.
    pub(crate) fn is_refusal(&self) -> bool {
        match self {
            Error::Remote { status, .. } => {
                matches!(status, Some(400..=499 | 501)) && !matches!(status, Some(408 | 425 | 429))
            }
            _ => false,
        }
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        let kind = match &error {
            Error::Missing(..) => io::ErrorKind::NotFound,
            Error::Access { .. } | Error::Credentials(..) => io::ErrorKind::PermissionDenied,
            Error::Io { source, .. } => source.kind(),
            Error::Changed(..) => io::ErrorKind::InvalidData,
            Error::Offset { .. } => io::ErrorKind::InvalidInput,
            _ => io::ErrorKind::Other,
        };
        io::Error::new(kind, error)
    }
}
