//! The quotation marks that browsers draw around `<q>`: those of its language, and others for a quotation in a quotation.

use gleaner_html::{Attr, NONE, Steps, Tree};

use super::letters::is_white;
use super::{OpenElement, Walk};

/// The marks of languages that have others than English: around a quotation, and around one within it. The table is that of
/// the HTML standard, whose source is the Common Locale Data Repository.
const MARKS: [(&str, &str); 19] = [
    ("„“‚‘", "bs-cyrl cs de dsb et hr hsb is lb luy mk sk sl"),
    (
        "«»“”",
        "ast bm br ca dyo el es ewo it kab kk mg mua nnh pt-pt sg sq",
    ),
    ("«»„“", "bas be ky ru sah uk"),
    ("«»‹›", "am az-cyrl de-ch fa fr-ch gsw it-ch jgo kkj mzn"),
    ("«»«»", "fr hy"),
    ("«»‘’", "dua ksf nb nn no rw"),
    ("«»„”", "shi zgh"),
    ("„”«»", "nmg pl ro"),
    ("„”»«", "hu"),
    ("„”‚’", "agq ff"),
    ("„”‘’", "bs"),
    ("„“„“", "bg lt"),
    ("„“«»", "ka"),
    ("„“‘’", "sr"),
    ("””’’", "fi he lag rn sn sv"),
    ("”“’‘", "ar ur"),
    ("‘’“”", "nl ti"),
    ("“”“”", "eu"),
    ("「」『』", "ja zh-hant zh-hk zh-mo zh-tw"),
];
const ENGLISH: &str = "“”‘’";

/// Maximum nodes of a quotation searched for its first text.
const NEAR: usize = 8;

impl Walk<'_, '_> {
    /// Writes the mark before a quotation. Where the page has written marks itself, none is drawn.
    pub(super) fn open_quote(&mut self, node: u32) {
        let depth = self.quotes.len();
        let is_marked = starts_with_mark(self.source.tree, node, &mut self.steps)
            || depth == 0
                && self
                    .line
                    .is_behind(self.page, |letter| matches!(letter, '"' | '«' | '“' | '„' | '「'));
        let [begin, end] = match is_marked {
            true => ["", ""],
            false => marks(self.language(), depth),
        };
        self.quotes.push(end);
        self.quotation_mark(begin);
    }

    /// Writes the mark behind a quotation.
    pub(super) fn close_quote(&mut self) {
        let mark = self.quotes.pop().unwrap_or_default();
        self.quotation_mark(mark);
    }

    fn quotation_mark(&mut self, mark: &str) {
        let open = self.top();
        if open.in_body && !open.is_value {
            self.line.text(self.page, mark, &open);
        }
    }

    /// The language of the innermost open element, as the page declares it.
    fn language(&mut self) -> &str {
        self.steps.look(self.open.len());
        let of = |open: &OpenElement| {
            let declared = |name| self.page.attribute(open.element, name);
            declared(Attr::Lang).or_else(|| declared(Attr::XmlLang))
        };
        let declared = self.open.iter().rev().find_map(of);
        declared.unwrap_or_default()
    }
}

/// The marks of a language around a quotation that stands in `depth` others.
fn marks(language: &str, depth: usize) -> [&'static str; 2] {
    let language = language.trim().to_ascii_lowercase().replace('_', "-");
    // A language with its script or country, then without.
    let names = std::iter::successors(Some(&*language), |name| Some(name.rsplit_once('-')?.0));
    let find = |name: &str| {
        let mut known = MARKS.iter();
        known.find(|(_, languages)| languages.split(' ').any(|language| language == name))
    };
    let marks = names
        .take(NEAR)
        .find_map(find)
        .map_or(ENGLISH, |(marks, _)| marks);
    let mark = |at: usize| {
        let (start, letter) = marks.char_indices().nth(at).unwrap_or_default();
        &marks[start..start + letter.len_utf8()]
    };
    let first = 2 * depth.min(1);
    [mark(first), mark(first + 1)]
}

/// Whether the text of a quotation begins with a mark of its own.
fn starts_with_mark(tree: Tree<'_>, node: u32, steps: &mut Steps) -> bool {
    let mut inner = tree.following(node, node);
    for _ in 0..NEAR {
        if inner == NONE {
            break;
        }
        steps.step();
        let text = tree.text(inner).trim_start_matches(is_white);
        if let Some(first) = text.chars().next() {
            return is_double_mark(first);
        }
        inner = tree.following(node, inner);
    }
    false
}

fn is_double_mark(letter: char) -> bool {
    matches!(letter, '"' | '«' | '»' | '“' | '”' | '„' | '「')
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines as text;

    #[test]
    fn quotations_have_the_marks_of_their_language() {
        for (language, wanted) in [
            ("", "a “b ‘c ‘d’’” e"),
            ("en-GB", "a “b ‘c ‘d’’” e"),
            ("de", "a „b ‚c ‚d‘‘“ e"),
            ("de_CH", "a «b ‹c ‹d››» e"),
            ("fr-FR", "a «b «c «d»»» e"),
            ("ja", "a 「b 『c 『d』』」 e"),
            ("zh-Hans-CN", "a “b ‘c ‘d’’” e"),
            ("zh-Hant-TW", "a 「b 『c 『d』』」 e"),
            ("sv", "a ”b ’c ’d’’” e"),
        ] {
            let html = format!("<html lang={language:?}><p>a <q>b <q>c <q>d</q></q></q> e");
            assert_eq!(text(&html), wanted, "{language}");
        }
        assert_eq!(text("<html lang=de><p>a <q lang=fr>b</q> <q>c</q>"), "a «b» „c“");
    }

    #[test]
    fn marks_that_the_page_has_are_not_doubled() {
        assert_eq!(
            text("<p>a <q>“b”</q> <q><b> \"c\"</b></q> “<q>d</q>”"),
            "a “b” \"c\" “d”"
        );
        assert_eq!(text("<p><q><q>a</q> b</q>"), "“‘a’ b”");
    }

    #[test]
    fn a_mark_alone_is_no_text() {
        assert_eq!(text("<p>a<p><q></q><p>b<p><q> c </q>"), "a|b|“ c ”");
        assert_eq!(text("<p><q>a<p>b</q>c"), "“a”|bc");
    }
}
