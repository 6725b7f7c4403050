//! The clients of the stores, made from the environment given in the options.

use std::sync::Arc;

use bytes::Bytes;
use object_store::list::PaginatedListStore;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, UpdateVersion};

use crate::purpose::Purpose;
use crate::retry::Refusal;
use crate::secret::{Secret, scrubbed};
use crate::{Error, Place, keys};

#[cfg(feature = "cloud")]
pub(crate) use cloud::{WebClient, bucket, failed_request};
#[cfg(not(feature = "cloud"))]
pub(crate) use none::{WebClient, bucket, failed_request};

/// The client of a bucket.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) pages: Pages,
}

/// What lists a bucket page by page; stores in memory do not.
#[derive(Clone, Default)]
pub(crate) struct Pages(Option<Arc<dyn PaginatedListStore>>);

impl Pages {
    pub(crate) fn client(&self) -> Option<&dyn PaginatedListStore> {
        self.0.as_deref()
    }
}

impl std::fmt::Debug for Pages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Pages").field(&self.0.is_some()).finish()
    }
}

impl From<Arc<dyn ObjectStore>> for Client {
    fn from(store: Arc<dyn ObjectStore>) -> Client {
        Client {
            store,
            pages: Pages::default(),
        }
    }
}

/// One object: its client, its key there, and its name in errors.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) pages: Pages,
    pub(crate) path: Path,
    pub(crate) name: String,
    /// A plain web server: it may ignore ranges and need not answer HEAD.
    pub(crate) web: bool,
    /// Secrets that errors must not show.
    pub(crate) secret: Secret,
}

impl Object {
    /// Changes the name within its folder.
    pub(crate) fn rename(&mut self, file: &str) {
        let renamed = |name: &str| match name.rsplit_once('/') {
            Some((folder, _)) => format!("{folder}/{file}"),
            None => file.to_owned(),
        };
        self.path = Path::from(renamed(self.path.as_ref()));
        self.name = renamed(&self.name);
    }

    /// An object to be read, or to be written if its key is one that every client takes.
    pub(crate) fn new(client: Client, key: &str, place: &Place, purpose: Purpose) -> Result<Object, Error> {
        let name = place.to_string();
        let bad = |error: object_store::path::Error| Error::BadUrl(name.clone(), error.to_string());
        let path = match purpose {
            Purpose::Read if !key.is_empty() => keys::path_of(keys::folder(key)),
            _ => Path::parse(key).map_err(bad)?,
        };
        Ok(Object {
            store: client.store,
            pages: client.pages,
            path,
            name,
            web: matches!(place, Place::Web { .. }),
            secret: Secret::default(),
        })
    }

    /// The error of an operation on this object.
    pub(crate) fn error(&self, doing: &'static str, error: object_store::Error) -> Error {
        let mut error = translate(&self.name, doing, error);
        if let Error::Remote { detail, .. } | Error::Access { detail, .. } | Error::BadUrl(_, detail) =
            &mut error
        {
            *detail = self.secret.hide(detail);
        }
        error
    }
}

/// An error of the client as one of ours, by what the user can do about it.
pub(crate) fn translate(input: &str, doing: &'static str, error: object_store::Error) -> Error {
    let input = input.to_owned();
    match error {
        object_store::Error::NotFound { .. } => Error::Missing(input, String::new()),
        object_store::Error::PermissionDenied { source, .. }
        | object_store::Error::Unauthenticated { source, .. } => access(input, chain(&*source)),
        object_store::Error::InvalidPath { source } => Error::BadUrl(input, source.to_string()),
        object_store::Error::NotImplemented { operation, .. } => {
            Error::BadUrl(input, format!("this kind of store has no {operation}"))
        }
        object_store::Error::NotSupported { .. } => Error::NoRanges(input),
        other => by_status(input, doing, &other),
    }
}

/// By the answer of the server, if there was one.
fn by_status(input: String, doing: &'static str, error: &object_store::Error) -> Error {
    let detail = chain(error);
    let refusal = refusal(error);
    match refusal.map(|refusal| refusal.status) {
        _ if is_metadata(&causes(error)) => access(input, format!("there are no credentials, and {detail}")),
        Some(404 | 405) => Error::Missing(input, String::new()),
        Some(401 | 403) => access(input, detail),
        status => Error::Remote {
            doing,
            input,
            detail,
            status,
            pause: refusal.map(|refusal| refusal.pause).unwrap_or_default(),
        },
    }
}

/// The answer of a server that an error of the client comes from.
fn refusal<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a Refusal> {
    std::iter::successors(Some(error), |error| error.source()).find_map(|error| error.downcast_ref())
}

/// Without credentials the clients ask the cloud machine they may be on. An error of that request
/// means that there were none.
fn is_metadata(detail: &str) -> bool {
    [
        "/latest/api/token",
        "/latest/meta-data/",
        "/metadata/identity/",
        "/computeMetadata/",
    ]
    .iter()
    .any(|path| detail.contains(path))
}

fn access(input: String, detail: String) -> Error {
    Error::Access {
        mend: mend(&input),
        input,
        detail,
    }
}

/// What to set for the stores of a scheme.
fn mend(input: &str) -> &'static str {
    match input.split("://").next().unwrap_or_default() {
        "s3" => {
            "set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION, or AWS_SKIP_SIGNATURE=true for a public bucket"
        }
        "gs" => "set GOOGLE_APPLICATION_CREDENTIALS, or GOOGLE_SKIP_SIGNATURE=true for a public bucket",
        "az" => {
            "set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY (or another credential), or AZURE_SKIP_SIGNATURE=true for a public container"
        }
        _ => "the server wants a login or forbids the file",
    }
}

/// What went wrong, without the client's sentence about the request: that says how long it took, and the same failure has
/// the same cause in `gleaner.json`.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    scrubbed(&causes(failed_request(error).unwrap_or(error))).into_owned()
}

/// An error with its causes, each once: many of them repeat the text of their source.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let more = cause.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        source = cause.source();
    }
    text
}

/// A small object, and its version.
pub(crate) async fn get(object: &Object) -> Result<(Bytes, UpdateVersion), Error> {
    let found = object.store.get(&object.path).await;
    let found = found.map_err(|error| object.error("could not read", error))?;
    let version = UpdateVersion {
        e_tag: found.meta.e_tag.clone(),
        version: found.meta.version.clone(),
    };
    let bytes = found.bytes().await;
    Ok((
        bytes.map_err(|error| object.error("could not read", error))?,
        version,
    ))
}

#[cfg(not(feature = "cloud"))]
mod none {
    use super::{Arc, Client, Error, ObjectStore, Purpose};
    use crate::{Options, Secret};

    #[derive(Default)]
    pub(crate) struct WebClient {}

    impl WebClient {
        pub(crate) fn open(&self, url: &str, _: &Secret, _: &Options) -> Result<Arc<dyn ObjectStore>, Error> {
            Err(Error::NoCloud(url.to_owned()))
        }
    }

    pub(crate) fn bucket(bucket: &str, _: Purpose, _: &Options) -> Result<Client, Error> {
        Err(Error::NoCloud(bucket.to_owned()))
    }

    pub(crate) fn failed_request<'a>(
        _: &'a (dyn std::error::Error + 'static),
    ) -> Option<&'a (dyn std::error::Error + 'static)> {
        None
    }
}

#[cfg(feature = "cloud")]
mod cloud {
    use std::error::Error as _;
    use std::str::FromStr;
    use std::sync::OnceLock;

    use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
    use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
    use object_store::client::{HttpClient, HttpConnector, HttpError};
    use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
    use object_store::http::HttpBuilder;
    use object_store::{BackoffConfig, ClientOptions, RetryConfig};

    use super::{Arc, Client, Error, ObjectStore, Pages, PaginatedListStore, Purpose, chain};
    use crate::polite::Polite;
    use crate::{Options, Secret, aws_profile, login};

    /// A request that writes a piece of a file is one answer at the end of it: it may take this many times as
    /// long as a server may be silent.
    const WRITE_STALLS: u32 = 10;

    /// Why a request failed.
    pub(crate) fn failed_request<'a>(
        error: &'a (dyn std::error::Error + 'static),
    ) -> Option<&'a (dyn std::error::Error + 'static)> {
        std::iter::successors(Some(error), |error| (*error).source())
            .find_map(|cause| cause.downcast_ref::<HttpError>()?.source())
    }

    /// A client for the bucket `s3://...`, `gs://...` or `az://...`.
    pub(crate) fn bucket(bucket: &str, purpose: Purpose, options: &Options) -> Result<Client, Error> {
        match bucket.split("://").next() {
            Some("s3") => s3(bucket, purpose, options),
            Some("gs") => google(bucket, purpose, options),
            _ => azure(bucket, purpose, options),
        }
    }

    /// A store as both of its clients.
    fn client_of(store: impl ObjectStore + PaginatedListStore) -> Client {
        let store = Arc::new(store);
        Client {
            pages: Pages(Some(Arc::clone(&store) as Arc<dyn PaginatedListStore>)),
            store,
        }
    }

    fn s3(bucket: &str, purpose: Purpose, options: &Options) -> Result<Client, Error> {
        let mut env = options.env.clone();
        env.extend(aws_profile::settings(bucket, &options.env)?);
        let http = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"]
            .iter()
            .any(|name| env.get(*name).is_some_and(|url| url.starts_with("http://")));
        let polite = Polite::new(purpose, options);
        let builder = settings::<AmazonS3ConfigKey>(&env, "AWS_")
            .fold(AmazonS3Builder::new(), |builder, (key, value)| {
                builder.with_config(key, value)
            })
            .with_url(bucket)
            .with_retry(retry(purpose, options))
            .with_http_connector(polite.clone())
            .with_client_options(client(purpose, options).with_allow_http(http));
        let store = builder.build().map_err(|error| credentials(bucket, &error))?;
        polite.odd().sign_with(store.credentials());
        Ok(client_of(store))
    }

    fn google(bucket: &str, purpose: Purpose, options: &Options) -> Result<Client, Error> {
        let builder = settings::<GoogleConfigKey>(&options.env, "GOOGLE_")
            .fold(GoogleCloudStorageBuilder::new(), |builder, (key, value)| {
                builder.with_config(key, value)
            })
            .with_url(bucket)
            .with_retry(retry(purpose, options))
            .with_http_connector(Polite::new(purpose, options))
            .with_client_options(client(purpose, options));
        Ok(client_of(
            builder.build().map_err(|error| credentials(bucket, &error))?,
        ))
    }

    fn azure(bucket: &str, purpose: Purpose, options: &Options) -> Result<Client, Error> {
        let http = options
            .env
            .get("AZURE_STORAGE_ENDPOINT")
            .is_some_and(|url| url.starts_with("http://"));
        let builder = settings::<AzureConfigKey>(&options.env, "AZURE_")
            .fold(MicrosoftAzureBuilder::new(), |builder, (key, value)| {
                builder.with_config(key, value)
            })
            .with_url(bucket)
            .with_retry(retry(purpose, options))
            .with_http_connector(Polite::new(purpose, options))
            .with_client_options(client(purpose, options).with_allow_http(http));
        Ok(client_of(
            builder.build().map_err(|error| credentials(bucket, &error))?,
        ))
    }

    /// The settings among the variables that begin with `prefix`; others mean nothing to the
    /// client and are left out.
    fn settings<'a, K: FromStr + 'a>(
        env: &'a std::collections::BTreeMap<String, String>,
        prefix: &'a str,
    ) -> impl Iterator<Item = (K, String)> + 'a {
        env.iter()
            .filter(move |(name, _)| name.starts_with(prefix))
            .filter_map(|(name, value)| Some((name.to_ascii_lowercase().parse().ok()?, value.clone())))
    }

    /// Reading watches every piece of an answer itself, so that a long body is no failure.
    fn client(purpose: Purpose, options: &Options) -> ClientOptions {
        match purpose {
            Purpose::Read => ClientOptions::new().with_timeout_disabled(),
            Purpose::Write => ClientOptions::new().with_timeout(options.stall * WRITE_STALLS),
        }
    }

    /// Reading repeats its requests itself.
    fn retry(purpose: Purpose, options: &Options) -> RetryConfig {
        let backoff = BackoffConfig {
            init_backoff: options.backoff,
            max_backoff: options.max_backoff,
            base: 2.0,
        };
        match purpose {
            Purpose::Read => no_retry(),
            Purpose::Write => RetryConfig {
                backoff,
                max_retries: options.retries as usize,
                ..RetryConfig::default()
            },
        }
    }

    fn no_retry() -> RetryConfig {
        RetryConfig {
            max_retries: 0,
            ..RetryConfig::default()
        }
    }

    fn credentials(bucket: &str, error: &object_store::Error) -> Error {
        Error::Credentials(bucket.to_owned(), chain(error))
    }

    /// Clients for single URLs, all with the same pool of connections.
    #[derive(Default)]
    pub(crate) struct WebClient {
        shared: OnceLock<HttpClient>,
    }

    #[derive(Debug)]
    struct Shared(HttpClient);

    impl Shared {
        /// The client, with the user and the password of a URL in a header.
        fn of(client: HttpClient, secret: &Secret) -> Shared {
            match secret.login() {
                Some((user, password)) => Shared(login::with_login(client, &user, &password)),
                None => Shared(client),
            }
        }
    }

    impl HttpConnector for Shared {
        fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
            Ok(self.0.clone())
        }
    }

    impl WebClient {
        /// A client whose root is the whole URL, so that its query stays in place.
        pub(crate) fn open(
            &self,
            url: &str,
            secret: &Secret,
            options: &Options,
        ) -> Result<Arc<dyn ObjectStore>, Error> {
            let store = self.client(options).and_then(|client| {
                let builder = HttpBuilder::new()
                    .with_url(secret.request(url))
                    .with_http_connector(Shared::of(client, secret));
                builder.with_retry(no_retry()).build()
            });
            match store {
                Ok(store) => Ok(Arc::new(store)),
                Err(error) => Err(Error::BadUrl(url.to_owned(), secret.hide(&chain(&error)))),
            }
        }

        fn client(&self, options: &Options) -> object_store::Result<HttpClient> {
            if let Some(client) = self.shared.get() {
                return Ok(client.clone());
            }
            let polite = Polite::for_web(options);
            let client = polite.connect(&client(Purpose::Read, options).with_allow_http(true))?;
            Ok(self.shared.get_or_init(|| client).clone())
        }
    }
}
