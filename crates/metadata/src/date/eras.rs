//! Eras that years are counted from in East Asia.

use super::digits::digit;

/// Names of eras, and their first years.
const ERAS: [(&str, u16); 12] = [
    ("令和", 2019),
    ("㋿", 2019),
    ("平成", 1989),
    ("㍻", 1989),
    ("昭和", 1926),
    ("㍼", 1926),
    ("大正", 1912),
    ("㍽", 1912),
    ("明治", 1868),
    ("㍾", 1868),
    // The Republic of China.
    ("民國", 1912),
    ("民国", 1912),
];

/// The era at the beginning of a text, if its year follows: the era's first year, and the text from the number on.
pub(super) fn era(text: &str) -> Option<(u16, &str)> {
    let (first, rest) = ERAS
        .iter()
        .find_map(|&(name, first)| Some((first, text.strip_prefix(name)?)))?;
    let rest = rest.trim_start();
    let number = rest.chars().next()?;
    (number == FIRST || digit(number).is_some()).then_some((first, rest))
}

/// Stands for the number of an era's first year.
pub(super) const FIRST: char = '元';

/// The first year of the Japanese era that a letter before a number stands for, as in H22.4.5.
pub(super) fn era_of_letter(word: &str) -> Option<u16> {
    match word {
        "R" | "Ｒ" => Some(2019),
        "H" | "Ｈ" => Some(1989),
        "S" | "Ｓ" => Some(1926),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_era_has_a_year_behind_it() {
        assert_eq!(era("平成22年4月5日"), Some((1989, "22年4月5日")));
        assert_eq!(era("令和 元年"), Some((2019, "元年")));
        assert_eq!(era("㍼６３年"), Some((1926, "６３年")));
        for text in ["昭和の日", "平成", "22年平成22年", ""] {
            assert_eq!(era(text), None, "{text}");
        }
    }
}
