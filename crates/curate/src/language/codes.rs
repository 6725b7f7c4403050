//! The codes of languages.

use std::fmt::{Display, Formatter, Result};

use cld2_sys::Language as Id;

use super::scripts::Scripts;

/// A language in a script, such as `deu_Latn`; `und` if the language is not known.
///
/// The code is that of ISO 639-3 for a single language where the identifier has only the code of a group of languages: `arb` for
/// `ar`, `ekk` for `et`, `cmn` for `zh`, `npi` for `ne`, `zsm` for `ms`. These are the codes of GlotLID and FineWeb-2. Scripts have
/// their codes in ISO 15924: `Jpan` for Japanese, `Hang` for Korean, `Hani` for Chinese of either kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Language {
    tag: String,
}

impl Language {
    /// A language by its two codes.
    pub fn new(iso: &str, script: &str) -> Language {
        Language {
            tag: format!("{iso}_{script}"),
        }
    }

    /// No language that is known.
    pub fn undetermined() -> Language {
        Language {
            tag: UNDETERMINED.to_owned(),
        }
    }

    /// The language that a label of a model names: `__label__deu_Latn`, or `__label__de` with the script of the text. Codes of
    /// labels without a script are those of lid.176, of which some are other languages in ISO 639-3: `als`.
    pub(super) fn of_label(label: &str, scripts: &Scripts) -> Language {
        let code = label.strip_prefix("__label__").unwrap_or(label);
        let (code, script) = code
            .split_once('_')
            .map_or((code, None), |(code, script)| (code, Some(script)));
        let is_short = |name: &&Name| name.short == code && (script.is_none() || code.len() == 2);
        let name = NAMES.iter().find(is_short);
        let iso = name.map_or(code, |name| name.iso);
        Language::new(iso, script.unwrap_or_else(|| scripts.first()))
    }

    /// The language alone: ISO 639-3, or `und`.
    pub fn iso(&self) -> &str {
        self.tag.split('_').next().unwrap_or_default()
    }

    /// The script alone: ISO 15924. None if the language is not known.
    pub fn script(&self) -> Option<&str> {
        self.tag.split_once('_').map(|(_, script)| script)
    }

    /// Both with `_` between, or `und`.
    pub fn as_str(&self) -> &str {
        &self.tag
    }

    /// Whether it is a language that is known.
    pub fn is_known(&self) -> bool {
        self.tag != UNDETERMINED
    }
}

impl Display for Language {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        formatter.write_str(&self.tag)
    }
}

/// What ISO 639 calls a language that is not known.
const UNDETERMINED: &str = "und";

/// The names of a language.
#[derive(Debug)]
pub(super) struct Name {
    /// As in language tags of pages, and in lid.176: of two letters where there are such.
    pub(super) short: &'static str,
    /// ISO 639-3.
    pub(super) iso: &'static str,
    /// In the tables of CLD2, if they have it.
    pub(super) id: Option<Id>,
    /// The scripts in which it is written, the usual one first.
    pub(super) scripts: &'static [&'static str],
}

/// The code of a language by which ISO 639-1 has it, or another list of short codes.
pub(crate) fn short_code(iso: &str) -> Option<&'static str> {
    NAMES.iter().find(|name| name.iso == iso).map(|name| name.short)
}

const fn name(
    short: &'static str,
    iso: &'static str,
    id: Option<Id>,
    scripts: &'static [&'static str],
) -> Name {
    Name {
        short,
        iso,
        id,
        scripts,
    }
}

/// The languages that CLD2 or lid.176 has. Where a language has two names, the first one is the one that it gets.
pub(super) const NAMES: [Name; 195] = [
    name("en", "eng", Some(Id::ENGLISH), &["Latn"]),
    name("da", "dan", Some(Id::DANISH), &["Latn"]),
    name("nl", "nld", Some(Id::DUTCH), &["Latn"]),
    name("fi", "fin", Some(Id::FINNISH), &["Latn"]),
    name("fr", "fra", Some(Id::FRENCH), &["Latn"]),
    name("de", "deu", Some(Id::GERMAN), &["Latn"]),
    name("he", "heb", Some(Id::HEBREW), &["Hebr"]),
    name("it", "ita", Some(Id::ITALIAN), &["Latn"]),
    name("ja", "jpn", Some(Id::JAPANESE), &["Jpan"]),
    name("ko", "kor", Some(Id::KOREAN), &["Hang"]),
    name("no", "nob", Some(Id::NORWEGIAN), &["Latn"]),
    name("pl", "pol", Some(Id::POLISH), &["Latn"]),
    name("pt", "por", Some(Id::PORTUGUESE), &["Latn"]),
    name("ru", "rus", Some(Id::RUSSIAN), &["Cyrl"]),
    name("es", "spa", Some(Id::SPANISH), &["Latn"]),
    name("sv", "swe", Some(Id::SWEDISH), &["Latn"]),
    name("zh", "cmn", Some(Id::CHINESE), &["Hani"]),
    name("cs", "ces", Some(Id::CZECH), &["Latn"]),
    name("el", "ell", Some(Id::GREEK), &["Grek"]),
    name("is", "isl", Some(Id::ICELANDIC), &["Latn"]),
    name("lv", "lvs", Some(Id::LATVIAN), &["Latn"]),
    name("lt", "lit", Some(Id::LITHUANIAN), &["Latn"]),
    name("ro", "ron", Some(Id::ROMANIAN), &["Latn", "Cyrl"]),
    name("hu", "hun", Some(Id::HUNGARIAN), &["Latn"]),
    name("et", "ekk", Some(Id::ESTONIAN), &["Latn"]),
    name("bg", "bul", Some(Id::BULGARIAN), &["Cyrl"]),
    name("hr", "hrv", Some(Id::CROATIAN), &["Latn"]),
    name("sr", "srp", Some(Id::SERBIAN), &["Cyrl", "Latn"]),
    name("ga", "gle", Some(Id::IRISH), &["Latn"]),
    name("gl", "glg", Some(Id::GALICIAN), &["Latn"]),
    name("tl", "fil", Some(Id::TAGALOG), &["Latn"]),
    name("tr", "tur", Some(Id::TURKISH), &["Latn"]),
    name("uk", "ukr", Some(Id::UKRAINIAN), &["Cyrl"]),
    name("hi", "hin", Some(Id::HINDI), &["Deva", "Latn"]),
    name("mk", "mkd", Some(Id::MACEDONIAN), &["Cyrl"]),
    name("bn", "ben", Some(Id::BENGALI), &["Beng", "Latn"]),
    name("id", "ind", Some(Id::INDONESIAN), &["Latn"]),
    name("la", "lat", Some(Id::LATIN), &["Latn"]),
    name("ms", "zsm", Some(Id::MALAY), &["Latn", "Arab"]),
    name("ml", "mal", Some(Id::MALAYALAM), &["Mlym", "Latn"]),
    name("cy", "cym", Some(Id::WELSH), &["Latn"]),
    name("ne", "npi", Some(Id::NEPALI), &["Deva"]),
    name("te", "tel", Some(Id::TELUGU), &["Telu", "Latn"]),
    name("sq", "als", Some(Id::ALBANIAN), &["Latn"]),
    name("ta", "tam", Some(Id::TAMIL), &["Taml", "Latn"]),
    name("be", "bel", Some(Id::BELARUSIAN), &["Cyrl", "Latn"]),
    name("jv", "jav", Some(Id::JAVANESE), &["Latn", "Java"]),
    name("oc", "oci", Some(Id::OCCITAN), &["Latn"]),
    name("ur", "urd", Some(Id::URDU), &["Arab", "Latn"]),
    name("bh", "bho", Some(Id::BIHARI), &["Deva"]),
    name("gu", "guj", Some(Id::GUJARATI), &["Gujr", "Latn"]),
    name("th", "tha", Some(Id::THAI), &["Thai"]),
    name("ar", "arb", Some(Id::ARABIC), &["Arab"]),
    name("ca", "cat", Some(Id::CATALAN), &["Latn"]),
    name("eo", "epo", Some(Id::ESPERANTO), &["Latn"]),
    name("eu", "eus", Some(Id::BASQUE), &["Latn"]),
    name("ia", "ina", Some(Id::INTERLINGUA), &["Latn"]),
    name("kn", "kan", Some(Id::KANNADA), &["Knda", "Latn"]),
    name("pa", "pan", Some(Id::PUNJABI), &["Guru", "Latn"]),
    name("gd", "gla", Some(Id::SCOTS_GAELIC), &["Latn"]),
    name("sw", "swh", Some(Id::SWAHILI), &["Latn"]),
    name("sl", "slv", Some(Id::SLOVENIAN), &["Latn"]),
    name("mr", "mar", Some(Id::MARATHI), &["Deva", "Latn"]),
    name("mt", "mlt", Some(Id::MALTESE), &["Latn"]),
    name("vi", "vie", Some(Id::VIETNAMESE), &["Latn"]),
    name("fy", "fry", Some(Id::FRISIAN), &["Latn"]),
    name("sk", "slk", Some(Id::SLOVAK), &["Latn"]),
    name("zh-hant", "cmn", Some(Id::CHINESE_T), &["Hani"]),
    name("fo", "fao", Some(Id::FAROESE), &["Latn"]),
    name("su", "sun", Some(Id::SUNDANESE), &["Latn"]),
    name("uz", "uzn", Some(Id::UZBEK), &["Latn", "Cyrl"]),
    name("am", "amh", Some(Id::AMHARIC), &["Ethi"]),
    name("az", "azj", Some(Id::AZERBAIJANI), &["Latn", "Cyrl"]),
    name("ka", "kat", Some(Id::GEORGIAN), &["Geor"]),
    name("ti", "tir", Some(Id::TIGRINYA), &["Ethi"]),
    name("fa", "fas", Some(Id::PERSIAN), &["Arab"]),
    name("bs", "bos", Some(Id::BOSNIAN), &["Latn", "Cyrl"]),
    name("si", "sin", Some(Id::SINHALESE), &["Sinh"]),
    name("nn", "nno", Some(Id::NORWEGIAN_N), &["Latn"]),
    name("xh", "xho", Some(Id::XHOSA), &["Latn"]),
    name("zu", "zul", Some(Id::ZULU), &["Latn"]),
    name("gn", "gug", Some(Id::GUARANI), &["Latn"]),
    name("st", "sot", Some(Id::SESOTHO), &["Latn"]),
    name("tk", "tuk", Some(Id::TURKMEN), &["Latn", "Cyrl", "Arab"]),
    name("ky", "kir", Some(Id::KYRGYZ), &["Cyrl", "Arab"]),
    name("br", "bre", Some(Id::BRETON), &["Latn"]),
    name("tw", "twi", Some(Id::TWI), &["Latn"]),
    name("yi", "ydd", Some(Id::YIDDISH), &["Hebr"]),
    name("so", "som", Some(Id::SOMALI), &["Latn"]),
    name("ug", "uig", Some(Id::UIGHUR), &["Arab", "Cyrl", "Latn"]),
    name("ku", "kmr", Some(Id::KURDISH), &["Latn", "Arab", "Cyrl"]),
    name("mn", "khk", Some(Id::MONGOLIAN), &["Cyrl", "Mong"]),
    name("hy", "hye", Some(Id::ARMENIAN), &["Armn"]),
    name("lo", "lao", Some(Id::LAOTHIAN), &["Laoo"]),
    name("sd", "snd", Some(Id::SINDHI), &["Arab", "Deva", "Latn"]),
    name("rm", "roh", Some(Id::RHAETO_ROMANCE), &["Latn"]),
    name("af", "afr", Some(Id::AFRIKAANS), &["Latn"]),
    name("lb", "ltz", Some(Id::LUXEMBOURGISH), &["Latn"]),
    name("my", "mya", Some(Id::BURMESE), &["Mymr"]),
    name("km", "khm", Some(Id::KHMER), &["Khmr"]),
    name("bo", "bod", Some(Id::TIBETAN), &["Tibt"]),
    name("dv", "div", Some(Id::DHIVEHI), &["Thaa"]),
    name("chr", "chr", Some(Id::CHEROKEE), &["Cher"]),
    name("syr", "aii", Some(Id::SYRIAC), &["Syrc"]),
    name("lif", "lif", Some(Id::LIMBU), &["Limb", "Deva"]),
    name("or", "ory", Some(Id::ORIYA), &["Orya", "Latn"]),
    name("as", "asm", Some(Id::ASSAMESE), &["Beng"]),
    name("co", "cos", Some(Id::CORSICAN), &["Latn"]),
    name("ie", "ile", Some(Id::INTERLINGUE), &["Latn"]),
    name("kk", "kaz", Some(Id::KAZAKH), &["Cyrl", "Arab", "Latn"]),
    name("ln", "lin", Some(Id::LINGALA), &["Latn"]),
    name("ps", "pbt", Some(Id::PASHTO), &["Arab"]),
    name("qu", "quy", Some(Id::QUECHUA), &["Latn"]),
    name("sn", "sna", Some(Id::SHONA), &["Latn"]),
    name("tg", "tgk", Some(Id::TAJIK), &["Cyrl", "Arab"]),
    name("tt", "tat", Some(Id::TATAR), &["Cyrl", "Latn", "Arab"]),
    name("to", "ton", Some(Id::TONGA), &["Latn"]),
    name("yo", "yor", Some(Id::YORUBA), &["Latn"]),
    name("mi", "mri", Some(Id::MAORI), &["Latn"]),
    name("wo", "wol", Some(Id::WOLOF), &["Latn"]),
    name("ab", "abk", Some(Id::ABKHAZIAN), &["Cyrl"]),
    name("aa", "aar", Some(Id::AFAR), &["Latn"]),
    name("ay", "ayr", Some(Id::AYMARA), &["Latn"]),
    name("ba", "bak", Some(Id::BASHKIR), &["Cyrl"]),
    name("bi", "bis", Some(Id::BISLAMA), &["Latn"]),
    name("dz", "dzo", Some(Id::DZONGKHA), &["Tibt"]),
    name("fj", "fij", Some(Id::FIJIAN), &["Latn"]),
    name("kl", "kal", Some(Id::GREENLANDIC), &["Latn"]),
    name("ha", "hau", Some(Id::HAUSA), &["Latn"]),
    name("ht", "hat", Some(Id::HAITIAN_CREOLE), &["Latn"]),
    name("ik", "esi", Some(Id::INUPIAK), &["Latn"]),
    name("iu", "ike", Some(Id::INUKTITUT), &["Cans"]),
    name("ks", "kas", Some(Id::KASHMIRI), &["Arab", "Deva"]),
    name("rw", "kin", Some(Id::KINYARWANDA), &["Latn"]),
    name("mg", "plt", Some(Id::MALAGASY), &["Latn"]),
    name("na", "nau", Some(Id::NAURU), &["Latn"]),
    name("om", "gaz", Some(Id::OROMO), &["Latn"]),
    name("rn", "run", Some(Id::RUNDI), &["Latn"]),
    name("sm", "smo", Some(Id::SAMOAN), &["Latn"]),
    name("sg", "sag", Some(Id::SANGO), &["Latn"]),
    name("sa", "san", Some(Id::SANSKRIT), &["Deva", "Latn"]),
    name("ss", "ssw", Some(Id::SISWANT), &["Latn"]),
    name("ts", "tso", Some(Id::TSONGA), &["Latn"]),
    name("tn", "tsn", Some(Id::TSWANA), &["Latn"]),
    name("vo", "vol", Some(Id::VOLAPUK), &["Latn"]),
    name("za", "zyb", Some(Id::ZHUANG), &["Latn"]),
    name("kha", "kha", Some(Id::KHASI), &["Latn"]),
    name("sco", "sco", Some(Id::SCOTS), &["Latn"]),
    name("lg", "lug", Some(Id::GANDA), &["Latn"]),
    name("gv", "glv", Some(Id::MANX), &["Latn"]),
    name("cnr", "cnr", Some(Id::MONTENEGRIN), &["Latn", "Cyrl"]),
    name("ak", "aka", Some(Id::AKAN), &["Latn"]),
    name("ig", "ibo", Some(Id::IGBO), &["Latn"]),
    name("mfe", "mfe", Some(Id::MAURITIAN_CREOLE), &["Latn"]),
    name("haw", "haw", Some(Id::HAWAIIAN), &["Latn"]),
    name("ee", "ewe", Some(Id::EWE), &["Latn"]),
    name("gaa", "gaa", Some(Id::GA), &["Latn"]),
    name("hmn", "hnj", Some(Id::HMONG), &["Latn"]),
    name("kri", "kri", Some(Id::KRIO), &["Latn"]),
    name("loz", "loz", Some(Id::LOZI), &["Latn"]),
    name("lua", "lua", Some(Id::LUBA_LULUA), &["Latn"]),
    name("luo", "luo", Some(Id::LUO_KENYA_AND_TANZANIA), &["Latn"]),
    name("new", "new", Some(Id::NEWARI), &["Deva"]),
    name("ny", "nya", Some(Id::NYANJA), &["Latn"]),
    name("os", "oss", Some(Id::OSSETIAN), &["Cyrl"]),
    name("pam", "pam", Some(Id::PAMPANGA), &["Latn"]),
    name("nso", "nso", Some(Id::PEDI), &["Latn"]),
    name("raj", "raj", Some(Id::RAJASTHANI), &["Deva"]),
    name("crs", "crs", Some(Id::SESELWA), &["Latn"]),
    name("tum", "tum", Some(Id::TUMBUKA), &["Latn"]),
    name("ve", "ven", Some(Id::VENDA), &["Latn"]),
    name("war", "war", Some(Id::WARAY_PHILIPPINES), &["Latn"]),
    name("nr", "nbl", Some(Id::NDEBELE), &["Latn"]),
    name("als", "gsw", None, &["Latn"]),
    name("an", "arg", None, &["Latn"]),
    name("av", "ava", None, &["Cyrl"]),
    name("cv", "chv", None, &["Cyrl"]),
    name("io", "ido", None, &["Latn"]),
    name("kv", "kpv", None, &["Cyrl"]),
    name("kw", "cor", None, &["Latn"]),
    name("li", "lim", None, &["Latn"]),
    name("sc", "srd", None, &["Latn"]),
    name("sh", "hbs", None, &["Latn", "Cyrl"]),
    name("wa", "wln", None, &["Latn"]),
    name("nb", "nob", Some(Id::NORWEGIAN), &["Latn"]),
    name("iw", "heb", Some(Id::HEBREW), &["Hebr"]),
    name("jw", "jav", Some(Id::JAVANESE), &["Latn"]),
    name("in", "ind", Some(Id::INDONESIAN), &["Latn"]),
    name("ff", "fuv", None, &["Latn"]),
    name("ckb", "ckb", None, &["Arab"]),
    name("yue", "yue", None, &["Hani"]),
    name("wuu", "wuu", None, &["Hani"]),
    name("arz", "arz", None, &["Arab"]),
    name("azb", "azb", None, &["Arab"]),
    name("pnb", "pnb", None, &["Arab"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_codes() {
        for name in &NAMES {
            assert_eq!(name.iso.len(), 3, "{name:?}");
            assert!(!name.scripts.is_empty() && name.scripts.iter().all(|script| script.len() == 4));
        }
    }

    #[test]
    fn labels_of_models_are_languages() {
        let scripts = Scripts::of("гавань");
        for (label, language) in [
            ("__label__deu_Latn", "deu_Latn"),
            ("__label__sr", "srp_Cyrl"),
            ("__label__ceb", "ceb_Cyrl"),
            ("__label__als", "gsw_Cyrl"),
            ("__label__als_Latn", "als_Latn"),
            ("__label__zh_Hani", "cmn_Hani"),
            ("__label__some-other", "some-other_Cyrl"),
            ("kbd_Cyrl", "kbd_Cyrl"),
        ] {
            assert_eq!(Language::of_label(label, &scripts).as_str(), language);
        }
        assert_eq!(
            (Language::undetermined().iso(), Language::undetermined().script()),
            ("und", None)
        );
    }
}
