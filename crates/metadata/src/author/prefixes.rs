//! What bylines begin with.

use std::sync::LazyLock;

use crate::Language;

/// Beginnings of bylines in lower case, by language, the longer ones first.
const PREFIXES: &[(&str, &[&str])] = &[
    (
        "en",
        &[
            "view all posts by",
            "all posts by",
            "posts by",
            "author archives",
            "written by",
            "posted by",
            "article by",
            "authored by",
            "words by",
            "text by",
            "story by",
            "guide by",
            "review by",
            "feature by",
            "analysis by",
            "opinion by",
            "reviewed by",
            "created by",
            "published by",
            "submitted by",
            "contributed by",
            "reported by",
            "a post by",
            "author",
            "authors",
            "by",
        ],
    ),
    (
        "de",
        &[
            "alle beiträge von",
            "beiträge von",
            "geschrieben von",
            "verfasst von",
            "veröffentlicht von",
            "erstellt von",
            "ein beitrag von",
            "text von",
            "autorin",
            "autoren",
            "autor",
            "von",
        ],
    ),
    (
        "fr",
        &[
            "voir tous les articles de",
            "articles de",
            "écrit par",
            "publié par",
            "rédigé par",
            "posté par",
            "proposé par",
            "un article de",
            "auteur",
            "autrice",
            "par",
        ],
    ),
    (
        "es",
        &[
            "ver todas las entradas de",
            "entradas de",
            "escrito por",
            "publicado por",
            "redactado por",
            "por",
            "autora",
            "autor",
        ],
    ),
    (
        "pt",
        &[
            "escrito por",
            "publicado por",
            "postado por",
            "por",
            "autora",
            "autor",
        ],
    ),
    ("gl", &["escrito por", "publicado por", "por"]),
    ("ca", &["escrit per", "publicat per", "autora", "autor", "per"]),
    (
        "it",
        &[
            "scritto da",
            "pubblicato da",
            "a cura di",
            "articolo di",
            "autrice",
            "autore",
            "da",
            "di",
        ],
    ),
    ("ro", &["scris de", "publicat de", "autor", "de"]),
    (
        "nl",
        &[
            "geschreven door",
            "geplaatst door",
            "gepost door",
            "auteur",
            "door",
        ],
    ),
    ("sv", &["skriven av", "publicerad av", "författare", "text", "av"]),
    ("da", &["skrevet af", "forfatter", "tekst", "af"]),
    ("nb", &["skrevet av", "publisert av", "forfatter", "tekst", "av"]),
    ("no", &["skrevet av", "publisert av", "forfatter", "tekst", "av"]),
    ("nn", &["skriven av", "forfattar", "tekst", "av"]),
    ("is", &["höfundur", "eftir"]),
    ("fi", &["kirjoittanut", "kirjoittaja", "teksti", "julkaissut"]),
    ("et", &["kirjutas", "autor", "tekst"]),
    (
        "pl",
        &[
            "napisane przez",
            "opublikowane przez",
            "napisała",
            "napisał",
            "autorka",
            "autor",
            "przez",
            "tekst",
        ],
    ),
    (
        "cs",
        &["autor článku", "napsala", "napsal", "autorka", "autor", "od"],
    ),
    ("sk", &["napísala", "napísal", "autorka", "autor", "od"]),
    ("sl", &["avtorica", "avtor", "piše"]),
    ("hr", &["napisala", "napisao", "autorica", "autor", "piše", "od"]),
    ("bs", &["napisala", "napisao", "autor", "piše", "od"]),
    ("sr", &["napisao", "autor", "piše", "аутор", "пише", "од"]),
    ("hu", &["szerző", "írta"]),
    (
        "ru",
        &["опубликовал", "опубликовала", "автор статьи", "автор", "от"],
    ),
    ("uk", &["опублікував", "автор статті", "автор", "авторка", "від"]),
    ("be", &["аўтар", "ад"]),
    ("bg", &["автор", "от"]),
    ("mk", &["автор", "од"]),
    ("el", &["συντάκτης", "συγγραφέας", "από", "του"]),
    ("tr", &["yazar", "yazan"]),
    ("az", &["müəllif"]),
    ("lt", &["autorius", "autorė"]),
    ("lv", &["autors", "autore"]),
    ("id", &["ditulis oleh", "diposting oleh", "penulis", "oleh"]),
    ("ms", &["ditulis oleh", "penulis", "oleh"]),
    ("vi", &["đăng bởi", "viết bởi", "tác giả", "bởi"]),
    ("th", &["เขียนโดย", "ผู้เขียน", "โดย"]),
    ("ar", &["كتب بواسطة", "بواسطة", "بقلم", "كتبت", "كتب", "الكاتب"]),
    ("fa", &["نوشته شده توسط", "نویسنده", "نوشته", "توسط"]),
    ("ur", &["تحریر", "مصنف"]),
    ("he", &["נכתב על ידי", "מאת"]),
    ("hi", &["लेखक", "द्वारा"]),
    ("zh", &["作者", "撰文", "撰稿", "記者", "记者", "文"]),
    (
        "ja",
        &[
            "投稿者",
            "執筆者",
            "著者",
            "作者",
            "筆者",
            "ライター",
            "記者",
            "文",
        ],
    ),
    ("ko", &["작성자", "글쓴이", "지은이", "글"]),
];

/// What archives of an author's posts begin with, in front of a colon.
const LISTS: &[&str] = &[
    "archives",
    "archive",
    "archiv",
    "autorenarchiv",
    "archives de l’auteur",
    "archivo del autor",
    "archivos",
    "archivio",
    "arquivo",
    "arquivos",
    "архив",
    "архивы",
    "name",
    "writer",
    "redaktion",
    "reporter",
];

/// Prefixes that are parts of names, too: they are one before two words.
const PARTICLES: [&str; 9] = ["von", "de", "di", "da", "af", "av", "od", "per", "door"];

/// A text without what bylines begin with: a prefix of the page's language (English where it is not known), or one of any
/// language with a colon behind it.
pub(super) fn without_prefix<'t>(text: &'t str, language: Option<&Language>) -> &'t str {
    let own = language.map_or("en", |language| language.name.as_str());
    let mut rest = text.trim();
    // `Posted by: By Ada`, and no end without an end.
    for _ in 0..3 {
        let first = rest.chars().next().and_then(|first| first.to_lowercase().next());
        let mut prefixes = first.map_or(&[][..], beginning_with).iter();
        match prefixes.find_map(|&(_, code, prefix)| after(rest, prefix, code == own)) {
            Some(after) => rest = after,
            None => break,
        }
    }
    rest
}

/// The prefixes that begin with a letter, each with its language; what names lists has none. The first letter rules out nearly
/// all.
fn beginning_with(letter: char) -> &'static [(char, &'static str, &'static str)] {
    static BY_LETTER: LazyLock<Vec<(char, &str, &str)>> = LazyLock::new(|| {
        let of_languages = PREFIXES
            .iter()
            .flat_map(|(code, prefixes)| prefixes.iter().map(move |prefix| (*code, *prefix)));
        let all = of_languages.chain(LISTS.iter().map(|prefix| ("", *prefix)));
        let mut all: Vec<_> = all
            .filter_map(|(code, prefix)| Some((prefix.chars().next()?, code, prefix)))
            .collect();
        all.sort_by_key(|(letter, ..)| *letter);
        all
    });
    let start = BY_LETTER.partition_point(|(other, ..)| *other < letter);
    let end = BY_LETTER.partition_point(|(other, ..)| *other <= letter);
    &BY_LETTER[start..end]
}

/// Whether a text in lower case is a prefix alone.
pub(super) fn is_prefix(text: &str) -> bool {
    PREFIXES.iter().any(|(_, prefixes)| prefixes.contains(&text))
}

/// What stands behind a prefix, if a text begins with it.
fn after<'t>(text: &'t str, prefix: &str, is_own: bool) -> Option<&'t str> {
    let rest = strip(text, prefix)?;
    let bare = rest.trim_start();
    if let Some(after) = bare.strip_prefix([':', '：']) {
        return Some(after.trim_start());
    }
    if !is_own {
        return None;
    }
    let is_dense = prefix.starts_with(|letter: char| letter >= '\u{2e80}') && prefix.chars().count() > 1;
    if bare.is_empty() || (bare.len() == rest.len() && !is_dense && !rest.starts_with('/')) {
        return None;
    }
    let bare = bare.trim_start_matches('/');
    let is_name = PARTICLES.contains(&prefix) && bare.split_whitespace().count() < 2;
    (!is_name).then_some(bare)
}

/// What stands behind a beginning, in any letter case.
fn strip<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let mut letters = text.char_indices();
    for wanted in prefix.chars() {
        let (_, own) = letters.next()?;
        let is_same = own == wanted || own.to_lowercase().eq(wanted.to_lowercase());
        if !is_same {
            return None;
        }
    }
    Some(letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut<'t>(text: &'t str, tag: &str) -> &'t str {
        without_prefix(text, Language::from_tags(tag).as_ref())
    }

    #[test]
    fn a_prefix_is_cut_off_in_its_language_or_before_a_colon() {
        for (text, tag, wanted) in [
            ("By Ada Lovelace", "en", "Ada Lovelace"),
            ("By Ada Lovelace", "", "Ada Lovelace"),
            ("By Larsen", "nb", "By Larsen"),
            ("Oleh Kovalchuk", "en", "Oleh Kovalchuk"),
            ("Oleh Kovalchuk", "uk", "Oleh Kovalchuk"),
            ("Oleh Budi Santoso", "id", "Budi Santoso"),
            ("Von Ada Lovelace", "de", "Ada Lovelace"),
            ("Von Miller", "en", "Von Miller"),
            ("Von Miller", "de", "Von Miller"),
            ("von: Ada", "en", "Ada"),
            ("Por Ana Silva", "es", "Ana Silva"),
            ("Por Thao", "en", "Por Thao"),
            ("Автор: Анна Иванова", "en", "Анна Иванова"),
            ("Автор Анна Иванова", "ru", "Анна Иванова"),
            ("作者：王小明", "", "王小明"),
            ("記者王小明", "zh", "王小明"),
            ("글렌 최", "ko", "글렌 최"),
            ("글 김민수", "ko", "김민수"),
            ("文月 涼", "ja", "文月 涼"),
            ("Di Maio", "it", "Di Maio"),
            ("di Mario Rossi", "it", "Mario Rossi"),
            ("Door Jan de Vries", "nl", "Jan de Vries"),
            ("Archives : admin", "en", "admin"),
            ("Written by: By Ada", "en", "Ada"),
            ("Byron Katie", "en", "Byron Katie"),
            ("Authorina Bell", "en", "Authorina Bell"),
            ("Guide by Ada Lovelace", "en", "Ada Lovelace"),
            ("By", "en", "By"),
            ("İ", "tr", "İ"),
        ] {
            assert_eq!(cut(text, tag), wanted, "{text} {tag}");
        }
    }
}
