//! MathML as LaTeX, with the meaning that the elements give to a formula.
//!
//! Letters and signs are commands where LaTeX has one, else those of Unicode. Fences are signs of their own size: those of a
//! page may have no partner, which `\left` would want.

use std::ops::Range;

use gleaner_html::{Attr, NONE, NodeKind, Steps, Tag, Tree};

use super::names::{has_limits, is_function, of_accent, of_sign, of_sign_below, of_variant, plain_letter};
use crate::blocks::letters::is_white;

/// Maximum depth of a formula; deeper elements are left out.
const DEPTH: usize = 64;

/// The formula that the elements in a `<math>` come to.
pub(super) fn to_latex(tree: Tree<'_>, math: u32, steps: &mut Steps) -> String {
    let mut writer = Writer {
        tree,
        steps,
        out: String::new(),
        is_behind_command: false,
        variant: "",
        pair: None,
    };
    writer.children(math, 0);
    writer.out.truncate(writer.out.trim_end_matches(' ').len());
    writer.out
}

struct Writer<'t, 's> {
    tree: Tree<'t>,
    steps: &'s mut Steps,
    out: String,
    /// The name of a command stands last, which a letter would make longer.
    is_behind_command: bool,
    /// The value of `mathvariant` of the elements around.
    variant: &'t str,
    /// Where the last fraction without a line stands, and what it is in parentheses.
    pair: Option<(Range<usize>, String)>,
}

impl<'t> Writer<'t, '_> {
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
            return self.signs(self.tree.text(node));
        }
        let around = self.variant;
        self.variant = self.tree.attribute(node, Attr::Mathvariant).unwrap_or(around);
        self.element(node, depth);
        self.variant = around;
    }

    fn element(&mut self, node: u32, depth: usize) {
        match self.tree.tag(node) {
            Tag::Mi => self.identifier(node),
            Tag::Mn => self.number(node),
            Tag::Mo => self.operator(node),
            Tag::Mtext => self.words(node, ""),
            Tag::Ms => self.words(node, "\""),
            Tag::Mspace => self.push("\\;"),
            Tag::Mphantom => self.around("\\phantom{", node, "}", depth),
            Tag::Menclose => self.enclosed(node, depth),
            Tag::Mfenced => self.fenced(node, depth),
            Tag::Mfrac => self.fraction(node, depth),
            Tag::Msqrt => self.around("\\sqrt{", node, "}", depth),
            Tag::Mroot => self.root(node, depth),
            Tag::Msub => self.scripts(node, depth, &["_"]),
            Tag::Msup => self.scripts(node, depth, &["^"]),
            Tag::Msubsup => self.scripts(node, depth, &["_", "^"]),
            Tag::Munder => self.under_and_over(node, depth, &["_"]),
            Tag::Mover => self.under_and_over(node, depth, &["^"]),
            Tag::Munderover => self.under_and_over(node, depth, &["_", "^"]),
            Tag::Mmultiscripts => self.multiscripts(node, depth),
            Tag::Mtable => self.around("\\begin{matrix}", node, "\\end{matrix}", depth),
            Tag::Mtr | Tag::Mlabeledtr => self.row(node, depth),
            _ => self.children(node, depth + 1),
        }
    }

    /// Appends a part that ends with no command.
    fn push(&mut self, part: &str) {
        if part.is_empty() {
            return;
        }
        if self.is_behind_command && part.starts_with(|letter: char| letter.is_ascii_alphanumeric()) {
            self.out.push(' ');
        }
        self.is_behind_command = false;
        self.out.push_str(part);
    }

    fn command(&mut self, name: &str) {
        self.push("\\");
        self.out.push_str(name);
        self.is_behind_command = name.ends_with(|letter: char| letter.is_ascii_alphabetic());
    }

    fn around(&mut self, begin: &str, node: u32, end: &str, depth: usize) {
        self.push(begin);
        self.children(node, depth + 1);
        self.push(end);
    }

    /// What an element comes to by itself.
    fn apart(&mut self, node: u32, depth: usize) -> String {
        let out = std::mem::take(&mut self.out);
        let is_behind_command = std::mem::take(&mut self.is_behind_command);
        let pair = self.pair.take();
        if node != NONE {
            self.node(node, depth + 1);
        }
        self.pair = pair;
        self.is_behind_command = is_behind_command;
        std::mem::replace(&mut self.out, out)
    }

    /// The text right in an element, without white space around it.
    fn own_text(&mut self, node: u32) -> String {
        let mut own = String::new();
        self.tree.push_own_text(node, &mut own);
        self.steps.look(own.len());
        own.trim_matches(is_white).to_owned()
    }

    /// Appends letters and signs without a form of their own.
    fn signs(&mut self, text: &str) {
        self.steps.look(text.len());
        for sign in text.trim_matches(is_white).chars() {
            self.sign(sign);
        }
    }

    fn sign(&mut self, sign: char) {
        match sign {
            // A function and what it is of; a product, a list and a sum without a sign.
            '\u{2061}' => self.out.push_str(if self.is_behind_command { " " } else { "" }),
            '\u{2062}'..='\u{2064}' | '\u{200b}' => {}
            '\u{2212}' => self.push("-"),
            '^' => self.push("\\hat{}"),
            ')' => self.close(),
            sign if is_white(sign) => self.push("\\ "),
            sign => match (of_sign(sign), plain_letter(sign)) {
                (Some(name), _) => self.command(name),
                (None, Some((letter, variant))) => self.in_variant(&letter.to_string(), variant),
                (None, None) => self.push(sign.encode_utf8(&mut [0; 4])),
            },
        }
        self.is_behind_command &= sign != '\u{2061}';
    }

    /// Appends letters in the form that a value of `mathvariant` gives them.
    fn in_variant(&mut self, text: &str, variant: &str) {
        let command = of_variant(variant).map_or("", |[letters, _]| letters);
        let is_plain = command.is_empty() || text.chars().all(|letter| !letter.is_alphanumeric());
        // Greek letters and signs are upright or not by themselves; only few commands change them.
        let is_ascii = text.is_ascii();
        match command {
            _ if is_plain => self.signs(text),
            "mathrm" | "mathit" | "mathcal" | "mathfrak" | "mathsf" | "mathtt" if !is_ascii => {
                self.signs(text);
            }
            "mathbf" if !is_ascii => self.in_command("boldsymbol", text),
            command => self.in_command(command, text),
        }
    }

    fn in_command(&mut self, command: &str, text: &str) {
        self.command(command);
        self.push("{");
        self.signs(text);
        self.push("}");
    }

    /// A letter, or several that are a name.
    fn identifier(&mut self, node: u32) {
        let text = self.own_text(node);
        let is_one = text.chars().nth(1).is_none();
        match self.variant {
            "" | "italic" if is_one => self.signs(&text),
            // Names stand upright by themselves.
            "" | "normal" if !is_one => {
                let is_applied = self.is_applied(node);
                self.name(&text, is_applied);
            }
            variant => self.in_variant(&text, variant),
        }
    }

    fn name(&mut self, name: &str, is_applied: bool) {
        let is_of_letters = name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        match name {
            _ if is_function(name) => self.command(name),
            _ if is_of_letters && is_applied => self.in_command("operatorname", name),
            _ if is_of_letters => self.in_command("mathrm", name),
            _ if name
                .chars()
                .all(|letter| letter.is_ascii() || of_sign(letter).is_some()) =>
            {
                self.signs(name)
            }
            _ => self.text("text", name),
        }
    }

    /// Whether the sign for what a function is of stands behind an element.
    fn is_applied(&self, node: u32) -> bool {
        let next = self.element_from(self.tree.next_sibling(node));
        self.sign_of(next) == Some('\u{2061}')
    }

    fn number(&mut self, node: u32) {
        let text = self.own_text(node);
        match self.variant {
            "" | "normal" => self.signs(&text),
            variant => self.in_variant(&text, variant),
        }
    }

    fn operator(&mut self, node: u32) {
        let text = self.own_text(node);
        let is_word = text.len() > 1
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphabetic() || byte == b' ');
        match text.as_str() {
            "lim sup" => self.command("limsup"),
            "lim inf" => self.command("liminf"),
            "mod" => self.command("bmod"),
            name if is_word && is_function(name) => self.command(name),
            name if is_word => self.in_command("operatorname", name),
            signs => self.in_variant(signs, self.variant),
        }
    }

    /// Words, with the blanks around them.
    fn words(&mut self, node: u32, quotes: &str) {
        let mut own = String::new();
        self.tree.push_own_text(node, &mut own);
        self.steps.look(own.len());
        // A source that is written in lines has white space around it that is not shown.
        let is_in_lines = own.starts_with(['\n', '\r']) || own.ends_with(['\n', '\r']);
        let seen = match is_in_lines {
            true => own.trim_matches(|letter: char| letter.is_ascii_whitespace()),
            false => own.as_str(),
        };
        let command = of_variant(self.variant).map_or("text", |[_, words]| words);
        match seen.trim_matches(is_white) {
            "" if seen.is_empty() => {}
            "" => self.push("\\ "),
            signs if seen == signs && !signs.contains(is_of_word) && quotes.is_empty() => self.signs(signs),
            _ => self.text(command, &[quotes, seen, quotes].concat()),
        }
    }

    /// Appends text in a command for it: white space is a blank, and signs of LaTeX are escaped.
    fn text(&mut self, command: &str, text: &str) {
        self.command(command);
        self.push("{");
        let mut is_white_before = false;
        for letter in text.chars() {
            let is_blank = is_white(letter);
            match letter {
                _ if is_blank => self.out.push_str(if is_white_before { "" } else { " " }),
                '{' | '}' | '%' | '#' | '&' | '$' | '_' => self.out.extend(['\\', letter]),
                '\\' => self.out.push_str("\\textbackslash{}"),
                '^' => self.out.push_str("\\textasciicircum{}"),
                '~' => self.out.push_str("\\textasciitilde{}"),
                letter => self.out.push(letter),
            }
            is_white_before = is_blank;
        }
        self.push("}");
    }

    /// A group with a line or a box, or crossed out.
    fn enclosed(&mut self, node: u32, depth: usize) {
        let notation = self.tree.attribute(node, Attr::Notation).unwrap_or("longdiv");
        let has = |name: &str| notation.split_ascii_whitespace().any(|own| own == name);
        let begin = match () {
            () if has("updiagonalstrike") && has("downdiagonalstrike") => "\\xcancel{",
            () if has("updiagonalstrike") => "\\cancel{",
            () if has("downdiagonalstrike") => "\\bcancel{",
            () if has("horizontalstrike") => "\\enclose{horizontalstrike}{",
            () if has("box") || has("roundedbox") => "\\boxed{",
            () if has("circle") => "\\enclose{circle}{",
            () if has("radical") => "\\sqrt{",
            () if has("longdiv") => "\\enclose{longdiv}{",
            () if has("top") && !has("bottom") => "\\overline{",
            () if has("bottom") && !has("top") => "\\underline{",
            () => "{",
        };
        self.around(begin, node, "}", depth);
    }

    /// Elements between fences, with signs between them.
    fn fenced(&mut self, node: u32, depth: usize) {
        let value = |name, default| self.tree.attribute(node, name).unwrap_or(default);
        let [open, close] = [value(Attr::Open, "("), value(Attr::Close, ")")];
        let mut separators = value(Attr::Separators, ",")
            .chars()
            .filter(|&sign| !is_white(sign));
        let mut separator = None;
        self.signs(open);
        let mut part = self.element_from(self.tree.first_child(node));
        while part != NONE && !self.steps.is_over() {
            self.node(part, depth + 1);
            part = self.next_element(part);
            // The last one stands between all that follow.
            separator = separators.next().or(separator);
            if part != NONE {
                separator.into_iter().for_each(|sign| self.sign(sign));
            }
        }
        self.signs(close);
    }

    /// A fraction; without a line what stands one above the other, such as a binomial coefficient.
    fn fraction(&mut self, node: u32, depth: usize) {
        let line = self.tree.attribute(node, Attr::Linethickness).unwrap_or_default();
        let has_line =
            !line.trim().starts_with('0') || line.contains(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
        let above = self.element_from(self.tree.first_child(node));
        let below = self.next_element(above);
        let [above, below] = [above, below].map(|part| self.apart(part, depth));
        if has_line {
            return self.push(&format!("\\frac{{{above}}}{{{below}}}"));
        }
        let start = self.out.len();
        self.push(&format!("{{{above} \\atop {below}}}"));
        self.pair = Some((start..self.out.len(), format!("\\binom{{{above}}}{{{below}}}")));
    }

    /// Appends a closing parenthesis: around a pair without a line between it is a binomial coefficient.
    fn close(&mut self) {
        match self.pair.take() {
            Some((place, binomial))
                if place.end == self.out.len() && self.out[..place.start].ends_with('(') =>
            {
                self.out.truncate(place.start - 1);
                self.push(&binomial);
            }
            _ => self.push(")"),
        }
    }

    fn root(&mut self, node: u32, depth: usize) {
        let base = self.element_from(self.tree.first_child(node));
        let index = self.next_element(base);
        let [base, index] = [base, index].map(|part| self.apart(part, depth));
        self.push(&format!("\\sqrt[{index}]{{{base}}}"));
    }

    /// A base with an index and an exponent.
    fn scripts(&mut self, node: u32, depth: usize, marks: &[&str]) {
        let base = self.element_from(self.tree.first_child(node));
        if base == NONE {
            return;
        }
        self.base(base, depth, marks);
        let mut part = base;
        for mark in marks {
            part = self.next_element(part);
            let script = self.apart(part, depth);
            self.script(mark, &script);
        }
    }

    /// Appends a base: as a group where it is of several elements, or has such a script already.
    fn base(&mut self, base: u32, depth: usize, marks: &[&str]) {
        let first = self.element_from(self.tree.first_child(base));
        let own: &[&str] = match self.tree.tag(base) {
            Tag::Msub => &["_"],
            Tag::Msup => &["^"],
            Tag::Msubsup | Tag::Munder | Tag::Mover | Tag::Munderover | Tag::Mmultiscripts => &["_", "^"],
            _ => &[],
        };
        let is_fraction = matches!(
            self.tree.tag(base),
            Tag::Mfrac | Tag::Msqrt | Tag::Mroot | Tag::Mfenced
        );
        let has_parts = first != NONE && self.next_element(first) != NONE && own.is_empty() && !is_fraction;
        let is_group = has_parts || own.iter().any(|own| marks.contains(own));
        let text = self.apart(base, depth);
        match is_group || text.is_empty() {
            true => self.push(&["{", &text, "}"].concat()),
            false => self.push_written(&text),
        }
    }

    /// Appends what was written apart.
    fn push_written(&mut self, text: &str) {
        self.push(text);
        let name = text.rsplit('\\').next().filter(|name| name.len() < text.len());
        self.is_behind_command =
            name.is_some_and(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic()));
    }

    fn script(&mut self, mark: &str, script: &str) {
        match (mark, script) {
            (_, "") => {}
            ("^", "\\prime" | "'") => self.push("'"),
            ("^", "\\prime\\prime" | "\u{2033}" | "''") => self.push("''"),
            ("^", "\u{2034}" | "'''") => self.push("'''"),
            (mark, script) => self.push(&[mark, "{", script, "}"].concat()),
        }
    }

    /// A base with what stands below and above it: an accent, limits, or else.
    fn under_and_over(&mut self, node: u32, depth: usize, marks: &[&str]) {
        let base = self.element_from(self.tree.first_child(node));
        if base == NONE {
            return;
        }
        let mut out = self.apart(base, depth);
        let is_one = |text: &str| text.chars().nth(1).is_none() || is_command(text);
        let mut part = base;
        for &mark in marks {
            part = self.next_element(part);
            let script = self.apart(part, depth);
            let sign = self.sign_of(part);
            let command = out.strip_prefix('\\').unwrap_or_default();
            let command = command.split(['_', '^']).next().unwrap_or_default();
            out = match (mark, sign.and_then(of_accent), sign.and_then(of_sign_below)) {
                _ if script.is_empty() => out,
                ("^", Some([one, more]), _) => {
                    format!("\\{}{{{out}}}", if is_one(&out) { one } else { more })
                }
                ("_", _, Some(name)) => format!("\\{name}{{{out}}}"),
                _ if has_limits(command) => format!("{out}{mark}{{{script}}}"),
                ("^", ..) => format!("\\overset{{{script}}}{{{out}}}"),
                _ => format!("\\underset{{{script}}}{{{out}}}"),
            };
        }
        self.push_written(&out);
    }

    /// The one sign that a part of a formula is.
    fn sign_of(&self, mut part: u32) -> Option<char> {
        for _ in 0..DEPTH {
            if part == NONE {
                return None;
            }
            let only = self.tree.first_child(part);
            if matches!(self.tree.tag(part), Tag::Mo | Tag::Mi | Tag::Mn | Tag::Mtext) && only != NONE {
                let mut signs = self.tree.text(only).trim_matches(is_white).chars();
                return signs.next().filter(|_| signs.next().is_none());
            }
            part = self.element_from(only);
            if part != NONE && self.next_element(part) != NONE {
                return None;
            }
        }
        None
    }

    /// A base with scripts on both sides: pairs behind it, then, after `<mprescripts>`, pairs before it.
    fn multiscripts(&mut self, node: u32, depth: usize) {
        let base = self.element_from(self.tree.first_child(node));
        let [mut before, mut behind] = [const { Vec::new() }; 2];
        let mut scripts = &mut behind;
        let mut part = self.next_element(base);
        while part != NONE && !self.steps.is_over() {
            match self.tree.tag(part) {
                Tag::Mprescripts => scripts = &mut before,
                _ => scripts.push(self.apart(part, depth)),
            }
            part = self.next_element(part);
        }
        for pair in before.chunks(2) {
            self.pair("{}", pair);
        }
        if base != NONE {
            self.base(base, depth, &["_", "^"]);
        }
        for (at, pair) in behind.chunks(2).enumerate() {
            self.pair(if at > 0 { "{}" } else { "" }, pair);
        }
    }

    fn pair(&mut self, base: &str, pair: &[String]) {
        if pair.iter().all(String::is_empty) {
            return;
        }
        self.push(base);
        for (mark, script) in ["_", "^"].iter().zip(pair) {
            self.script(mark, script);
        }
    }

    /// A row of a table, behind the sign that ends the row before it. The label of a row is no part of the formula.
    fn row(&mut self, row: u32, depth: usize) {
        let is_first = self.out.ends_with("\\begin{matrix}");
        self.push(if is_first { "" } else { " \\\\ " });
        let mut cell = self.element_from(self.tree.first_child(row));
        if self.tree.tag(row) == Tag::Mlabeledtr {
            cell = self.next_element(cell);
        }
        while cell != NONE && !self.steps.is_over() {
            self.node(cell, depth + 1);
            cell = self.next_element(cell);
            self.push(if cell == NONE { "" } else { " & " });
        }
    }

    fn next_element(&self, node: u32) -> u32 {
        match node {
            NONE => NONE,
            node => self.element_from(self.tree.next_sibling(node)),
        }
    }

    fn element_from(&self, mut node: u32) -> u32 {
        while node != NONE && !self.tree.kind(node).is_element() {
            node = self.tree.next_sibling(node);
        }
        node
    }
}

/// Whether a sign is a letter, or what stands between words.
fn is_of_word(sign: char) -> bool {
    sign.is_alphabetic() || is_white(sign)
}

/// Whether a text is one command.
fn is_command(text: &str) -> bool {
    let name = text.strip_prefix('\\').unwrap_or_default();
    let letters = name.bytes().take_while(u8::is_ascii_alphabetic).count();
    let argument = &name[letters..];
    letters > 0
        && (argument.is_empty()
            || argument.starts_with('{') && argument.find('}') == Some(argument.len() - 1))
}

#[cfg(test)]
mod tests {
    use gleaner_html::{HtmlParser, TreeLimits};

    use super::*;

    fn latex(math: &str) -> String {
        let source = format!("<math>{math}</math>");
        let mut parser = HtmlParser::new(TreeLimits::default());
        let html = parser.parse_str(&source);
        let tree = html.tree();
        let math = tree.nodes().find(|&node| tree.tag(node) == Tag::Math).unwrap();
        to_latex(tree, math, &mut Steps::new(10_000))
    }

    fn all_are(cases: &[(&str, &str)]) {
        for (math, wanted) in cases {
            assert_eq!(latex(math), *wanted, "{math}");
        }
    }

    #[test]
    fn elements_become_commands() {
        all_are(&[
            ("<mi>a</mi> <mo>=</mo>\n<mi>b</mi>", "a=b"),
            (
                "<mfrac><mn>1</mn> <mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow></mfrac>",
                r"\frac{1}{a+b}",
            ),
            (
                "<msqrt><mi>a</mi><mi>b</mi></msqrt><mroot><mi>c</mi><mn>3</mn></mroot>",
                r"\sqrt{ab}\sqrt[3]{c}",
            ),
            (
                "<msup><mi>e</mi><mrow><mo>−</mo><mi>x</mi></mrow></msup>",
                "e^{-x}",
            ),
            (
                "<msup><mrow><mi>a</mi><mi>b</mi></mrow><mn>2</mn></msup>",
                "{ab}^{2}",
            ),
            (
                "<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover>",
                r"\sum_{i}^{n}",
            ),
            (
                "<mfrac></mfrac><msup></msup><mroot></mroot>",
                r"\frac{}{}\sqrt[]{}",
            ),
            (
                "<mi>a</mi><mphantom><mo>+</mo><mi>b</mi></mphantom><mi>c</mi>",
                r"a\phantom{+b}c",
            ),
            ("<mi>a</mi><mspace width='1em'/><mi>b</mi>", r"a\;b"),
            ("<menclose notation='box'><mi>a</mi></menclose>", r"\boxed{a}"),
            (
                "<menclose notation='updiagonalstrike'><mi>a</mi></menclose>",
                r"\cancel{a}",
            ),
            (
                "<mstyle displaystyle='true'><mpadded><mi>a</mi></mpadded></mstyle>",
                "a",
            ),
        ]);
    }

    #[test]
    fn a_fraction_without_a_line_is_a_binomial_coefficient() {
        let pair = "<mfrac linethickness='0'><mi>n</mi><mi>k</mi></mfrac>";
        assert_eq!(latex(&format!("<mo>(</mo>{pair}<mo>)</mo>")), r"\binom{n}{k}");
        assert_eq!(latex(&format!("<mfenced>{pair}</mfenced>")), r"\binom{n}{k}");
        assert_eq!(latex(pair), r"{n \atop k}");
        assert_eq!(
            latex("<mfrac linethickness='0.5px'><mi>n</mi><mi>k</mi></mfrac>"),
            r"\frac{n}{k}"
        );
    }

    #[test]
    fn tables_have_rows_of_cells() {
        all_are(&[
            (
                "<mtable><mtr><mtd>a</mtd><mtd>b</mtd></mtr> <mtr><mtd>c</mtd><mtd></mtd></mtr></mtable>",
                r"\begin{matrix}a & b \\ c & \end{matrix}",
            ),
            (
                "<mtable><mlabeledtr><mtd>(1)</mtd><mtd>a</mtd></mlabeledtr></mtable>",
                r"\begin{matrix}a\end{matrix}",
            ),
            (
                "<mo>{</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mtext>if odd</mtext></mtd></mtr></mtable>",
                r"\{\begin{matrix}1 & \text{if odd}\end{matrix}",
            ),
        ]);
    }

    #[test]
    fn letters_and_signs_have_names() {
        all_are(&[
            (
                "<mi>α</mi><mi>x</mi><mo>≤</mo><mn>2</mn><mi>π</mi>",
                r"\alpha x\le 2\pi",
            ),
            ("<mo>{</mo><mn>5</mn><mo>%</mo><mo>}</mo>", r"\{5\%\}"),
            ("<mi>x</mi><mo>&#x2062;</mo><mi>y</mi>", "xy"),
            ("<mi>ж</mi>", "ж"),
        ]);
    }

    #[test]
    fn names_differ_from_letters_beside_each_other() {
        all_are(&[
            ("<mi>sin</mi><mo>&#x2061;</mo><mi>x</mi>", r"\sin x"),
            ("<mi>f</mi><mo>&#x2061;</mo><mi>x</mi>", "fx"),
            (
                "<mi>rank</mi><mo>&#x2061;</mo><mi>A</mi>",
                r"\operatorname{rank}A",
            ),
            ("<mn>3</mn><mi>km</mi>", r"3\mathrm{km}"),
            ("<mo>max</mo><mi>x</mi>", r"\max x"),
            (
                "<munder><mo>lim</mo><mrow><mi>x</mi><mo>→</mo><mn>0</mn></mrow></munder>",
                r"\lim_{x\to 0}",
            ),
            ("<mi>速度</mi>", r"\text{速度}"),
        ]);
    }

    #[test]
    fn texts_keep_their_blanks() {
        all_are(&[
            (
                "<mi>x</mi><mtext>&nbsp;if&nbsp;</mtext><mi>y</mi>",
                r"x\text{ if }y",
            ),
            ("<mi>x</mi><mtext> is  odd</mtext>", r"x\text{ is odd}"),
            ("<mtext>\n  odd_1\n</mtext>", r"\text{odd\_1}"),
            ("<mi>x</mi><mtext>&nbsp;</mtext><mi>y</mi>", r"x\ y"),
            ("<mi>x</mi><mtext>,</mtext>", "x,"),
            ("<ms>a</ms>", "\\text{\"a\"}"),
            ("<mtext mathvariant='bold'>odd</mtext>", r"\textbf{odd}"),
        ]);
    }

    #[test]
    fn variants_are_commands() {
        all_are(&[
            ("<mi mathvariant='double-struck'>R</mi>", r"\mathbb{R}"),
            ("<mi mathvariant='bold'>v</mi>", r"\mathbf{v}"),
            ("<mi mathvariant='bold'>β</mi>", r"\boldsymbol{\beta}"),
            (
                "<mi mathvariant='script'>L</mi><mi mathvariant='fraktur'>g</mi>",
                r"\mathcal{L}\mathfrak{g}",
            ),
            (
                "<mi mathvariant='normal'>d</mi><mi mathvariant='normal'>Γ</mi>",
                r"\mathrm{d}\Gamma",
            ),
            (
                "<mstyle mathvariant='bold'><mi>v</mi><mo>+</mo></mstyle>",
                r"\mathbf{v}+",
            ),
            (
                "<mi>ℝ</mi><mi>𝐯</mi><mi>𝑥</mi><mi>𝛂</mi>",
                r"\mathbb{R}\mathbf{v}x\boldsymbol{\alpha}",
            ),
        ]);
    }

    #[test]
    fn fences_have_their_signs() {
        all_are(&[
            ("<mi>f</mi><mfenced><mi>x</mi><mi>y</mi></mfenced>", "f(x,y)"),
            (
                "<mfenced open='{' close='}' separators=';,'><mi>a</mi><mi>b</mi><mi>c</mi><mi>d</mi></mfenced>",
                r"\{a;b,c,d\}",
            ),
            (
                "<mfenced open='|' close='|' separators=''><mi>a</mi><mi>b</mi></mfenced>",
                "|ab|",
            ),
            ("<mfenced open='' close=']'><mi>a</mi></mfenced>", "a]"),
            (
                "<mfenced open='⟨' close='⟩'><mi>a</mi></mfenced>",
                r"\langle a\rangle",
            ),
        ]);
    }

    #[test]
    fn signs_above_and_below_are_accents_limits_or_words() {
        all_are(&[
            (
                "<mover><mi>x</mi><mo>^</mo></mover><mover><mi>y</mi><mo>¯</mo></mover>",
                r"\hat{x}\bar{y}",
            ),
            (
                "<mover><mi>v</mi><mo>→</mo></mover><mover><mi>x</mi><mo>~</mo></mover>",
                r"\vec{v}\tilde{x}",
            ),
            (
                "<mover><mrow><mi>A</mi><mi>B</mi></mrow><mo>¯</mo></mover>",
                r"\overline{AB}",
            ),
            ("<mover><mi>α</mi><mo>˙</mo></mover>", r"\dot{\alpha}"),
            ("<munder><mi>x</mi><mo>_</mo></munder>", r"\underline{x}"),
            (
                "<munder><munder><mi>x</mi><mo>⏟</mo></munder><mi>n</mi></munder>",
                r"\underbrace{x}_{n}",
            ),
            (
                "<mover><mo>=</mo><mtext>def</mtext></mover>",
                r"\overset{\text{def}}{=}",
            ),
            ("<munder><mi>A</mi><mi>n</mi></munder>", r"\underset{n}{A}"),
        ]);
    }

    #[test]
    fn scripts_stand_on_both_sides() {
        all_are(&[
            (
                "<mmultiscripts><mi>C</mi><none/><mn>2</mn><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>",
                "{}_{6}^{14}C^{2}",
            ),
            (
                "<mmultiscripts><mi>T</mi><mi>a</mi><none></none><none></none><mi>b</mi></mmultiscripts>",
                "T_{a}{}^{b}",
            ),
            ("<msup><mi>f</mi><mo>′</mo></msup>", "f'"),
            (
                "<msup><msup><mi>a</mi><mi>b</mi></msup><mi>c</mi></msup>",
                "{a^{b}}^{c}",
            ),
            (
                "<msup><msub><mi>a</mi><mi>b</mi></msub><mi>c</mi></msup>",
                "a_{b}^{c}",
            ),
            ("<msub><mrow></mrow><mi>c</mi></msub>", "{}_{c}"),
        ]);
    }

    #[test]
    fn deep_formulas_are_cut() {
        let deep = "<msqrt>".repeat(300) + "x";
        assert!(latex(&deep).len() < 1000);
    }
}
