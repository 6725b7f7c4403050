//! The tables of CLD2.
//!
//! The one place that calls C++. The call takes a text with its length, and writes into variables of ours; it keeps nothing, and
//! has no state but its tables.

use std::ffi::{c_char, c_int};
use std::ptr::{null, null_mut};

use cld2_sys::{CLD2_ExtDetectLanguageSummary4, CLDHints, Language as Id};

use super::LanguageShare;
use super::codes::{Language, NAMES};
use super::scripts::Scripts;

/// The languages of a text. A language that is hinted at is preferred where it is about as probable as others.
pub(super) fn identify(text: &str, hint: Option<&str>, scripts: &Scripts) -> Vec<LanguageShare> {
    let hint = hint.and_then(hinted).unwrap_or(Id::UNKNOWN_LANGUAGE);
    let found = detect(text, hint);
    let known = found.languages.iter().zip(found.percents);
    let known = known.filter(|(_, percent)| *percent > 0);
    let share = |(id, percent): (&Id, c_int)| {
        let name = name(*id)?;
        Some(LanguageShare {
            language: Language::new(name.iso, scripts_of(name.scripts, scripts)),
            share: percent as f32 / 100.0,
            is_reliable: found.is_reliable,
        })
    };
    known.filter_map(share).collect()
}

struct Detected {
    languages: [Id; 3],
    percents: [c_int; 3],
    is_reliable: bool,
}

fn detect(text: &str, hint: Id) -> Detected {
    let hints = CLDHints {
        content_language_hint: null(),
        tld_hint: null(),
        // UNKNOWN_ENCODING
        encoding_hint: 23,
        language_hint: hint,
    };
    let mut found = Detected {
        languages: [Id::UNKNOWN_LANGUAGE; 3],
        percents: [0; 3],
        is_reliable: false,
    };
    let mut scores = [0.0; 3];
    let mut bytes = 0;
    let length = c_int::try_from(text.len()).unwrap_or(c_int::MAX);
    #[expect(unsafe_code, reason = "CLD2 is C++")]
    // SAFETY: the pointers are to live variables with room for three values each, the text is UTF-8 with `length` bytes, and
    // the languages that C++ writes have the numbers of the enum, which was made from the same list.
    unsafe {
        CLD2_ExtDetectLanguageSummary4(
            text.as_ptr().cast::<c_char>(),
            length,
            true,
            &hints,
            0,
            found.languages.as_mut_ptr(),
            found.percents.as_mut_ptr(),
            scores.as_mut_ptr(),
            null_mut(),
            &mut bytes,
            &mut found.is_reliable,
        );
    }
    found
}

/// The script with most letters among those that a language is written in; the first one if there are none.
fn scripts_of(codes: &'static [&'static str], scripts: &Scripts) -> &'static str {
    let first = codes[0];
    let most = codes
        .iter()
        .copied()
        .max_by_key(|code| (scripts.count(code), *code == first));
    most.unwrap_or(first)
}

fn name(id: Id) -> Option<&'static super::codes::Name> {
    NAMES.iter().find(|name| name.id == Some(id))
}

/// The language of a tag such as `de`, `de-AT`, `deu` or `deu_Latn`.
fn hinted(tag: &str) -> Option<Id> {
    let code = tag.trim().split(['-', '_']).next()?.to_ascii_lowercase();
    NAMES
        .iter()
        .find(|name| name.short == code || name.iso == code)
        .and_then(|name| name.id)
}
