//! A client that logs in: sends the user and the password of a URL as an HTTP header.

use std::pin::Pin;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use object_store::client::{HttpClient, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService};

/// A client that sends the header with each request.
pub(crate) fn with_login(client: HttpClient, user: &str, password: &str) -> HttpClient {
    let header = format!("Basic {}", STANDARD.encode(format!("{user}:{password}")));
    HttpClient::new(Login { client, header })
}

struct Login {
    client: HttpClient,
    header: String,
}

/// Without the header.
impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Login").field(&self.client).finish()
    }
}

type Call<'a> = Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'a>>;

impl HttpService for Login {
    fn call<'a, 'b>(&'a self, mut request: HttpRequest) -> Call<'b>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async move {
            let value = self.header.parse();
            let value = value.map_err(|error| HttpError::new(HttpErrorKind::Request, error))?;
            let known = request.headers_mut().insert("authorization", value);
            drop(known);
            self.client.execute(request).await
        })
    }
}
