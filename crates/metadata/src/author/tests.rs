use super::*;

fn english() -> Option<Language> {
    Language::from_tags("en")
}

#[test]
fn names_are_distinguished_from_what_is_none() {
    let name = |text: &str| name(text, english().as_ref());
    assert_eq!(name(" By  Ada\n Lovelace ").as_deref(), Some("Ada Lovelace"));
    assert_eq!(name("作者：王小明").as_deref(), Some("王小明"));
    assert_eq!(name("Автор: Анна Иванова").as_deref(), Some("Анна Иванова"));
    assert_eq!(name("Parisa da Silva").as_deref(), Some("Parisa da Silva"));
    for none in [
        "",
        "https://x.example/ada",
        "undefined",
        "ada@x.example",
        "—",
        "Archives : admin",
        "{{author}}",
        &"long ".repeat(40),
    ] {
        assert_eq!(name(none), None, "{none}");
    }
}

#[test]
fn a_byline_ends_where_a_day_begins() {
    let byline = |text: &str| byline(text, english().as_ref());
    assert_eq!(byline("by Ada Lovelace · 5 min").as_deref(), Some("Ada Lovelace"));
    assert_eq!(byline("Written by Ada 1 May 2024").as_deref(), Some("Ada"));
    assert_eq!(byline("waliesishabi at").as_deref(), Some("waliesishabi"));
    assert_eq!(byline("will /").as_deref(), Some("will"));
    assert_eq!(
        byline("msmash on Friday April 5, 2019").as_deref(),
        Some("msmash")
    );
    assert_eq!(byline("Ejp55230").as_deref(), Some("Ejp55230"));
    assert_eq!(
        byline("By Mia Holt, Programme Manager for Lanterna Walks by Night | 4 May 2024").as_deref(),
        Some("Mia Holt, Programme Manager for Lanterna Walks by Night")
    );
    assert_eq!(
        byline("Ada has written for this site since it began, and before"),
        None
    );
}

#[test]
fn lists_of_names_are_cut_and_names_stay_whole() {
    for (text, tag, wanted) in [
        ("By Ilva Brandt and Jon Ek", "en", "Ilva Brandt|Jon Ek"),
        (
            "Ilva Brandt, Jon Ek & Mia Holt",
            "en",
            "Ilva Brandt|Jon Ek|Mia Holt",
        ),
        (
            "Ilva Brandt, Jon Ek, and Mia Holt",
            "en",
            "Ilva Brandt|Jon Ek|Mia Holt",
        ),
        ("Von Ilva Brandt und Jon Ek", "de", "Ilva Brandt|Jon Ek"),
        ("Ana Ruiz y Luis Gil", "es", "Ana Ruiz|Luis Gil"),
        ("Artur da Costa e Silva", "pt", "Artur da Costa e Silva"),
        ("José Ortega y Gasset", "es", "José Ortega y Gasset"),
        ("Lovelace, Ada", "en", "Lovelace, Ada"),
        ("Ada Lovelace, PhD", "en", "Ada Lovelace, PhD"),
        ("Ada Lovelace, M.D., Jon Ek", "en", "Ada Lovelace, M.D.|Jon Ek"),
        ("Simon and Schuster", "en", "Simon and Schuster"),
        ("王小明、李小華", "zh", "王小明|李小華"),
        ("Анна Иванова и Олег Попов", "ru", "Анна Иванова|Олег Попов"),
    ] {
        let language = Language::from_tags(tag);
        assert_eq!(names(text, language.as_ref()).join("|"), wanted, "{text}");
    }
}

#[test]
fn a_name_is_named_once() {
    let mut all = Vec::new();
    add(
        &mut all,
        ["Ada Lovelace", "ada  lovelace", "Jon Ek"].map(str::to_owned),
    );
    assert_eq!(all, ["Ada Lovelace", "Jon Ek"]);
}

#[test]
fn roles_and_controls_are_no_authors() {
    for (text, tag, wanted) in [
        ("Mia Holt, Senior Reporter", "en", "Mia Holt"),
        ("Mia Holt, Reporter", "en", "Mia Holt"),
        (
            "Mia Holt, Reporter, and Jon Ek, Photographer",
            "en",
            "Mia Holt|Jon Ek",
        ),
        ("Mia Holt and Jon Ek, staff writers", "en", "Mia Holt|Jon Ek"),
        ("Mia Holt | Politics Editor", "en", "Mia Holt"),
        ("Mia Holt, Editor and Publisher", "en", "Mia Holt"),
        ("Von Mia Holt, Redakteurin", "de", "Mia Holt"),
        ("Par Mia Holt, rédactrice en chef", "fr", "Mia Holt"),
        ("Por Mia Holt, Periodista", "es", "Mia Holt"),
        ("Mia Holt, журналист", "ru", "Mia Holt"),
        ("Staff Writer", "en", ""),
        ("Senior Political Correspondent", "en", ""),
        ("Follow", "en", ""),
        ("Follow Mia Holt", "en", ""),
        ("Email the author", "en", ""),
        ("E-Mail an die Autorin", "de", ""),
        ("S’abonner", "fr", ""),
        ("フォローする", "ja", ""),
        ("Holt, Mia", "en", "Holt, Mia"),
        ("Mia Holt, PhD", "en", "Mia Holt, PhD"),
    ] {
        let language = Language::from_tags(tag);
        assert_eq!(names(text, language.as_ref()).join("|"), wanted, "{text}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_has_names_or_none(text in "\\PC{0,80}|((by|von|and|y|,|、|/|Ada Lovelace|王小明|[0-9]| ){1,3}){0,9}", tag in "|en|de|zh|es") {
        let language = Language::from_tags(&tag);
        for name in names(&text, language.as_ref()) {
            proptest::prop_assert!(name.chars().any(char::is_alphabetic));
        }
        byline(&text, language.as_ref());
    }
}
