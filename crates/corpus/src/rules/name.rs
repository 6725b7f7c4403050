//! The names of a capture, and of what a rule leaves out: `domain:org,example`, `url:org,example):/a`. They are compared as
//! digests of 16 bytes.

use std::hash::{Hash, Hasher};

use strum::VariantArray;

use super::form::Form;

/// What a selector names.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
    strum::VariantNames,
)]
#[strum(serialize_all = "lowercase")]
pub enum SelectorKind {
    /// The pages of one host, with any port and scheme.
    Site,
    /// The pages of a host and of all hosts below it.
    Domain,
    /// The pages whose URL begins so.
    Prefix,
    /// The captures of one URL.
    Url,
    /// One record of an archive.
    Record,
    /// The pages with these texts: [`text_digest`](crate::text_digest).
    Text,
}

impl SelectorKind {
    /// The word before a name: `domain`.
    pub(super) fn word(self) -> &'static str {
        self.into()
    }

    pub(super) fn bit(self) -> u8 {
        1 << (self as u8)
    }
}

/// A capture, as far as rules match it.
#[derive(Clone, Copy, Debug)]
pub struct RuleCapture<'a> {
    /// Its URL, as it was captured.
    pub url: &'a str,
    /// The [`surt`](crate::surt) of its URL.
    pub surt: &'a str,
    /// Its record id, as the tables have it.
    pub record_id: &'a str,
    /// The id of the record that it was drawn from; empty where it was not drawn. What leaves out that record leaves out this one, too.
    pub drawn_from: &'a str,
}

/// The digest of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Digest([u8; 16]);

impl Digest {
    /// Written as in the rules of a takedown.
    pub(super) fn hex(self) -> String {
        format!("{:032x}", u128::from_be_bytes(self.0))
    }

    /// Reads what [`Digest::hex`] wrote.
    pub(super) fn of_hex(text: &str) -> Option<Digest> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_digest = text.len() == 32 && text.bytes().all(is_digit);
        let number = u128::from_str_radix(text, 16).ok().filter(|_| is_digest);
        number.map(|number| Digest(number.to_be_bytes()))
    }
}

/// A digest is its own hash.
impl Hash for Digest {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        state.write_u64(u64::from_le_bytes([a, b, c, d, e, f, g, h]));
    }
}

/// Gives the digests of names. The key is a constant: it keeps digests of names apart from digests of other things, and a
/// list of addresses made for another purpose does not show what was taken down. Who knows an address can test whether it
/// is in a rule.
#[derive(Clone, Debug)]
pub(super) struct Digester(blake3::Hasher);

impl Default for Digester {
    fn default() -> Digester {
        Digester(blake3::Hasher::new_derive_key(
            "gleaner: names in rules, version 1",
        ))
    }
}

impl Digester {
    /// Gives the digests of all names of these kinds that a capture has, but for that of its text.
    pub(super) fn capture(&self, kinds: u8, capture: &RuleCapture<'_>, mut each: impl FnMut(Digest)) {
        let form = Form::of(capture.surt);
        let [record, drawn_from] = [capture.record_id, capture.drawn_from].map(bare_record_id);
        for &kind in SelectorKind::VARIANTS
            .iter()
            .filter(|kind| kinds & kind.bit() != 0)
        {
            match kind {
                SelectorKind::Site => self.joined(kind, "", some(form.host), &mut each),
                SelectorKind::Domain => self.joined(kind, "", form.labels(), &mut each),
                SelectorKind::Prefix => self.joined(kind, form.head, form.prefixes(), &mut each),
                SelectorKind::Url => self.joined(kind, form.head, [form.tail], &mut each),
                SelectorKind::Record => {
                    self.joined(kind, "", some(record), &mut each);
                    self.joined(kind, "", some(drawn_from), &mut each);
                }
                SelectorKind::Text => {}
            }
        }
    }

    /// Gives the digest of each name that the pieces up to one of them make.
    fn joined<'a>(
        &self,
        kind: SelectorKind,
        before: &str,
        pieces: impl IntoIterator<Item = &'a str>,
        each: &mut impl FnMut(Digest),
    ) {
        let mut hasher = self.begin(kind);
        hasher.update(before.as_bytes());
        for piece in pieces {
            each(finish(hasher.update(piece.as_bytes())));
        }
    }

    /// The digest of a name.
    pub(super) fn of(&self, kind: SelectorKind, name: &str) -> Digest {
        finish(self.begin(kind).update(name.as_bytes()))
    }

    fn begin(&self, kind: SelectorKind) -> blake3::Hasher {
        let mut hasher = self.0.clone();
        hasher.update(kind.word().as_bytes()).update(b":");
        hasher
    }
}

fn finish(hasher: &blake3::Hasher) -> Digest {
    let digest = hasher.finalize();
    let half = digest.as_bytes().first_chunk();
    Digest(*half.expect("a BLAKE3 digest has 32 bytes"))
}

/// A name, if there is one.
fn some(name: &str) -> Option<&str> {
    (!name.is_empty()).then_some(name)
}

/// A record id without the brackets around it, which some programs leave off.
pub(super) fn bare_record_id(id: &str) -> &str {
    id.trim_matches(['<', '>', ' ', '\t'])
}
