//! Formulas as text: in LaTeX as the page has it, else made of MathML.

mod image;
mod mathml;
mod names;
mod words;

use gleaner_html::{Attr, NONE, NodeKind, Steps, Tag, Tree};

pub use image::is_class_of_formulas;
pub(super) use image::of_image;
pub(super) use words::is_only_definitions;
use words::may_be_formula;
use words::only_defines;

/// A formula that an element shows.
pub(super) struct FoundFormula {
    pub(super) latex: String,
    /// Whether it stands in a line of its own.
    pub(super) is_display: bool,
}

/// Whether an element is a script with a formula in LaTeX, as MathJax reads it.
pub(super) fn is_tex(tree: Tree<'_>, node: u32) -> bool {
    let is_of_tex = |of_type: &str| {
        let start = of_type.trim().get(..8);
        start.is_some_and(|start| start.eq_ignore_ascii_case("math/tex"))
    };
    tree.tag(node) == Tag::Script && tree.attribute(node, Attr::Type).is_some_and(is_of_tex)
}

/// The formula in such a script; empty where it only defines commands.
pub(super) fn of_script(tree: Tree<'_>, script: u32) -> FoundFormula {
    let mut own = String::new();
    tree.push_own_text(script, &mut own);
    let inner = own
        .trim()
        .trim_start_matches("% <![CDATA[")
        .trim_end_matches("%]]>");
    let of_type = tree.attribute(script, Attr::Type).unwrap_or_default();
    FoundFormula {
        latex: match only_defines(inner) {
            true => String::new(),
            false => without_style(inner).to_owned(),
        },
        is_display: of_type.contains("mode=display"),
    }
}

/// The formula that a `<math>` shows.
pub(super) fn of_math(tree: Tree<'_>, math: u32, steps: &mut Steps) -> FoundFormula {
    FoundFormula {
        latex: latex_of_math(tree, math, steps),
        is_display: tree.attribute(math, Attr::Display) == Some("block"),
    }
}

/// The formula that a `<math>` shows: its annotation in LaTeX, its alternative text, or what its elements come to.
fn latex_of_math(tree: Tree<'_>, math: u32, steps: &mut Steps) -> String {
    if let Some(annotation) = annotation(tree, math, steps) {
        return without_style(&annotation).to_owned();
    }
    // Where it is no LaTeX, it says the formula in words.
    let alternative = tree.attribute(math, Attr::Alttext).unwrap_or_default();
    if may_be_formula(alternative) {
        return without_style(alternative).to_owned();
    }
    match mathml::to_latex(tree, math, steps) {
        latex if latex.is_empty() => alternative.trim().to_owned(),
        latex => latex,
    }
}

/// A formula without the group around it that sets its size, as Wikipedia has it: `{\displaystyle x}`.
fn without_style(formula: &str) -> &str {
    let formula = formula.trim();
    let inner = || {
        let inner = formula.strip_prefix('{')?.strip_suffix('}')?;
        let inner = inner
            .strip_prefix("\\displaystyle")
            .or_else(|| inner.strip_prefix("\\textstyle"))?;
        is_balanced(inner).then(|| inner.trim())
    };
    inner().unwrap_or(formula)
}

/// Whether each brace that closes has one before it that opens.
fn is_balanced(text: &str) -> bool {
    let mut open = 0_i32;
    text.bytes().all(|byte| {
        open += i32::from(byte == b'{') - i32::from(byte == b'}');
        open >= 0
    })
}

/// Whether an encoding is one of TeX: `application/x-tex`, `LaTeX`.
fn names_tex(encoding: &str) -> bool {
    let mut words = encoding.split(|letter: char| !letter.is_ascii_alphabetic());
    words.any(|word| ["tex", "latex"].iter().any(|own| word.eq_ignore_ascii_case(own)))
}

/// The first annotation in LaTeX that is not empty.
fn annotation(tree: Tree<'_>, math: u32, steps: &mut Steps) -> Option<String> {
    let mut node = tree.following(math, math);
    while node != NONE && !steps.is_over() {
        steps.step();
        let encoding = tree.attribute(node, Attr::Encoding).unwrap_or_default();
        if tree.kind(node) == NodeKind::Annotation && names_tex(encoding) {
            let mut own = String::new();
            tree.push_own_text(node, &mut own);
            if !own.trim().is_empty() {
                return Some(own);
            }
        }
        node = tree.following(math, node);
    }
    None
}

#[cfg(test)]
mod tests {
    use gleaner_html::{HtmlParser, TreeLimits};

    use super::*;

    fn formula(math: &str) -> String {
        let mut parser = HtmlParser::new(TreeLimits::default());
        let html = parser.parse_str(math);
        let tree = html.tree();
        let math = tree.nodes().find(|&node| tree.tag(node) == Tag::Math).unwrap();
        of_math(tree, math, &mut Steps::new(1000)).latex
    }

    #[test]
    fn latex_of_the_page_comes_first() {
        let annotated = "<math alttext='y'><semantics><mi>z</mi><annotation encoding='StarMath 5.0'>s</annotation>\
                         <annotation encoding='application/x-tex'> {\\displaystyle x_{1}} </annotation></semantics></math>";
        assert_eq!(formula(annotated), "x_{1}");
        assert_eq!(
            formula("<math alttext='\\frac{a}{b}'><mi>z</mi></math>"),
            "\\frac{a}{b}"
        );
        assert_eq!(formula("<math alttext=' '><mi>z</mi></math>"), "z");
        assert_eq!(formula("<math alttext='zed squared'><mi>z</mi></math>"), "z");
        assert_eq!(formula("<math alttext='zed squared'></math>"), "zed squared");
        let plain = "<math><mi>z</mi><annotation encoding='text/plain'>zed</annotation></math>";
        assert_eq!(formula(plain), "z");
    }

    #[test]
    fn the_group_of_a_size_is_left_out() {
        assert_eq!(without_style(" {\\displaystyle a_{1}} "), "a_{1}");
        assert_eq!(without_style("{\\displaystyle a}+{b}"), "{\\displaystyle a}+{b}");
        assert_eq!(without_style("{a}"), "{a}");
    }
}
