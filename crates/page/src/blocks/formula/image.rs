//! Formulas that are shown as images: their LaTeX is in an attribute or in the address.
//!
//! Most images are none. So the attributes are only looked at closely where one of them has a sign or a name of formulas.

use std::borrow::Cow;

use gleaner_html::{Attr, Tree};
use memchr::{memchr, memchr2};
use percent_encoding::percent_decode_str;

use super::super::style::has_word;
use super::words::{has_command, may_be_formula};
use super::{FoundFormula, without_style};

/// Maximum bytes per formula.
const LONGEST: usize = 8_000;

/// The formula that an image shows, if it is one.
///
/// An alternative text is a formula if it is written as one, between `$` or with commands; or if it has no words and the class
/// or the address of the image says that it is one.
pub(in crate::blocks) fn of_image(tree: Tree<'_>, node: u32) -> Option<FoundFormula> {
    let mut image = Image::default();
    for (name, value) in tree.attributes(node) {
        match name {
            Attr::Alt => image.alt = value,
            Attr::Title => image.title = value,
            Attr::Class => image.class = value,
            Attr::Src | Attr::DataSrc if image.address.is_empty() || !names_formula(image.address) => {
                image.address = value;
            }
            Attr::Tex => image.source = value,
            _ => {}
        }
    }
    image.formula()
}

/// The attributes of an image.
#[derive(Default)]
struct Image<'t> {
    alt: &'t str,
    title: &'t str,
    class: &'t str,
    address: &'t str,
    source: &'t str,
}

impl Image<'_> {
    fn formula(&self) -> Option<FoundFormula> {
        let is_written_as_one = memchr2(b'\\', b'$', self.alt.as_bytes()).is_some()
            && (is_between_signs(self.alt) || has_command(self.alt));
        let is_named = || is_class_of_formulas(self.class) || names_formula(self.address);
        if !is_written_as_one && self.source.is_empty() && !is_named() {
            return None;
        }
        let texts = [self.source, self.alt, self.title].into_iter().map(Cow::Borrowed);
        let latex = texts
            .chain(
                std::iter::once_with(|| in_address(self.address))
                    .flatten()
                    .map(Cow::Owned),
            )
            .find(|text| text.len() <= LONGEST && may_be_formula(without_delimiters(text).0))?;
        let (formula, is_display) = without_delimiters(&latex);
        let mut names = self.class.split(|letter: char| !letter.is_ascii_alphabetic());
        Some(FoundFormula {
            latex: formula.to_owned(),
            is_display: is_display || names.any(|name| DISPLAY.contains(&name)),
        })
    }
}

/// Words of classes of images in lines of their own.
const DISPLAY: [&str; 7] = [
    "display",
    "displayed",
    "displayformula",
    "displaymath",
    "formulaDsp",
    "latexcenter",
    "numberedequation",
];

/// Whether a text stands between the signs that TeX has around formulas, or is one of its environments.
fn is_between_signs(text: &str) -> bool {
    let text = without_comments(text);
    let is_dollars = || {
        let inner = text.strip_prefix('$').and_then(|inner| inner.strip_suffix('$'));
        let inner = inner.map(|inner| {
            inner
                .strip_prefix('$')
                .and_then(|inner| inner.strip_suffix('$'))
                .unwrap_or(inner)
        });
        inner.is_some_and(|inner| !inner.trim().is_empty() && memchr(b'$', inner.as_bytes()).is_none())
    };
    let is = |begin, end| text.starts_with(begin) && text.ends_with(end);
    is_dollars() || is("\\(", "\\)") || is("\\[", "\\]") || is("\\begin{", "}")
}

/// A formula without what stands around it, and whether that puts it in a line of its own.
fn without_delimiters(text: &str) -> (&str, bool) {
    const DELIMITERS: [(&str, &str, bool); 8] = [
        ("$$", "$$", true),
        ("$", "$", false),
        ("\\(", "\\)", false),
        ("\\[", "\\]", true),
        ("\\begin{displaymath}", "\\end{displaymath}", true),
        ("\\begin{math}", "\\end{math}", false),
        ("[latex]", "[/latex]", false),
        ("[tex]", "[/tex]", false),
    ];
    let text = without_comments(text);
    let text = text.strip_prefix("LaTeX:").unwrap_or(text).trim();
    let inner = DELIMITERS.iter().find_map(|&(begin, end, is_display)| {
        let inner = text.strip_prefix(begin)?.strip_suffix(end)?;
        Some((without_style(inner), is_display))
    });
    let is_display = || {
        text.starts_with("\\begin{equation")
            || text.starts_with("\\begin{align")
            || text.starts_with("\\begin{eqnarray")
    };
    inner.unwrap_or_else(|| (without_style(text), is_display()))
}

/// A text without the lines that TeX passes over, which LaTeX2HTML leaves before a formula.
fn without_comments(text: &str) -> &str {
    let mut rest = text.trim();
    while rest.starts_with('%') {
        match rest.split_once('\n') {
            Some((_, behind)) => rest = behind.trim_start(),
            None => break,
        }
    }
    rest
}

/// Whether a class says that its element is a formula: `latex`, `math inline`, `arithmatex`, `equation_image`.
pub fn is_class_of_formulas(class: &str) -> bool {
    const WORDS: [&str; 21] = [
        "Math",
        "arithmatex",
        "displayformula",
        "displaymath",
        "equation",
        "formula",
        "formulaDsp",
        "formulaInl",
        "inlineformula",
        "inlinemath",
        "katex",
        "latex",
        "latexcenter",
        "math",
        "mathimg",
        "mathjax",
        "mathtex",
        "mimetex",
        "numberedequation",
        "quicklatex",
        "teximage",
    ];
    let is_word = |word: &str| WORDS.contains(&word) || matches!(word, "tex" | "texrender");
    let mut words = class.split(|letter: char| !letter.is_ascii_alphabetic());
    words.any(|word| matches!(word.len(), 3..=16) && is_word(word))
}

/// Whether an address is one of a program that draws formulas, or of a folder with what it drew.
fn names_formula(address: &str) -> bool {
    const WORDS: [&str; 9] = [
        "codecogs", "equation", "imgmath", "latex", "math", "mathtex", "mimetex", "tex", "upmath",
    ];
    let path = &address[..memchr2(b'?', b'#', address.as_bytes()).unwrap_or(address.len())];
    if path.len() > LONGEST || path.starts_with("data:") {
        return false;
    }
    let is_chart = || path.ends_with("/chart") && address.contains("cht=tx");
    let mut words = path.as_bytes().split(|byte| !byte.is_ascii_alphabetic());
    let is_word = |word: &[u8]| {
        matches!(word.len(), 3..=9)
            && matches!(
                word[0].to_ascii_lowercase(),
                b'c' | b'e' | b'i' | b'l' | b'm' | b't' | b'u'
            )
            && WORDS.iter().any(|own| word.eq_ignore_ascii_case(own.as_bytes()))
    };
    // All words have one of these in them; few addresses do.
    let may_have = ["tex", "math", "equation", "codecogs"]
        .iter()
        .any(|part| has_word(path, part));
    may_have && words.any(is_word) || is_chart()
}

/// The formula in the address of an image that a program draws: its query, a value of that, or the last part of its path.
fn in_address(address: &str) -> Option<String> {
    const KEYS: [&str; 8] = [
        "chl",
        "eq",
        "equation",
        "formula",
        "latex",
        "math",
        "tex",
        "texstring",
    ];
    let decoded = |text: &str| Some(percent_decode_str(text).decode_utf8().ok()?.into_owned());
    let address = address.split('#').next().unwrap_or_default();
    let Some((path, query)) = address.split_once('?') else {
        let last = address
            .rsplit('/')
            .next()
            .filter(|last| last.contains(['%', '^', '\\']))?;
        // Some encode it twice.
        return decoded(last).and_then(|once| decoded(&once));
    };
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let value = pairs.find(|(key, _)| KEYS.contains(key)).map(|(_, value)| value);
    let is_whole = [".latex", ".cgi", ".image", ".exe"]
        .iter()
        .any(|end| path.ends_with(end));
    match value {
        Some(value) => decoded(&value.replace('+', " ")),
        None if is_whole => {
            let spaced = query.replace("&space;", " ").replace("&plus;", "+");
            decoded(&spaced).map(|latex| without_settings(&latex).to_owned())
        }
        None => None,
    }
}

/// A formula without the commands before it that set its size and its colours.
fn without_settings(latex: &str) -> &str {
    const SETTINGS: [&str; 12] = [
        "\\dpi{",
        "\\bg_",
        "\\fn_",
        "\\inline",
        "\\small",
        "\\large",
        "\\huge",
        "\\tiny",
        "\\Large",
        "\\LARGE",
        "\\normalsize",
        "\\opaque",
    ];
    let mut rest = latex.trim();
    while let Some(behind) = SETTINGS.iter().find_map(|setting| rest.strip_prefix(setting)) {
        // Up to the end of the argument.
        let end = behind.find(['}', ' ', '\\']).unwrap_or(behind.len());
        let end = if behind[end..].starts_with('}') {
            end + 1
        } else {
            end
        };
        rest = behind[end..].trim_start();
    }
    rest
}

#[cfg(test)]
mod tests {
    use gleaner_html::{HtmlParser, Tag, TreeLimits};

    use super::*;

    /// The formula of an image with these attributes; `$$` around one in a line of its own.
    fn formula(attributes: &str) -> Option<String> {
        let mut parser = HtmlParser::new(TreeLimits::default());
        let source = format!("<img {attributes}>");
        let html = parser.parse_str(&source);
        let tree = html.tree();
        let image = tree.nodes().find(|&node| tree.tag(node) == Tag::Img)?;
        of_image(tree, image).map(|found| match found.is_display {
            true => format!("$${}$$", found.latex),
            false => found.latex,
        })
    }

    #[test]
    fn images_of_formulas_are_their_latex() {
        for (attributes, latex) in [
            ("class=latex alt='u = &#92;rho v' src=/a.png", "u = \\rho v"),
            ("class='tex' alt='n'", "n"),
            ("src=i.png alt='$k$'", "k"),
            ("src=i.png alt='% latex2html id marker 7\n$ k_1$'", "k_1"),
            (
                "src=i.png alt='\\begin{displaymath}\nk\n\\end{displaymath}'",
                "$$k$$",
            ),
            ("src=form_3.svg class=formulaDsp alt='\\[ k^2 \\]'", "$$k^2$$"),
            ("src=form_3.svg class=formulaInl alt='$ k^2 $'", "k^2"),
            ("alt='{\\displaystyle {\\frac {k}{2}}}'", "{\\frac {k}{2}}"),
            ("class='math display' alt='k + 1'", "$$k + 1$$"),
            ("src=_images/math/0a.png alt='k'", "k"),
            (
                "data-equation-content='\\frac{k}{2}' alt='LaTeX: k over two'",
                "\\frac{k}{2}",
            ),
            ("class=equation_image alt='LaTeX: \\frac{k}{2}'", "\\frac{k}{2}"),
            (
                "class=equation_image src='/equation_images/%255Cfrac%257Bk%257D%257B2%257D' alt=''",
                "\\frac{k}{2}",
            ),
            (
                "src='//l.example/latex.php?latex=k+%2B+%5Cpi&amp;bg=fff' alt=''",
                "k + \\pi",
            ),
            (
                "src='https://latex.codecogs.com/svg.latex?\\dpi{120}&space;k+1' alt='equation'",
                "k+1",
            ),
            (
                "src='https://latex.codecogs.com/gif.latex?\\inline&space;k^2' title='k^2'",
                "k^2",
            ),
            (
                "src='data:image/gif;base64,R0' data-src='/equation?tex=k%5E2'",
                "k^2",
            ),
            ("src='/cgi-bin/mathtex.cgi?\\pi%20k'", "\\pi k"),
            ("src='https://c.example/chart?cht=tx&chl=k%2B1'", "k+1"),
            ("src='https://i.upmath.me/svg/k%5E2' alt='k^2'", "k^2"),
        ] {
            assert_eq!(formula(attributes).as_deref(), Some(latex), "{attributes}");
        }
    }

    #[test]
    fn other_images_are_no_text() {
        for attributes in [
            "",
            "alt='A = view of the mill' class=photo",
            "alt='Teacher of the year' class='math-teacher' src=/math/teacher.jpg",
            "alt='Lee' src=/math/lee.jpg",
            "alt='$5 or $7' src=a.png",
            "alt='$$$' src=a.png",
            "alt='C:\\sum\\text.png' src=a.png",
            "alt='x' class='texture text-center' src=a.png",
            "alt='equation' src='data:image/png;base64,tex?latex='",
            "src='https://latex.example/logo.png' alt='The project'",
            "src='/photo.php?tex=1' alt='A boat'",
            "alt='2' src=/photos/2.jpg",
        ] {
            assert_eq!(formula(attributes), None, "{attributes}");
        }
    }
}
