//! Words and signs before a number that counts something: of `No. 3, May 2024` no day is known.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// The words, in lower case. What may be a name or the kind of a text, such as `Bulletin 3 May 2024`, is none.
static WORDS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| {
    "n no nos nr nro nº núm num number numbers nummer numéro número numero numer numărul číslo č nomor số број брой номер αρ αριθ αριθμός \
     vol vols volume volumen volumes band bd tome tomo том τόμος cilt jilid tập المجلد جلد issue issues iss heft zeszyt szám sz sayı выпуск \
     випуск τεύχος τεύχ العدد عدد شماره גיליון अंक ฉบับที่ fascicolo fascicule fascículo uscita ausgabe edition édition edición edição edizione \
     edisi jahrgang jg jaargang årgang ročník rocznik évfolyam année año ano anno annata part parts teil partie parte część часть частина \
     bölüm bagian phần الجزء قسمت भाग chapter chapters ch chap kapitel chapitre capítulo capitolo hoofdstuk глава פרק page pages p pp pg \
     seite pagina página lesson lektion leçon lección урок season staffel saison temporada stagione sezon сезон episode ep épisode episodio \
     episódio aflevering avsnitt odcinek ตอนที่ week woche kw semaine semana settimana vecka uge unit section figure fig version ver v level \
     grade exercise round phase room top ครั้งที่"
        .split_ascii_whitespace()
        .collect()
});

/// What stands before such a number without a space.
const SIGNS: [char; 11] = ['#', '№', '§', '$', '€', '£', '¥', '₩', '₹', '第', '제'];

/// Letters of the longest of the words.
const LONGEST: usize = 12;

/// Whether the end of a text makes a count of the number behind it.
pub(super) fn counts(before: &str) -> bool {
    let bare = before.trim_end_matches([' ', '\u{a0}', '.', '°', 'º']);
    let is_of_word = |letter: &char| letter.is_alphabetic() || is_mark(*letter);
    match bare.chars().next_back() {
        Some(last) if SIGNS.contains(&last) => true,
        Some(last) if is_of_word(&last) => {
            let letters = bare.chars().rev().take_while(is_of_word).take(LONGEST + 1);
            let length: usize = letters.map(char::len_utf8).sum();
            WORDS.contains(bare[bare.len() - length..].to_lowercase().as_str())
        }
        _ => false,
    }
}

/// Whether a letter is a mark on one, in Hindi and Thai.
fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{900}'..='\u{97f}' | '\u{e31}'..='\u{e4e}')
}
