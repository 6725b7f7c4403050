//! Licences of Creative Commons by one code for each, whatever form their address has.

use super::row::Permission;

/// A licence of Creative Commons.
///
/// ```
/// use gleaner_curate::rights::Licence;
///
/// let licence = Licence::of("http://www.creativecommons.org/licenses/by-sa/3.0/de/deed.en").unwrap();
/// assert_eq!((licence.code.as_str(), licence.jurisdiction.as_deref()), ("cc-by-sa-3.0", Some("de")));
/// assert_eq!(Licence::of("CC BY-NC 4.0").unwrap().code, "cc-by-nc-4.0");
/// assert_eq!(Licence::of("https://creativecommons.org/publicdomain/zero/1.0/").unwrap().code, "cc0-1.0");
/// assert_eq!(Licence::of("https://example.org/licence"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Licence {
    /// Its code: that of SPDX in lower case, without the jurisdiction (`cc-by-4.0`, `cc-by-nc-nd-2.5`, `cc0-1.0`,
    /// `cc-pddc`), and `public-domain-mark-1.0`. Without a version where none is named.
    pub code: String,
    /// The country or organisation whose law it was ported to: `de`, `igo`, `scotland`.
    pub jurisdiction: Option<String>,
}

/// Maximum bytes of a name that is read.
const NAME: usize = 200;

impl Licence {
    /// Reads an address of a licence or of its deed, in any language; or a name such as `CC BY-SA 4.0`, `CC-BY-4.0` or
    /// `Creative Commons Attribution-ShareAlike 4.0 International`.
    pub fn of(text: &str) -> Option<Licence> {
        let text = text.trim();
        match path(text) {
            Some(path) => of_path(path),
            None if text.len() <= NAME => of_name(text),
            None => None,
        }
    }

    /// What it means for {index, train} where it is the licence of the page. With `nc` that depends on who reads, and with
    /// `nd` on whether a model is a derivative.
    pub(super) fn meaning(&self) -> (Permission, Permission) {
        let mut parts = self.code.split('-');
        let has = |part| self.code.split('-').any(|own| own == part);
        let is_free = matches!(parts.next(), Some("cc0" | "public")) || has("by") || has("pddc");
        match () {
            () if has("nc") || !is_free => (Permission::Unknown, Permission::Unknown),
            () if has("nd") => (Permission::Allowed, Permission::Unknown),
            () => (Permission::Allowed, Permission::Allowed),
        }
    }
}

/// The path of an address at Creative Commons, in lower case, without its query.
fn path(address: &str) -> Option<String> {
    let low = address
        .get(..address.floor_char_boundary(NAME))?
        .to_ascii_lowercase();
    let mut rest = low.as_str();
    for start in ["http:", "https:", "//", "www."] {
        rest = rest.strip_prefix(start).unwrap_or(rest);
    }
    let path = rest.strip_prefix("creativecommons.org/")?;
    let end = path.find(['?', '#']).unwrap_or(path.len());
    Some(path[..end].to_owned())
}

fn of_path(path: String) -> Option<Licence> {
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    let folder = parts.next()?;
    let name = match (folder, parts.next()?) {
        ("publicdomain", "zero") => "cc0".to_owned(),
        ("publicdomain", "mark") => "public-domain-mark".to_owned(),
        ("publicdomain", "certification") | ("licenses", "publicdomain") => "cc-pddc".to_owned(),
        ("licenses", kind) => kind_name(kind)?,
        _ => return None,
    };
    let mut rest = parts.peekable();
    let version = rest.next_if(|part| is_version(part));
    let jurisdiction = rest.next().filter(|part| is_jurisdiction(part));
    // There is one version of the dedication.
    let version = version.filter(|_| name != "cc-pddc");
    Some(Licence {
        code: with_version(name, version),
        jurisdiction: jurisdiction.map(str::to_owned),
    })
}

fn with_version(name: String, version: Option<&str>) -> String {
    match version {
        Some(version) => name + "-" + version,
        None => name,
    }
}

/// The code of a kind of licence: `by-nd-nc`, as the first versions have it, is `cc-by-nc-nd`.
fn kind_name(kind: &str) -> Option<String> {
    match kind {
        "gpl" | "lgpl" | "bsd" | "mit" => return Some(kind.to_owned()),
        "sampling" | "sampling+" | "nc-sampling+" | "devnations" => return Some(format!("cc-{kind}")),
        _ => {}
    }
    let kinds: Vec<&str> = kind.split('-').collect();
    let is_kind = kinds.iter().all(|part| ORDER.contains(part));
    is_kind.then(|| ordered(&kinds))
}

/// The parts of the names of licences, in their order.
const ORDER: [&str; 4] = ["by", "nc", "nd", "sa"];

fn ordered(parts: &[&str]) -> String {
    let own = ORDER.iter().filter(|part| parts.contains(part));
    own.fold("cc".to_owned(), |name, part| name + "-" + part)
}

fn is_version(text: &str) -> bool {
    let bytes = text.as_bytes();
    matches!(bytes, [major, b'.', minor] if major.is_ascii_digit() && minor.is_ascii_digit())
}

/// Whether a part of a path is a jurisdiction, and no page: `deed.de`, `legalcode`, `rdf`.
fn is_jurisdiction(text: &str) -> bool {
    let is_letters = text.bytes().all(|byte| byte.is_ascii_lowercase());
    is_letters && (2..=8).contains(&text.len()) && !matches!(text, "deed" | "rdf")
}

/// Reads a name by its words: they follow `CC` or `Creative Commons`.
fn of_name(name: &str) -> Option<Licence> {
    let low = name.to_ascii_lowercase();
    let words = low.split(|letter: char| !letter.is_alphanumeric() && letter != '.');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let version = words.iter().copied().find(|word| is_version(word));
    let licence = |name: String| Licence {
        code: with_version(name, version),
        jurisdiction: None,
    };
    if words.contains(&"cc0") {
        return Some(licence("cc0".to_owned()));
    }
    let follows = |pair: &[&str]| words.windows(pair.len()).any(|own| own == pair);
    if follows(&["public", "domain", "mark"]) {
        return Some(licence("public-domain-mark".to_owned()));
    }
    let at = words.windows(2).position(|pair| pair == ["creative", "commons"]);
    let after = at
        .map(|at| at + 2)
        .or_else(|| words.iter().position(|word| *word == "cc").map(|at| at + 1))?;
    let parts = kinds(&words[after..]);
    (!parts.is_empty()).then(|| licence(ordered(&parts)))
}

/// The parts of a name that stand at the beginning of some words.
fn kinds<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let mut parts = Vec::new();
    for word in words {
        parts.push(match *word {
            "by" | "attribution" => "by",
            "nc" | "noncommercial" | "commercial" => "nc",
            "nd" | "noderivatives" | "noderivs" | "derivatives" | "derivs" => "nd",
            "sa" | "sharealike" | "alike" => "sa",
            "license" | "licence" | "non" | "no" | "share" => continue,
            _ => break,
        });
    }
    parts
}
