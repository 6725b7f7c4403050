//! What of a URL is a credential, and URLs without it.
//!
//! The one place that decides this. A URL has two kinds of credentials:
//!
//! - the user name and the password before its host, always;
//! - parameters of its query. A parameter is a *secret* by its name if one of its words is `token`, `signature`,
//!   `password`, `credential` and the like ([`WORDS`]), or its name is one that a store or a network of caches uses
//!   for its signatures ([`PREFIXES`], [`NAMES`]); or if its value has the form of a well-known kind of key
//!   ([`VALUES`]). What only goes with a secret (`Expires`, `Policy`, Azure's `se`, `sp`, `sr`, [`COMPANIONS`]) counts
//!   where the query has that secret, and else names the object.
//!
//! All other parameters stay: `?file=3` and `?file=4` are two objects. Keys of buckets are no URLs, and a path can't
//! be told from a secret: both stay as they are.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use percent_encoding::percent_decode_str;
use url::Url;

/// Words that make a parameter a secret. Words of a name are parted by `-`, `_`, `.` and by capital letters.
const WORDS: [&str; 21] = [
    "accesskey",
    "apikey",
    "auth",
    "authorization",
    "bearer",
    "credential",
    "credentials",
    "hmac",
    "jsessionid",
    "jwt",
    "passphrase",
    "passwd",
    "password",
    "pwd",
    "resourcekey",
    "secret",
    "sessionid",
    "sig",
    "sign",
    "signature",
    "token",
];

/// Words before `key` that make it one that opens something, and not one that names an object.
const KEYS: [&str; 9] = [
    "access",
    "account",
    "api",
    "auth",
    "client",
    "license",
    "private",
    "secret",
    "subscription",
];

/// Words before `token` with which it names a page of a list and opens nothing.
const PAGES: [&str; 5] = ["continuation", "next", "page", "start", "sync"];

/// Names with these beginnings belong to signatures of Amazon, Google, Alibaba, Huawei, Volcengine and Tencent.
const PREFIXES: [&str; 6] = ["x-amz-", "x-goog-", "x-oss-", "x-obs-", "x-tos-", "x-cos-"];

/// Other names of secrets, as stores and networks of caches have them.
const NAMES: [&str; 15] = [
    "__gda__",
    "accesstoken",
    "awsaccesskeyid",
    "googleaccessid",
    "hdnea",
    "hdntl",
    "hdnts",
    "key-pair-id",
    "ossaccesskeyid",
    "pass",
    "q-ak",
    "rlkey",
    "sastoken",
    "securitytoken",
    "tempauth",
];

/// Beginnings of keys of well-known services; such values are secret in any parameter.
const VALUES: [&str; 7] = ["AIza", "AKIA", "gho_", "ghp_", "github_pat_", "glpat-", "xoxb-"];

/// Their shortest length.
const LEAST_VALUE: usize = 20;

/// What goes with a secret: where a query has a parameter of the first list, those of the second count, too.
const COMPANIONS: [(&[&str], &[&str]); 6] = [
    // Azure: shared access signatures, also those of user delegation.
    (
        &["sig"],
        &[
            "saoid", "scid", "sdd", "se", "ses", "si", "sip", "skoid", "sks", "skt", "sktid", "ske", "skv",
            "sp", "spr", "sr", "srt", "ss", "st", "suoid", "sv",
        ],
    ),
    // CloudFront, S3 and Google's older signatures.
    (
        &["signature"],
        &[
            "accessid",
            "accesskeyid",
            "expires",
            "hash-algorithm",
            "keyname",
            "policy",
        ],
    ),
    (
        &["q-signature"],
        &[
            "q-header-list",
            "q-key-time",
            "q-sign-algorithm",
            "q-sign-time",
            "q-url-param-list",
        ],
    ),
    (&["temp_url_sig"], &["temp_url_expires", "temp_url_ip_range"]),
    (
        &["pass", "passwd", "password", "pwd"],
        &["login", "user", "username"],
    ),
    // A digest with the time when it expires is a signature (nginx).
    (&["e", "exp", "expires"], &["hash", "hm", "md5", "verify"]),
];

/// Parameters with the expiry of a secret of any kind; also with the digests above.
const EXPIRES: [&str; 7] = ["e", "exp", "expires", "expires_at", "expiry", "nonce", "validto"];

/// A URL as it goes over the network, kept beside the one that may be seen. Two places that differ in this alone
/// are the same; it is neither printed nor serialized.
#[derive(Clone, Default)]
pub struct Secret(Option<Box<Url>>);

impl Secret {
    /// What is secret of a URL; nothing where it is shown as it is.
    pub(crate) fn of(url: &Url) -> Secret {
        let is_plain = matches!(shown(url.as_str()), Cow::Borrowed(_));
        Secret((!is_plain).then(|| Box::new(url.clone())))
    }

    /// The URL as it was given, for requests and for what is relative to it.
    pub(crate) fn whole<'a>(&'a self, shown: &'a str) -> &'a str {
        self.0.as_deref().map_or(shown, Url::as_str)
    }

    /// The URL to request: user and password are sent in a header.
    pub(crate) fn request(&self, shown: &str) -> String {
        let whole = self.whole(shown);
        without_login(whole).unwrap_or_else(|| whole.to_owned())
    }

    /// User and password, decoded.
    pub(crate) fn login(&self) -> Option<(String, String)> {
        let url = self.0.as_deref()?;
        let decoded = |text: &str| decoded(text).into_owned();
        let (user, password) = (url.username(), url.password().unwrap_or_default());
        (!user.is_empty() || !password.is_empty()).then(|| (decoded(user), decoded(password)))
    }

    /// The parameters of the query that are secrets, as they were written.
    fn parameters(&self) -> Vec<&str> {
        let query = self.0.as_deref().and_then(|url| url.query());
        query.map_or_else(Vec::new, |query| chosen(query, true))
    }

    /// The URL of something below this one, which is shown as `shown`: the same user and the same signature open it.
    pub(crate) fn below(&self, shown: &str) -> Secret {
        let (Some(own), Ok(mut url)) = (self.0.as_deref(), Url::parse(shown)) else {
            return Secret::default();
        };
        let signature = self.parameters();
        if !signature.is_empty() {
            let kept = url.query().filter(|kept| !kept.is_empty()).map(str::to_owned);
            let query: Vec<&str> = kept.as_deref().into_iter().chain(signature).collect();
            url.set_query(Some(&query.join("&")));
        }
        Secret::with_login_of(own, url)
    }

    /// The URL of the folder above, which is shown as `shown`: a signature is for one file, a user is not.
    pub(crate) fn above(&self, shown: &str) -> Secret {
        match (self.0.as_deref(), Url::parse(shown)) {
            (Some(own), Ok(url)) => Secret::with_login_of(own, url),
            _ => Secret::default(),
        }
    }

    fn with_login_of(own: &Url, mut url: Url) -> Secret {
        let password = own.password().map(decoded);
        let is_set = url.set_username(&decoded(own.username())).is_ok()
            && url.set_password(password.as_deref()).is_ok();
        // (Else the URL has no host.)
        match is_set {
            true => Secret::of(&url),
            false => Secret::default(),
        }
    }

    /// A text about the URL, such as an answer of its server, without its secrets wherever they stand in it.
    pub(crate) fn hide(&self, text: &str) -> String {
        let mut text = scrubbed(text).into_owned();
        let Some(url) = self.0.as_deref() else {
            return text;
        };
        let values = self
            .parameters()
            .into_iter()
            .filter_map(|parameter| parameter.split_once('='));
        let values = values.map(|(_, value)| (value, LEAST_PARAMETER));
        for (value, least) in values.chain(url.password().map(|password| (password, LEAST_PASSWORD))) {
            for form in [value, &decoded(value)] {
                if form.len() >= least {
                    text = text.replace(form, HIDDEN);
                }
            }
        }
        text
    }
}

/// Shorter values would be found in any text, and a password hardly.
const LEAST_PARAMETER: usize = 8;
const LEAST_PASSWORD: usize = 4;

/// What stands in the place of a secret.
const HIDDEN: &str = "...";

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Secret(...)" } else { "Secret" })
    }
}

impl PartialEq for Secret {
    fn eq(&self, _: &Secret) -> bool {
        true
    }
}

impl Eq for Secret {}

impl PartialOrd for Secret {
    fn partial_cmp(&self, other: &Secret) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Secret {
    fn cmp(&self, _: &Secret) -> Ordering {
        Ordering::Equal
    }
}

impl Hash for Secret {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// What a person typed, as it may be shown and kept: a URL without its credentials and its fragment, anything else as
/// it is. It need not be a valid URL.
pub fn shown(input: &str) -> Cow<'_, str> {
    let list = if input.starts_with('@') { 1 } else { 0 };
    let Some(host) = host_of(&input[list..]).map(|host| list + host) else {
        return Cow::Borrowed(input);
    };
    let scheme = input[list..host].to_ascii_lowercase();
    let end = host + login(&input[host..], &scheme);
    let (before_fragment, _) = input
        .split_once('#')
        .filter(|_| scheme.starts_with("http"))
        .unwrap_or((input, ""));
    let rest = before_fragment.get(end..).unwrap_or_default();
    let rest = without_secrets(rest);
    match (end == host, &rest) {
        (true, Cow::Borrowed(rest)) if host + rest.len() == input.len() => Cow::Borrowed(input),
        _ => Cow::Owned(format!("{}{rest}", &input[..host])),
    }
}

/// A text that may speak of URLs, such as an error of a client, with each of them as it may be shown.
pub fn scrubbed(text: &str) -> Cow<'_, str> {
    let mut made = String::new();
    let mut done = 0;
    while let Some(at) = text[done..].find("://").map(|at| done + at) {
        let begin = scheme_before(text, at).max(done);
        let after = at + "://".len();
        let url = text[after..].split(ends_url).next().unwrap_or_default();
        // What ends a phrase is no part of the URL.
        let end = after + url.trim_end_matches([':', ',', '.', ';', '!']).len();
        made.push_str(&text[done..begin]);
        made.push_str(&shown(&text[begin..end]));
        done = end;
    }
    match done {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(made + &text[done..]),
    }
}

/// Where the scheme before `://` begins.
fn scheme_before(text: &str, at: usize) -> usize {
    let of_scheme = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-' | '.');
    at - text[..at].chars().rev().take_while(of_scheme).count()
}

/// What no URL in a text goes beyond.
fn ends_url(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '"' | '\'' | '<' | '>' | '`' | '(' | ')' | '|' | '{' | '}')
}

/// Where what follows `scheme://` begins; none where the text is no URL.
fn host_of(input: &str) -> Option<usize> {
    let at = input.find("://")?;
    let scheme = &input[..at];
    let is_scheme = scheme
        .trim_start()
        .starts_with(|letter: char| letter.is_ascii_alphabetic())
        && scheme
            .trim_start()
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-' | '.'));
    is_scheme.then_some(at + "://".len())
}

/// The length of user and password before a host. If the text is no valid URL, the password may hold any letter.
fn login(rest: &str, scheme: &str) -> usize {
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let has_container = scheme.starts_with("ab") || scheme.starts_with("az");
    let is_sound = Url::parse(&format!("{scheme}{rest}")).is_ok();
    match authority.rfind('@') {
        // `abfss://container@account` names no user.
        Some(at) if has_container && !authority[..at].contains(':') => 0,
        at if is_sound => at.map_or(0, |at| at + 1),
        _ => rest.rfind('@').map_or(0, |at| at + 1),
    }
}

/// A URL without its user and password; none where it has none.
fn without_login(url: &str) -> Option<String> {
    let host = host_of(url)?;
    let length = login(&url[host..], &url[..host]);
    (length > 0).then(|| format!("{}{}", &url[..host], &url[host + length..]))
}

/// A path with its query, without the secrets in it.
fn without_secrets(rest: &str) -> Cow<'_, str> {
    let Some((path, query)) = rest.split_once('?') else {
        return Cow::Borrowed(rest);
    };
    let kept = chosen(query, false);
    match kept.len() {
        count if count == query.split('&').count() => Cow::Borrowed(rest),
        0 => Cow::Borrowed(path),
        _ => Cow::Owned(format!("{path}?{}", kept.join("&"))),
    }
}

/// A parameter of a query, decoded.
struct Parameter {
    name: String,
    /// The same in small letters.
    small: String,
    value: String,
}

impl Parameter {
    fn read(written: &str) -> Parameter {
        let (name, value) = written.split_once('=').unwrap_or((written, ""));
        let name = plain(name);
        Parameter {
            small: name.to_ascii_lowercase(),
            value: plain(value),
            name,
        }
    }

    /// Whether it is a secret by itself.
    fn is_secret(&self) -> bool {
        NAMES.contains(&self.small.as_str())
            || PREFIXES.iter().any(|prefix| self.small.starts_with(prefix))
            || has_word_of_secrets(&words(&self.name))
            || self.is_key()
    }

    /// Whether its value is a key. (Names of files have dots.)
    fn is_key(&self) -> bool {
        let of_key = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        self.value.len() >= LEAST_VALUE
            && self.value.bytes().all(of_key)
            && VALUES.iter().any(|beginning| self.value.starts_with(beginning))
    }
}

/// Whether the words of a name are those of a secret.
fn has_word_of_secrets(words: &[String]) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        let before = at.checked_sub(1).map_or("", |before| words[before].as_str());
        match word.as_str() {
            "token" => !PAGES.contains(&before),
            "key" => KEYS.contains(&before),
            word => WORDS.contains(&word),
        }
    })
}

/// `X-Auth-Token`, `auth_token` and `authToken` have the same words.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && was_small) {
            words.push(String::new());
        }
        was_small = letter.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Which parameters of a query are not shown, in their order.
fn hidden(query: &str) -> Vec<bool> {
    let parameters: Vec<Parameter> = query.split('&').map(Parameter::read).collect();
    let mut hidden: Vec<bool> = parameters.iter().map(Parameter::is_secret).collect();
    for (with, companions) in COMPANIONS {
        let is_there = |name: &str| parameters.iter().any(|parameter| parameter.small == name);
        if with.iter().any(|name| is_there(name)) {
            hide_named(&parameters, companions, &mut hidden);
        }
    }
    if hidden.contains(&true) {
        hide_named(&parameters, &EXPIRES, &mut hidden);
    }
    hidden
}

fn hide_named(parameters: &[Parameter], names: &[&str], hidden: &mut [bool]) {
    for (parameter, hidden) in parameters.iter().zip(hidden) {
        *hidden |= names.contains(&parameter.small.as_str());
    }
}

/// The parameters of a query as they are written: those that are secrets, or those that are not.
fn chosen(query: &str, secrets: bool) -> Vec<&str> {
    let parameters = query.split('&').zip(hidden(query));
    let chosen = parameters.filter(|(_, is_hidden)| *is_hidden == secrets);
    chosen.map(|(parameter, _)| parameter).collect()
}

/// A name or a value decoded. (Parsers of URLs ignore tabs and line ends.)
fn plain(text: &str) -> String {
    decoded(&text.replace(['\t', '\n', '\r'], "").replace('+', " ")).into_owned()
}

fn decoded(text: &str) -> Cow<'_, str> {
    percent_decode_str(text).decode_utf8_lossy()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PLAIN: &str = "https://host.example/crawl/a.warc.gz";

    /// What is left of a URL with this query.
    fn left(query: &str) -> String {
        let url = format!("{PLAIN}?{query}");
        shown(&url).strip_prefix(PLAIN).unwrap().to_owned()
    }

    #[test]
    fn signatures_of_stores_and_caches_are_not_shown() {
        for query in [
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AK%2F1&X-Amz-Date=2&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Security-Token=t&X-Amz-Signature=5",
            "x-amz-signature=5&X-AMZ-DATE=6",
            "X%2DAmz%2DSignature=5&X-Amz-Dat%65=7",
            "X-Goog-Algorithm=G&X-Goog-Credential=c&X-Goog-Date=d&X-Goog-Expires=1&X-Goog-SignedHeaders=host&X-Goog-Signature=5",
            "AWSAccessKeyId=AK&Signature=5&Expires=6",
            "GoogleAccessId=a@b&Expires=6&Signature=5",
            "sv=2022-11-02&st=a&se=b&sr=b&sp=r&spr=https&sip=1.2.3.4&sig=5",
            "skoid=a&sktid=b&skt=c&ske=d&sks=b&skv=e&sig=5&se=f",
            "Expires=1&Signature=5&Key-Pair-Id=K",
            "Policy=ey&Signature=5&Key-Pair-Id=K",
            "URLPrefix=x&Expires=1&KeyName=k&Signature=5"
                .strip_prefix("URLPrefix=x&")
                .unwrap(),
            "q-sign-algorithm=sha1&q-ak=AK&q-sign-time=1;2&q-key-time=1;2&q-header-list=&q-url-param-list=&q-signature=5",
            "OSSAccessKeyId=a&Expires=1&Signature=5&security-token=t",
            "temp_url_sig=5&temp_url_expires=6",
            "md5=5&expires=6",
            "token=5",
            "access_token=5&expires=6",
            "accessToken=5",
            "X-Auth-Token=5",
            "api_key=5",
            "apikey=5",
            "api-key=5",
            "subscription-key=5",
            "client_secret=5",
            "user=u&password=5",
            "key=AIzaSyA0123456789abcdefghij",
            "to\nken=5",
        ] {
            assert_eq!(left(query), "", "{query}");
        }
    }

    #[test]
    fn what_names_an_object_stays() {
        for query in [
            "file=3",
            "file=3&file=4",
            "key=crawl/a.warc.gz",
            "key=AIza-is-no-key.warc.gz",
            "versionId=7&response-content-type=text%2Fhtml",
            "st=1&se=2&sr=3&sp=4",
            "expires=never",
            "policy=1",
            "md5=0123",
            "hash=0123",
            "user=me",
            "tokens=5",
            "tokenizer=5",
            "page_token=5",
            "signal=5",
            "author=me",
            "monkey=5",
            "",
            "=",
            "&&",
        ] {
            assert_eq!(left(query), format!("?{query}"));
        }
        assert_eq!(left("file=3&sig=5&part=4&se=6"), "?file=3&part=4");
        assert_eq!(left("token=5&sp=3"), "?sp=3", "which goes with sig only");
    }

    #[test]
    fn users_and_passwords_are_not_shown() {
        for (typed, expected) in [
            ("https://u:p@h/a", "https://h/a"),
            ("HTTPS://u@h/a?b=1", "HTTPS://h/a?b=1"),
            ("https://u:p@ss@h/a@b", "https://h/a@b"),
            ("https://u:p/a@h/a", "https://h/a"),
            ("https://u:p?a@h/a", "https://h/a"),
            ("https://u:p@h o/a", "https://h o/a"),
            ("@https://u:p@h/list?token=5#x", "@https://h/list"),
            ("s3://key:secret@bucket/a", "s3://bucket/a"),
            ("az://u:p@acc/a?sv=1&sig=5", "az://acc/a"),
            (
                "abfss://box@acc.dfs.core.windows.net/k",
                "abfss://box@acc.dfs.core.windows.net/k",
            ),
            ("https://h/@u/a", "https://h/@u/a"),
            ("ftp://u:p@h/a", "ftp://h/a"),
            ("a path/u:p@h?token=5", "a path/u:p@h?token=5"),
            ("https://h/a#access_token=5", "https://h/a"),
        ] {
            assert_eq!(shown(typed), expected, "{typed}");
        }
    }

    #[test]
    fn urls_in_sentences_are_shown_without_secrets() {
        let said =
            "error sending request for url (https://u:p@h/a?sig=5&file=3): GET 'http://h/b?token=6', no";
        let expected = "error sending request for url (https://h/a?file=3): GET 'http://h/b', no";
        assert_eq!(scrubbed(said), expected);
        assert_eq!(scrubbed("https://h/a?sig=5: busy"), "https://h/a: busy");
        assert_eq!(scrubbed("://"), "://");
        assert_eq!(scrubbed("č://u:p@h"), "č://u:p@h");
        let url = Url::parse("https://me:pass%20word@h/a?X-Amz-Signature=abcdefgh1&x=1").unwrap();
        let answer = "<SignatureProvided>abcdefgh1</SignatureProvided> for pass word at /a?x=1";
        assert_eq!(
            Secret::of(&url).hide(answer),
            "<SignatureProvided>...</SignatureProvided> for ... at /a?x=1"
        );
    }

    #[test]
    fn a_secret_is_kept_for_requests_alone() {
        let url = Url::parse("https://me:p%40w@h/dir/list?sig=5&v=1").unwrap();
        let secret = Secret::of(&url);
        assert_eq!(format!("{secret:?}"), "Secret(...)");
        assert_eq!(secret.login(), Some(("me".to_owned(), "p@w".to_owned())));
        assert_eq!(
            secret.request("https://h/dir/list?v=1"),
            "https://h/dir/list?sig=5&v=1"
        );
        let above = secret.above("https://h/dir");
        assert_eq!(above.whole("https://h/dir"), "https://me:p%40w@h/dir");
        let below = secret.below("https://h/dir/list/a");
        assert_eq!(below.whole(""), "https://me:p%40w@h/dir/list/a?sig=5");
        assert_eq!(Secret::default().request("https://h/a"), "https://h/a");
        assert_eq!(Secret::default().login(), None);
    }

    proptest! {
        /// A secret at any place is not shown, and showing twice gives the same text.
        #[test]
        fn no_secret_is_shown(
            user in "[a-z]{0,3}", before in "[a-z]{1,3}=[A-Za-z0-9%./-]{0,5}", after in "[a-z]{1,3}=[A-Z@:?/]{0,4}[A-Z]",
            name in prop::sample::select(vec!["sig", "Signature", "token", "X-Amz-Signature", "api_key", "accessToken"]),
        ) {
            let url = format!("https://{user}:pa55w0rd@h.example/a?{before}&{name}=5ecret&{after}");
            let seen = shown(&url).into_owned();
            prop_assert!(!seen.contains("5ecret") && !seen.contains("pa55w0rd"), "{}", seen);
            prop_assert_eq!(shown(&seen), seen.as_str());
            let sentence = format!("read '{url}': no");
            prop_assert_eq!(scrubbed(&sentence), format!("read '{seen}': no"));
        }

        #[test]
        fn any_text_is_shown(text in "\\PC{0,40}", url in "(@|)(https?|s3|az|file)://[a-z:@/?#&=%\u{e9} .]{0,30}") {
            let seen = shown(&url).into_owned();
            if Url::parse(url.trim_start_matches('@')).is_ok_and(|url| url.has_host()) {
                prop_assert_eq!(shown(&seen), seen.as_str());
            }
            drop((scrubbed(&text), scrubbed(&url)));
        }
    }
}
