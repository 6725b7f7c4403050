//! The scripts of a text.

use unicode_script::{Script, UnicodeScript};

/// Of the characters beyond ASCII every fourth is looked up.
const STEP: usize = 4;

/// How many letters of a text each script has, about: of the characters beyond ASCII every fourth is counted, four times.
#[derive(Debug, Default)]
pub(super) struct Scripts {
    /// The scripts that occur, with their letters.
    counts: Vec<(Script, usize)>,
}

impl Scripts {
    /// The scripts of a text.
    pub(super) fn of(text: &str) -> Scripts {
        let latin = text.bytes().filter(u8::is_ascii_alphabetic).count();
        let mut scripts = Scripts::default();
        if latin > 0 {
            scripts.add(Script::Latin, latin);
        }
        if !text.is_ascii() {
            let others = text.chars().filter(|letter| !letter.is_ascii());
            for letter in others.step_by(STEP) {
                scripts.add_letter(letter);
            }
        }
        scripts
    }

    fn add_letter(&mut self, letter: char) {
        match letter.script() {
            Script::Common | Script::Inherited | Script::Unknown => {}
            script => self.add(script, STEP),
        }
    }

    fn add(&mut self, script: Script, count: usize) {
        match self.counts.iter_mut().find(|other| other.0 == script) {
            Some(other) => other.1 += count,
            None => self.counts.push((script, count)),
        }
    }

    /// The letters of all scripts.
    pub(super) fn letters(&self) -> usize {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    /// The letters of a script, by its ISO 15924 code. `Jpan` has three, `Hans` and `Hant` are `Hani`, `Hang` and `Kore` one.
    pub(super) fn count(&self, code: &str) -> usize {
        let counted = |script: &Script| match code {
            "Jpan" => matches!(script, Script::Han | Script::Hiragana | Script::Katakana),
            "Hans" | "Hant" => *script == Script::Han,
            "Kore" => *script == Script::Hangul,
            _ => script.short_name() == code,
        };
        self.counts
            .iter()
            .filter(|(script, _)| counted(script))
            .map(|(_, count)| count)
            .sum()
    }

    /// The code of the script with most letters, `Jpan` where kana are.
    pub(super) fn first(&self) -> &'static str {
        let first = self.counts.iter().max_by_key(|(_, count)| *count);
        let has_kana = self.count("Hira") + self.count("Kana") > 0;
        match first.map(|(script, _)| *script) {
            None => "Zyyy",
            Some(Script::Hiragana | Script::Katakana) => "Jpan",
            Some(Script::Han) if has_kana => "Jpan",
            Some(script) => script.short_name(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_with_most_letters_is_first() {
        for (text, script) in [
            ("", "Zyyy"),
            ("12 – 34", "Zyyy"),
            ("harbour", "Latn"),
            ("гавань a", "Cyrl"),
            ("港に着いた", "Jpan"),
            ("港口很安静", "Hani"),
            ("항구에 도착했다", "Hang"),
        ] {
            assert_eq!(Scripts::of(text).first(), script, "{text}");
        }
        assert_eq!(Scripts::of("аbв г").count("Latn"), 1);
    }
}
