//! What of a URL is a credential, and URLs without it: the user name and the password before its host, and parameters of
//! its query by their names ([`SECRETS`], [`PREFIXES`]), with what only goes with them ([`COMPANIONS`]).
//!
//! All other parameters stay: `?file=3` and `?file=4` are two objects. Keys of buckets are no URLs, and a part of a path cannot
//! be distinguished from a secret: both stay as they are.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use percent_encoding::percent_decode_str;
use url::Url;

/// Names of secrets, in small letters and without signs: `Access_Token` is `accesstoken`.
const SECRETS: &str = "accesskey accesskeyid accesstoken apikey apitoken auth authkey authorization authtoken awsaccesskeyid bearer \
    clientsecret credential credentials gda googleaccessid hdnea hdntl hdnts hmac jsessionid jwt keypairid \
    ossaccesskeyid pass passphrase passwd password privatetoken pwd qak qsignature refreshtoken resourcekey rlkey \
    sastoken secret secretkey securitytoken sessionid sessiontoken sig sign signature subscriptionkey tempauth \
    tempurlsig token";

/// Names with these beginnings belong to signatures of Amazon, Google, Alibaba, Huawei, Volcengine and Tencent.
const PREFIXES: [&str; 7] = ["xamz", "xauth", "xcos", "xgoog", "xobs", "xoss", "xtos"];

/// What goes with a secret, and else names an object.
const COMPANIONS: &str = "accessid e exp expires expiresat expiry hashalgorithm keyname nonce policy qheaderlist qkeytime qsignalgorithm \
    qsigntime qurlparamlist tempurlexpires tempurliprange validto";

/// What goes with `sig` in shared access signatures of Azure.
const OF_AZURE: [&str; 21] = [
    "saoid", "scid", "sdd", "se", "ses", "si", "sip", "ske", "skoid", "sks", "skt", "sktid", "skv", "sp",
    "spr", "sr", "srt", "ss", "st", "suoid", "sv",
];

/// A URL as it goes over the network, kept beside the one that may be seen. Two places that differ in this alone
/// are the same; it is neither printed nor serialized.
#[derive(Clone, Default)]
pub struct Secret(Option<Box<Url>>);

impl Secret {
    /// What is secret of a URL; nothing where it is shown as it is.
    pub(crate) fn from_url(url: &Url) -> Secret {
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
        let (user, password) = (url.username(), url.password().unwrap_or_default());
        let decoded = |text| decoded(text).into_owned();
        (!user.is_empty() || !password.is_empty()).then(|| (decoded(user), decoded(password)))
    }

    /// The parameters of the query that are secrets, as they were written.
    fn parameters(&self) -> Vec<&str> {
        let query = self.0.as_deref().and_then(|url| url.query());
        query.map_or_else(Vec::new, |query| parted(query).0)
    }

    /// The URL of something below this one, which is shown as `shown`: the same user and the same signature open it.
    pub(crate) fn below(&self, shown: &str) -> Secret {
        let mut parameters = self.parameters();
        let kept = shown.split_once('?').map_or("", |(_, query)| query);
        if !kept.is_empty() {
            parameters.insert(0, kept);
        }
        self.with_login(shown, &parameters.join("&"))
    }

    /// The URL of the folder above, which is shown as `shown`: a signature is for one file, a user is not.
    pub(crate) fn above(&self, shown: &str) -> Secret {
        self.with_login(shown, "")
    }

    fn with_login(&self, shown: &str, query: &str) -> Secret {
        let (Some(own), Ok(mut url)) = (self.0.as_deref(), Url::parse(shown)) else {
            return Secret::default();
        };
        url.set_query(Some(query).filter(|query| !query.is_empty()));
        let is_set = url.set_username(own.username()).is_ok() && url.set_password(own.password()).is_ok();
        // (Else the URL has no host.)
        match is_set {
            true => Secret::from_url(&url),
            false => Secret::default(),
        }
    }

    /// A text about the URL, such as an answer of its server, without its secrets wherever they stand in it.
    pub(crate) fn hide(&self, text: &str) -> String {
        let mut text = scrubbed(text).into_owned();
        let parameters = self.parameters();
        let values = parameters
            .iter()
            .filter_map(|parameter| parameter.split_once('='));
        let values = values.map(|(_, value)| (value, LEAST_PARAMETER));
        let password = self.0.as_deref().and_then(|url| url.password());
        for (value, least) in values.chain(password.map(|password| (password, LEAST_PASSWORD))) {
            for form in [value, &decoded(value)] {
                if form.len() >= least {
                    text = text.replace(form, "...");
                }
            }
        }
        text
    }
}

/// Shorter values would be found in any text, and a password hardly.
const LEAST_PARAMETER: usize = 8;
const LEAST_PASSWORD: usize = 4;

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

/// What the user typed, as it may be shown and kept: a URL without its credentials and its fragment, anything else as
/// it is. It need not be a valid URL.
pub fn shown(input: &str) -> Cow<'_, str> {
    let list = usize::from(input.starts_with('@'));
    let Some(host) = host_of(&input[list..]).map(|host| list + host) else {
        return Cow::Borrowed(input);
    };
    let scheme = input[list..host].to_ascii_lowercase();
    let mut rest = &input[host + login(&input[host..], &scheme)..];
    if scheme.starts_with("http") {
        rest = rest.split('#').next().unwrap_or_default();
    }
    let mut shown = input[..host].to_owned();
    match rest.split_once('?').map(|(path, query)| (path, parted(query).1)) {
        None => shown += rest,
        Some((path, kept)) if kept.is_empty() => shown += path,
        Some((path, kept)) => shown += &format!("{path}?{}", kept.join("&")),
    }
    match shown == input {
        true => Cow::Borrowed(input),
        false => Cow::Owned(shown),
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
    is_scheme(input[..at].trim_start()).then_some(at + "://".len())
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

/// The parameters of a query as they are written: those that are secrets, and the others.
fn parted(query: &str) -> (Vec<&str>, Vec<&str>) {
    let names: Vec<String> = query.split('&').map(name).collect();
    let has_secret = names.iter().any(|name| is_secret(name));
    let has_sig = names.iter().any(|name| name == "sig");
    let is_hidden = |name: &str| {
        is_secret(name) || (has_secret && has_word(COMPANIONS, name)) || (has_sig && OF_AZURE.contains(&name))
    };
    query
        .split('&')
        .partition(|parameter| is_hidden(&name(parameter)))
}

/// The name of a parameter, in small letters and without signs.
fn name(parameter: &str) -> String {
    let name = decoded(parameter.split('=').next().unwrap_or_default());
    let letters = name.chars().filter(|letter| letter.is_ascii_alphanumeric());
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

fn has_word(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|own| own == word)
}

fn is_secret(name: &str) -> bool {
    has_word(SECRETS, name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

fn decoded(text: &str) -> Cow<'_, str> {
    percent_decode_str(text).decode_utf8_lossy()
}

/// `a:b://c` can be a path; a scheme is a letter and then letters, digits, `+`, `-`, `.`.
pub(crate) fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
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
            "Expires=1&KeyName=k&Signature=5",
            "q-sign-algorithm=sha1&q-ak=AK&q-sign-time=1;2&q-key-time=1;2&q-header-list=&q-url-param-list=&q-signature=5",
            "OSSAccessKeyId=a&Expires=1&Signature=5&security-token=t",
            "temp_url_sig=5&temp_url_expires=6",
            "token=5",
            "access_token=5&expires=6",
            "accessToken=5",
            "X-Auth-Token=5",
            "api_key=5",
            "apikey=5",
            "api-key=5",
            "subscription-key=5",
            "client_secret=5",
            "password=5",
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
            "versionId=7&response-content-type=text%2Fhtml",
            "st=1&se=2&sr=3&sp=4",
            "expires=never",
            "policy=1",
            "md5=0123",
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
            Secret::from_url(&url).hide(answer),
            "<SignatureProvided>...</SignatureProvided> for ... at /a?x=1"
        );
    }

    #[test]
    fn a_secret_is_kept_for_requests_alone() {
        let url = Url::parse("https://me:p%40w@h/dir/list?sig=5&v=1").unwrap();
        let secret = Secret::from_url(&url);
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
