//! Really Simple Licensing: RSL 1.0 (rslstandard.org/rsl, Recommendation of November 2025).

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use robotxt::Robots;
use url::{Position, Url};

use super::row::Permission;

/// Maximum bytes of a licence; a longer one is not read.
const BYTES: usize = 256 << 10;
/// Maximum contents, and licences of each.
const CONTENTS: usize = 100;
const LICENCES: usize = 20;
/// Maximum bytes of a list of uses.
const USES: usize = 1000;

/// A document in RSL.
#[derive(Clone, Debug, Default)]
pub(super) struct Rsl {
    contents: Vec<Content>,
}

/// What a part of a site may be used for (section 3.3, `<content>`).
#[derive(Clone, Debug)]
struct Content {
    url: String,
    /// A server gives out the licences: each reader needs one (attribute `server`).
    has_server: bool,
    licences: Vec<Terms>,
    /// Whether its end was found.
    is_whole: bool,
}

/// A licence (section 3.4, `<license>`).
#[derive(Clone, Debug, Default)]
struct Terms {
    /// The uses that it permits; `None` where it names none.
    permits: Option<Vec<String>>,
    prohibits: Vec<String>,
    /// The type of payment; none is free.
    payment: Option<String>,
    /// It is for some readers or countries only.
    is_limited: bool,
}

/// A use, by all names that include it: those of RSL 1.0 (section 3.4.1.1) and of its drafts.
#[derive(Clone, Copy)]
struct Use(&'static [&'static str]);

const INDEX: Use = Use(&["all", "search"]);
const TRAIN: Use = Use(&["all", "ai-all", "ai-train", "train-ai", "train-genai"]);

impl Rsl {
    /// Reads a document up to damage, without the content that is not whole; `None` if there is none.
    pub(super) fn parse(body: &str) -> Option<Rsl> {
        if body.len() > BYTES {
            return None;
        }
        let mut reader = Reader::from_str(body);
        reader.config_mut().check_end_names = false;
        let mut rsl = Rsl::default();
        // The list of uses that is being read.
        let mut list: Option<(List, String)> = None;
        while !rsl.is_full() {
            match reader.read_event() {
                Ok(Event::Start(start)) => list = rsl.open(&start).map(|kind| (kind, String::new())),
                Ok(Event::Empty(start)) => {
                    rsl.open(&start);
                    rsl.close(start.local_name().as_ref());
                }
                Ok(Event::Text(text)) => {
                    if let (Some((_, uses)), Ok(text)) = (&mut list, text.decode()) {
                        uses.push_str(&text[..text.floor_char_boundary(USES.saturating_sub(uses.len()))]);
                    }
                }
                Ok(Event::End(end)) => {
                    if let Some((kind, uses)) = list.take() {
                        rsl.add(kind, &uses);
                    }
                    rsl.close(end.local_name().as_ref());
                }
                Ok(Event::Eof) | Err(_) => break,
                Ok(_) => {}
            }
        }
        rsl.contents.retain(|content| content.is_whole);
        (!rsl.contents.is_empty()).then_some(rsl)
    }

    /// Whether it has more than is read of one.
    fn is_full(&self) -> bool {
        let last = self.contents.last();
        self.contents.len() > CONTENTS || last.is_some_and(|content| content.licences.len() > LICENCES)
    }

    /// Begins an element. Returns the list that its text is.
    fn open(&mut self, start: &BytesStart<'_>) -> Option<List> {
        let attribute = |name: &str| {
            let value = start.try_get_attribute(name).ok()??;
            let value = value.unescape_value().ok()?;
            Some(value.trim().to_owned())
        };
        match start.local_name().as_ref() {
            b"content" => self.contents.push(Content {
                url: attribute("url").unwrap_or_default(),
                has_server: attribute("server").is_some_and(|server| !server.is_empty()),
                licences: Vec::new(),
                is_whole: false,
            }),
            b"license" => self.contents.last_mut()?.licences.push(Terms::default()),
            name @ (b"permits" | b"prohibits") => {
                let kind = attribute("type").unwrap_or_default();
                let is_permit = name == b"permits";
                if !matches!(kind.as_str(), "" | "usage") {
                    self.terms()?.is_limited = true;
                } else {
                    return Some(if is_permit { List::Permits } else { List::Prohibits });
                }
            }
            b"payment" => {
                let kind = attribute("type").unwrap_or_else(|| "other".to_owned());
                let terms = self.terms()?;
                // What asks for payment counts before what does not.
                if terms.payment.as_deref().is_none_or(is_free) {
                    terms.payment = Some(kind);
                }
            }
            _ => {}
        }
        None
    }

    fn close(&mut self, name: &[u8]) {
        if name == b"content"
            && let Some(content) = self.contents.last_mut()
        {
            content.is_whole = true;
        }
    }

    fn terms(&mut self) -> Option<&mut Terms> {
        self.contents.last_mut()?.licences.last_mut()
    }

    fn add(&mut self, kind: List, uses: &str) {
        let Some(terms) = self.terms() else { return };
        let uses = uses.split(|letter: char| letter == ',' || letter.is_whitespace());
        let uses = uses.filter(|name| !name.is_empty()).map(str::to_ascii_lowercase);
        match kind {
            List::Permits => terms.permits.get_or_insert_default().extend(uses),
            List::Prohibits => terms.prohibits.extend(uses),
        }
    }

    /// The terms for a page as text, and what they mean for {index, train}: of the content whose address is the longest that
    /// matches (RFC 9309, section 2.2.2).
    pub(super) fn terms_of(&self, page: Option<&Url>) -> Option<(String, (Permission, Permission))> {
        let matching = self.contents.iter().filter(|content| content.has(page));
        let content = matching.max_by_key(|content| content.url.len())?;
        let meaning = (content.permission(INDEX), content.permission(TRAIN));
        let terms: Vec<String> = content.licences.iter().map(Terms::text).collect();
        Some((terms.join(" | "), meaning))
    }
}

/// Which list an element holds.
#[derive(Clone, Copy)]
enum List {
    Permits,
    Prohibits,
}

impl Content {
    /// Whether a page is of this content: by a path, or by an address at the same host.
    fn has(&self, page: Option<&Url>) -> bool {
        let Some(page) = page else { return true };
        let path = match Url::parse(&self.url) {
            Ok(own) if own.host_str() != page.host_str() => return false,
            Ok(own) => own[Position::BeforePath..Position::AfterQuery].to_owned(),
            Err(_) if self.url.is_empty() => "/".to_owned(),
            Err(_) => self.url.clone(),
        };
        let matcher: Robots = super::robots_txt::pattern(&path);
        matcher
            .matching_rule(&page[Position::BeforePath..Position::AfterQuery])
            .is_some()
    }

    /// What it means for a use. A licence grants it if it permits the use by name or names none (section 3.5), does not prohibit
    /// it, and asks for no payment (section 3.7).
    fn permission(&self, wanted: Use) -> Permission {
        let granting: Vec<&Terms> = self
            .licences
            .iter()
            .filter(|terms| terms.grants(wanted))
            .collect();
        let is_open = |terms: &&&Terms| !self.has_server && terms.payment.as_deref().is_none_or(is_free);
        let mut open = granting.iter().filter(is_open);
        match () {
            () if self.licences.is_empty() => Permission::Unknown,
            () if open.clone().any(|terms| !terms.is_limited) => Permission::Allowed,
            () if open.next().is_some() => Permission::Unknown,
            () => Permission::Forbidden,
        }
    }
}

impl Terms {
    fn grants(&self, Use(names): Use) -> bool {
        let has = |uses: &[String]| uses.iter().any(|name| names.contains(&name.as_str()));
        self.permits.as_deref().is_none_or(has) && !has(&self.prohibits)
    }

    fn text(&self) -> String {
        let list = |name: &str, uses: &[String]| format!("{name} {}", uses.join(" "));
        let permits = self.permits.as_deref().map(|uses| list("permits", uses));
        let prohibits = (!self.prohibits.is_empty()).then(|| list("prohibits", &self.prohibits));
        let payment = self.payment.as_ref().map(|kind| format!("payment {kind}"));
        let parts: Vec<String> = [permits, prohibits, payment].into_iter().flatten().collect();
        parts.join("; ")
    }
}

/// Whether a type of payment asks for none.
fn is_free(kind: &str) -> bool {
    matches!(kind, "free" | "attribution")
}
