//! What people do: `Senior Reporter` beside a name, or where a name is missing.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// What writers of texts are called, in lower case: as a whole word, or as the end of a longer one.
static WRITERS: WordSet = LazyLock::new(|| {
    set(
        "reporter correspondent editor writer journalist columnist contributor photographer photojournalist videographer copywriter blogger \
    redakteur redakteurin reporterin korrespondent korrespondentin journalistin kolumnist kolumnistin volontär volontärin \
    rédacteur rédactrice redacteur redactrice journaliste correspondant correspondante chroniqueur chroniqueuse reportrice photographe \
    redactor redactora periodista corresponsal columnista reportero reportera fotógrafo fotógrafa \
    jornalista repórter colunista correspondente redator redatora giornalista redattore redattrice corrispondente cronista editorialista \
    verslaggever verslaggeefster correspondente redactie eindredacteur redaktör korrespondenter skribent \
    krönikör redaktør journalistelev toimittaja kirjeenvaihtaja avustaja dziennikarz dziennikarka redaktor redaktorka publicysta \
    redaktorė novinář novinářka reportér reportérka újságíró szerkesztő tudósító novinar novinarka urednik urednica \
    reportör ziarist jurnalist jurnalistă δημοσιογράφος συντάκτης журналист журналистка корреспондент редактор обозреватель \
    репортер репортёр кореспондент журналіст журналістка редакторка оглядач новинар уредник muhabir muhabiri editör editörü wartawan \
    jurnalis مراسل مراسلة محرر صحفي صحفية صحافي صحافية خبرنگار روزنامه‌نگار כתב כתבת עיתונאי עיתונאית \
    संवाददाता पत्रकार ผู้สื่อข่าว นักข่าว 기자 특파원 논설위원 편집장 에디터 記者 记者 編輯 编辑 特派員 主編 主编 編集者 編集長",
    )
});

/// What others are called who write or are quoted, in lower case.
static OFFICES: WordSet = LazyLock::new(|| {
    set(
        "reporters correspondents editors writers journalists columnists contributors photographers author autor autorin auteur autrice autore \
    publisher head director manager president ceo cto cfo coo founder professor lecturer fellow scientist researcher engineer \
    developer consultant specialist strategist officer analyst producer presenter critic intern chief staff university institute \
    geschäftsführer geschäftsführerin leiter leiterin professorin directeur directrice directora profesor profesora professora diretor \
    diretora direttore direttrice presidente профессор директор",
    )
});

/// Words before the name of a role that are parts of it.
static MODIFIERS: WordSet = LazyLock::new(|| {
    set(
        "senior junior staff chief deputy managing executive associate assistant contributing guest \
    freelance lead principal special former political politics sports sport business economics financial finance health medical science \
    technology tech education culture arts entertainment lifestyle travel food news features feature foreign international world national \
    regional local city crime legal environment climate energy investigative investigations data digital video photo multimedia web \
    online copy content social media night weekend opinion royal defence defense security diplomatic consumer money property \
    freier freie leitender leitende stellvertretender stellvertretende politischer politische главный специальный старший собственный главни starszy",
    )
});

type WordSet = LazyLock<FxHashSet<&'static str>>;

fn set(words: &'static str) -> FxHashSet<&'static str> {
    words.split_ascii_whitespace().collect()
}

/// Bytes of a role that is the end of a longer word: `Politikredakteurin`.
const LONG: usize = 8;

fn is_writer(word: &str) -> bool {
    let is_end = |own: &&str| own.len() >= LONG && word.ends_with(*own);
    word.split('-').any(|part| WRITERS.contains(part)) || (word.len() > LONG && WRITERS.iter().any(is_end))
}

/// The words of a text in lower case, without marks at their ends.
fn low_words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split_whitespace();
    let words = words.map(|word| {
        word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '&')
            .to_lowercase()
    });
    words.filter(|word| !word.is_empty())
}

/// Whether what stands beside a name is a role: its first or last word is one, or one that a preposition follows.
pub(super) fn is_role(text: &str) -> bool {
    let is_one = |word: &str| is_writer(word) || word.split('-').any(|part| OFFICES.contains(part));
    let words: Vec<String> = low_words(text).collect();
    let is_followed = || {
        let mut pairs = text.split_whitespace().zip(text.split_whitespace().skip(1));
        pairs.any(|(word, next)| is_one(&word.to_lowercase()) && next.starts_with(char::is_lowercase))
    };
    match words.as_slice() {
        [] => false,
        [first, .., last] => is_one(first) || is_one(last) || is_followed(),
        [word] => is_one(word),
    }
}

/// A name without the role behind it; `None` where the text is a role alone, such as `Staff Writer`. (`Gazette Reporter` is
/// how some sites name those who write for them.)
/// The words of the text stand one space apart.
pub(super) fn without_role(text: &str) -> Option<&str> {
    let mut parted = BESIDE.iter().filter_map(|mark| text.split_once(mark));
    let parted = parted.find(|(_, role)| is_role(role));
    let text = parted.map_or(text, |(name, _)| name);
    let words: Vec<String> = low_words(text).collect();
    // Of `Rédactrice en chef` the first word is the role.
    let mut own = text.split(' ');
    let is_first = own.next().is_some_and(|first| is_writer(&first.to_lowercase()));
    if is_first
        && own
            .next()
            .is_none_or(|next| next.starts_with(char::is_lowercase) || next == "In")
    {
        return None;
    }
    let is_list = text.contains([',', ';', '|', '/', '，', '、']);
    let Some((last, before)) = words.split_last().filter(|(last, _)| is_writer(last) && !is_list) else {
        return Some(text);
    };
    let is_modifier = |word: &&String| MODIFIERS.contains(word.as_str());
    let modifiers = before.iter().rev().take_while(is_modifier).count();
    // In Korean and Chinese the role follows the name as a title does.
    let is_title = last.starts_with(|letter: char| letter >= '\u{2e80}');
    match before.len() - modifiers {
        0 => None,
        left if !is_title && (left == 1 || modifiers == 0) => Some(text),
        _ => text.rsplitn(modifiers + 2, ' ').last(),
    }
}

/// What stands between a name and a role.
const BESIDE: [&str; 5] = [" - ", " – ", " — ", " (", " | "];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_no_name() {
        for text in [
            "Staff Writer",
            "Senior Political Correspondent",
            "Editor-in-Chief",
            "Editor In Chief",
            "Redakteurin",
            "Politikredakteurin",
            "Rédactrice en chef",
            "Journaliste",
            "Redactora jefe de cultura",
            "Giornalista",
            "Специальный корреспондент",
            "Dziennikarz",
            "기자",
        ] {
            assert_eq!(without_role(text), None, "{text}");
        }
    }

    #[test]
    fn a_name_is_kept_without_the_role_behind_it() {
        for (text, wanted) in [
            ("Mia Holt Senior Reporter", "Mia Holt"),
            ("Mia Holt, Senior Reporter", "Mia Holt, Senior Reporter"),
            ("Gazette Reporter", "Gazette Reporter"),
            ("Our Editors", "Our Editors"),
            ("Mia Holt - Head of Research, Lanterna", "Mia Holt"),
            ("Mia Holt – Redakteurin", "Mia Holt"),
            ("Mia Holt (editor at Lanterna)", "Mia Holt"),
            ("김민수 기자", "김민수"),
            ("Mia Holt", "Mia Holt"),
            ("Mia Holt Photographer", "Mia Holt Photographer"),
            ("Editor Mia Holt", "Editor Mia Holt"),
        ] {
            assert_eq!(without_role(text), Some(wanted), "{text}");
        }
    }

    #[test]
    fn what_stands_beside_a_name_may_be_a_role() {
        for role in [
            "Reporter",
            "senior reporter at Lanterna",
            "Professor of Physics",
            "Vice President",
            "Co-Founder",
            "Giornalista Sportivo",
            "Leiterin Forschung",
            "Gazette Staff",
        ] {
            assert!(is_role(role), "{role}");
        }
        for name in ["Jon Ek", "Mia Holt", "Lanterna", ""] {
            assert!(!is_role(name), "{name}");
        }
    }
}
