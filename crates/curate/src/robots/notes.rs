//! Lines of a robots.txt that are no rules of RFC 9309, but that crawlers heed: the delay between fetches, and sitemaps.

use super::lines::{AGENT, DELAY, is_end, limited, product, value};

/// The longest delay that is taken for one, in seconds: a day.
const MOST_SECONDS: f64 = 86_400.0;

/// The seconds that an agent should wait between two fetches: those of the groups with its name, in any case of letters, or of
/// `*` if there is none. Of several, the longest; none where no line has a number. A delay is that of the names right above it, or
/// above the rules above it.
///
/// ```
/// use gleaner_curate::crawl_delay;
///
/// let body = b"User-agent: *\nCrawl-delay: 10\n\nUser-agent: ExampleBot\nCrawl-delay: 2.5\n";
/// assert_eq!(crawl_delay(body, "examplebot"), Some(2.5));
/// assert_eq!(crawl_delay(body, "OtherBot"), Some(10.0));
/// assert_eq!(crawl_delay(b"User-agent: *\nDisallow: /", "OtherBot"), None);
/// ```
pub fn crawl_delay(body: &[u8], agent: &str) -> Option<f64> {
    let (mut own, mut any) = (Delay::default(), Delay::default());
    let (mut is_own, mut is_any, mut in_names) = (false, false, false);
    for line in limited(body).split(|&byte| is_end(byte)) {
        if let Some(name) = value(line, &AGENT) {
            let name = product(name);
            (is_own, is_any) = (in_names && is_own, in_names && is_any);
            in_names = true;
            is_own |= name.eq_ignore_ascii_case(agent.as_bytes());
            is_any |= name == b"*";
            own.has_group |= is_own;
        } else if let Some(seconds) = value(line, &DELAY).and_then(seconds) {
            own.add(is_own, seconds);
            any.add(is_any, seconds);
            in_names = false;
        } else if value(line, &["allow", "disallow"]).is_some() {
            in_names = false;
        }
    }
    if own.has_group { own.seconds } else { any.seconds }
}

#[derive(Default)]
struct Delay {
    has_group: bool,
    seconds: Option<f64>,
}

impl Delay {
    fn add(&mut self, counts: bool, seconds: f64) {
        if counts {
            self.seconds = Some(self.seconds.map_or(seconds, |known| known.max(seconds)));
        }
    }
}

fn seconds(value: &[u8]) -> Option<f64> {
    let seconds: f64 = std::str::from_utf8(value).ok()?.trim().parse().ok()?;
    (seconds >= 0.0).then_some(seconds.min(MOST_SECONDS))
}

/// The addresses of sitemaps that a robots.txt names, in their order, as they are written.
///
/// ```
/// use gleaner_curate::robots_sitemaps;
///
/// let body = b"Sitemap: https://a.example/map.xml # all\nUser-agent: *\nSITEMAP: /more.xml\n";
/// assert_eq!(robots_sitemaps(body), ["https://a.example/map.xml", "/more.xml"]);
/// ```
pub fn robots_sitemaps(body: &[u8]) -> Vec<String> {
    let lines = limited(body).split(|&byte| is_end(byte));
    let values = lines.filter_map(|line| value(line, &["sitemap", "site-map"]));
    let texts = values.filter_map(|value| std::str::from_utf8(value.trim_ascii()).ok());
    texts.filter(|text| !text.is_empty()).map(str::to_owned).collect()
}
