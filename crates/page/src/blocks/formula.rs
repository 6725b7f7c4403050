//! Formulas as text: in LaTeX as the page has it, else made of MathML.

use gleaner_html::{Attr, NONE, NodeKind, Steps, Tag, Tree};

use super::line::is_white;

/// How deep a formula may nest before its parts are written one after the other.
const DEPTH: usize = 64;

/// Whether an element is a script with a formula in LaTeX, as MathJax reads it.
pub(super) fn is_tex(tree: Tree<'_>, node: u32) -> bool {
    let of_type = tree.attribute(node, Attr::Type).unwrap_or_default().trim();
    let is_of_tex = || {
        of_type
            .get(..8)
            .is_some_and(|start| start.eq_ignore_ascii_case("math/tex"))
    };
    tree.tag(node) == Tag::Script && is_of_tex()
}

/// The formula in such a script.
pub(super) fn of_script(tree: Tree<'_>, script: u32) -> String {
    let mut own = String::new();
    tree.push_own_text(script, &mut own);
    let inner = own
        .trim()
        .trim_start_matches("% <![CDATA[")
        .trim_end_matches("%]]>");
    without_style(inner).to_owned()
}

/// The formula that a `<math>` shows: its annotation in LaTeX, its alternative text, or what its elements come to.
pub(super) fn of_math(tree: Tree<'_>, math: u32, steps: &mut Steps) -> String {
    if let Some(annotation) = annotation(tree, math, steps) {
        return without_style(&annotation).to_owned();
    }
    if let Some(text) = tree
        .attribute(math, Attr::Alttext)
        .filter(|text| !text.trim().is_empty())
    {
        return without_style(text).to_owned();
    }
    let mut writer = Writer {
        tree,
        steps,
        out: String::new(),
    };
    writer.children(math, 0);
    writer.out
}

/// A formula without the group around it that sets its size, as Wikipedia has it: `{\displaystyle x}`.
pub(super) fn without_style(formula: &str) -> &str {
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

/// The first annotation in LaTeX that is not empty.
fn annotation(tree: Tree<'_>, math: u32, steps: &mut Steps) -> Option<String> {
    let mut node = tree.following(math, math);
    while node != NONE && !steps.is_over() {
        steps.step();
        let encoding = tree.attribute(node, Attr::Encoding).unwrap_or_default();
        if tree.kind(node) == NodeKind::Annotation && encoding.to_ascii_lowercase().contains("tex") {
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

/// Writes MathML as LaTeX. Letters and signs stay those of Unicode.
struct Writer<'t, 's> {
    tree: Tree<'t>,
    steps: &'s mut Steps,
    out: String,
}

impl Writer<'_, '_> {
    fn children(&mut self, node: u32, depth: usize) {
        let mut child = self.tree.first_child(node);
        while child != NONE && !self.steps.is_over() {
            self.node(child, depth);
            child = self.tree.next_sibling(child);
        }
    }

    fn node(&mut self, node: u32, depth: usize) {
        self.steps.step();
        let kind = self.tree.kind(node);
        if kind == NodeKind::Annotation || depth > DEPTH {
            return;
        }
        if kind.is_text() {
            return self.text(node);
        }
        match self.tree.tag(node) {
            Tag::Mfrac => self.parts(node, depth, "\\frac", &["{", "}{", "}"]),
            Tag::Msqrt => {
                self.out.push_str("\\sqrt{");
                self.children(node, depth + 1);
                self.out.push('}');
            }
            Tag::Mroot => self.root(node, depth),
            Tag::Msub | Tag::Munder => self.scripts(node, depth, &["_"]),
            Tag::Msup | Tag::Mover => self.scripts(node, depth, &["^"]),
            Tag::Msubsup | Tag::Munderover => self.scripts(node, depth, &["_", "^"]),
            Tag::Mtable => {
                self.out.push_str("\\begin{matrix}");
                self.children(node, depth + 1);
                self.out.push_str("\\end{matrix}");
            }
            Tag::Mtr => self.row(node, depth),
            _ => self.children(node, depth + 1),
        }
    }

    /// A text, without white space around it and without the signs that are not seen.
    fn text(&mut self, node: u32) {
        let text = self.tree.text(node);
        self.steps.look(text.len());
        let shown = text.trim_matches(is_white).chars();
        let shown = shown.filter(|letter| !matches!(letter, '\u{2061}'..='\u{2064}'));
        self.out.extend(shown);
    }

    /// The elements of a node, each between two of some marks.
    fn parts(&mut self, node: u32, depth: usize, name: &str, marks: &[&str]) {
        self.out.push_str(name);
        let mut part = self.first_element(node);
        for (at, mark) in marks.iter().enumerate() {
            self.out.push_str(mark);
            if part != NONE && at + 1 < marks.len() {
                self.node(part, depth + 1);
                part = self.next_element(part);
            }
        }
    }

    fn root(&mut self, node: u32, depth: usize) {
        let base = self.first_element(node);
        let index = if base == NONE {
            NONE
        } else {
            self.next_element(base)
        };
        self.out.push_str("\\sqrt[");
        self.part(index, depth);
        self.out.push_str("]{");
        self.part(base, depth);
        self.out.push('}');
    }

    fn part(&mut self, part: u32, depth: usize) {
        if part != NONE {
            self.node(part, depth + 1);
        }
    }

    /// A base and what stands below and above it. Of a base of several elements the group is kept.
    fn scripts(&mut self, node: u32, depth: usize, marks: &[&str]) {
        let mut part = self.first_element(node);
        if part == NONE {
            return;
        }
        let first = self.first_element(part);
        let is_group = first != NONE && self.next_element(first) != NONE;
        self.out.push_str(if is_group { "{" } else { "" });
        self.node(part, depth + 1);
        self.out.push_str(if is_group { "}" } else { "" });
        for mark in marks {
            part = self.next_element(part);
            if part == NONE {
                return;
            }
            self.out.push_str(mark);
            self.out.push('{');
            self.node(part, depth + 1);
            self.out.push('}');
        }
    }

    /// A row of a table, behind the sign that ends the row before it.
    fn row(&mut self, row: u32, depth: usize) {
        let is_first = self.tree.previous_sibling(row) == NONE || self.out.ends_with("\\begin{matrix}");
        self.out.push_str(if is_first { "" } else { " \\\\ " });
        let mut cell = self.first_element(row);
        while cell != NONE {
            self.node(cell, depth + 1);
            cell = self.next_element(cell);
            self.out.push_str(if cell == NONE { "" } else { " & " });
        }
    }

    fn first_element(&self, node: u32) -> u32 {
        self.element_from(self.tree.first_child(node))
    }

    fn next_element(&self, node: u32) -> u32 {
        self.element_from(self.tree.next_sibling(node))
    }

    fn element_from(&self, mut node: u32) -> u32 {
        while node != NONE && !self.tree.kind(node).is_element() {
            node = self.tree.next_sibling(node);
        }
        node
    }
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
        of_math(tree, math, &mut Steps::new(1000))
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
    }

    #[test]
    fn elements_of_mathml_become_commands() {
        for (math, latex) in [
            ("<mi>a</mi> <mo>=</mo>\n<mi>b</mi>", "a=b"),
            (
                "<mfrac><mn>1</mn> <mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow></mfrac>",
                "\\frac{1}{a+b}",
            ),
            (
                "<msqrt><mi>a</mi><mi>b</mi></msqrt><mroot><mi>c</mi><mn>3</mn></mroot>",
                "\\sqrt{ab}\\sqrt[3]{c}",
            ),
            (
                "<msup><mi>e</mi><mrow><mo>−</mo><mi>x</mi></mrow></msup>",
                "e^{−x}",
            ),
            (
                "<msup><mrow><mi>a</mi><mi>b</mi></mrow><mn>2</mn></msup>",
                "{ab}^{2}",
            ),
            (
                "<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover>",
                "∑_{i}^{n}",
            ),
            ("<mi>f</mi><mo>&#x2061;</mo><mi>x</mi>", "fx"),
            (
                "<mtable><mtr><mtd>a</mtd><mtd>b</mtd></mtr><mtr><mtd>c</mtd><mtd>d</mtd></mtr></mtable>",
                "\\begin{matrix}a & b \\\\ c & d\\end{matrix}",
            ),
            (
                "<mfrac></mfrac><msup></msup><mroot></mroot>",
                "\\frac{}{}\\sqrt[]{}",
            ),
        ] {
            assert_eq!(formula(&format!("<math>{math}</math>")), latex);
        }
    }

    #[test]
    fn deep_formulas_are_cut() {
        let deep = "<msqrt>".repeat(300) + "x";
        assert!(formula(&format!("<math>{deep}</math>")).len() < 1000);
    }

    #[test]
    fn the_group_of_a_size_is_left_out() {
        assert_eq!(without_style(" {\\displaystyle a_{1}} "), "a_{1}");
        assert_eq!(without_style("{\\displaystyle a}+{b}"), "{\\displaystyle a}+{b}");
        assert_eq!(without_style("{a}"), "{a}");
    }
}
