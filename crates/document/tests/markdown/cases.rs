//! What pages become.

use gleaner_content::Label;
use gleaner_document::{Images, Links, MarkdownOptions, Origin, ScoredBlocks};
use gleaner_page::Unit;

use crate::labels::{PAGE, clean, cleaner};

/// The Markdown of a page whose blocks have the label of their first letter: H, L, C, O; of all others it is that of
/// paragraphs.
fn label(_: usize, text: &str) -> Label {
    match text.chars().next() {
        Some('H') => Label::Header,
        Some('L') => Label::List,
        Some('C') => Label::Continuation,
        Some('O') => Label::Other,
        _ => Label::Paragraph,
    }
}

fn inline_links() -> MarkdownOptions {
    MarkdownOptions::default().links(Links::Inline)
}

fn markdown(html: &str) -> String {
    let options = MarkdownOptions::default();
    clean(&mut cleaner(Unit::Line, options, label), html.as_bytes()).markdown
}

fn with_links(html: &str) -> String {
    clean(&mut cleaner(Unit::Tag, inline_links(), label), html.as_bytes()).markdown
}

fn with_images(html: &str) -> String {
    let options = MarkdownOptions::default().images(Images::Inline);
    clean(&mut cleaner(Unit::Line, options, label), html.as_bytes()).markdown
}

#[test]
fn headings_have_the_levels_of_the_page_and_the_main_one_the_first() {
    assert_eq!(
        markdown("<h1>H</h1><p>a<h2>H b</h2><h3>H c</h3>"),
        "# H\n\na\n\n## H b\n\n### H c\n"
    );
    assert_eq!(
        markdown("<h2>H</h2><p>a<h3>H b</h3><h4>H c</h4>"),
        "# H\n\na\n\n## H b\n\n### H c\n"
    );
    assert_eq!(
        markdown("<h3>H</h3><p>a<h3>H b</h3><div>H c</div>"),
        "## H\n\na\n\n## H b\n\n### H c\n"
    );
    assert_eq!(markdown("<div>H</div><p>a<h2>H b</h2>"), "# H\n\na\n\n## H b\n");
}

#[test]
fn lists_nest_and_have_their_numbers() {
    assert_eq!(
        markdown(
            "<ol start=3><li>a<ul><li>b<li>c</ul><li>O<li><p>d<p>e</ol><ul><li>f<li>g</ul><ul><li>h<li>i</ul>"
        ),
        "3. a\n   - b\n   - c\n5. d\n\n   e\n\n- f\n- g\n\n* h\n* i\n"
    );
    assert_eq!(
        markdown("<p>a<ol start=3><li><ul><li>b<li>c</ul><li>d</ol>"),
        "a\n\n3. - b\n   - c\n4. d\n"
    );
    assert_eq!(
        markdown("<div>Lone</div><div>Ltwo</div><p>a"),
        "- Lone\n- Ltwo\n\na\n"
    );
    assert_eq!(
        markdown("<blockquote><p>a<ul><li>b<li>c</ul></blockquote>d"),
        "> a\n>\n> - b\n> - c\n\nd\n"
    );
}

#[test]
fn definitions_are_items_in_the_items_of_their_terms() {
    assert_eq!(
        markdown("<p>x<dl><dt>H a<dd>L b<dd><p>c<p>d</dd><dt>e<dt>f<dd>g</dl>"),
        "x\n\n- H a\n  - L b\n  - c\n\n    d\n- e\n- f\n  - g\n"
    );
    let in_boxes = "<p>x<dl><div><dt>a<dd>b</div><div><dt>c<dd>d</div></dl>";
    assert_eq!(markdown(in_boxes), "x\n\n- a\n  - b\n- c\n  - d\n");
    let nested = "<p>x<dl><dt>a<dd><dl><dt>b<dd>c</dl><dt>d<dd><ul><li>e<li>f</ul></dl>";
    assert_eq!(markdown(nested), "x\n\n- a\n  - b\n    - c\n- d\n  - e\n  - f\n");
    assert_eq!(markdown("<p>x<dl><dt>a<dd>b</dl>"), "x\n\n- a\n  - b\n");
}

#[test]
fn definitions_without_terms_and_with_headings_are_boxes() {
    assert_eq!(markdown("<p>x<dl><dd>a<dd>b</dl>"), "x\n\na\n\nb\n");
    assert_eq!(markdown("<p>x<dl><dt>O<dd>a<dt>O<dd>b</dl>"), "x\n\n- a\n- b\n");
    let posts = "<p>x<dl><dt><h2>H a</h2><dd>b<dt><h2>H c</h2><dd>d</dl>";
    assert_eq!(markdown(posts), "x\n\n## H a\n\nb\n\n## H c\n\nd\n");
}

#[test]
fn a_table_of_one_row_is_a_box() {
    let note = "<p>x<table><tr><td>Note<td>a</table>";
    assert_eq!(markdown(note), "x\n\nNote\n\na\n");
}

#[test]
fn code_is_fenced_and_has_its_language() {
    assert_eq!(
        markdown("<pre><code class='language-rust'>fn a() {\n    b();\n}\n</code></pre>"),
        "```rust\nfn a() {\n    b();\n}\n```\n"
    );
    assert_eq!(
        markdown("<div class='highlight highlight-source-shell'><pre>```\nls *</pre></div>"),
        "````shell\n```\nls *\n````\n"
    );
    assert_eq!(
        markdown("<p>call <code>a`b</code> or <code>c*</code>."),
        "call ``a`b`` or `c*`.\n"
    );
    assert_eq!(markdown("<p>a <code>b</code> <code>c</code>"), "a `b` `c`\n");
    // Hugo has the ends of lines within the spans of lines.
    assert_eq!(
        markdown(
            "<pre><span class=line><span>a {\n</span></span><span class=line><span>\n</span></span><span class=line><span>  b\n</span></span></pre>"
        ),
        "```\na {\n\n  b\n```\n"
    );
}

#[test]
fn emphasis_is_marked_where_a_parser_sees_it() {
    assert_eq!(
        markdown("<p><b>one</b> two <i>three </i>four <em><strong>five</strong></em>, <del>six</del>"),
        "**one** two *three* four ***five***, ~~six~~\n"
    );
    assert_eq!(markdown("<p>a<b>“b”</b>c"), "a“b”c\n");
}

#[test]
fn indices_and_exponents_have_tags() {
    assert_eq!(
        markdown(
            "<p>10<sup>6</sup> H<sub>2</sub>O x<sub><i>i</i></sub> the 1<sup>st</sup> of M<sup>me</sup> B<sup>®</sup>"
        ),
        "10<sup>6</sup> H<sub>2</sub>O x<sub>i</sub> the 1st of Mme B®\n"
    );
    assert_eq!(
        markdown("<table><tr><td colspan=2>m<sup>2</sup><tr><td>a<td>b</table>"),
        "<table>\n<tr><td colspan=\"2\">m<sup>2</sup></td></tr>\n<tr><td>a</td><td>b</td></tr>\n</table>\n"
    );
}

#[test]
fn links_have_their_addresses_if_they_are_wanted() {
    let page = "<p>see <a href='../a b(1)'>the <b>one</b></a> and <a href='#x'>here</a> <a href='javascript:x'>or</a>";
    assert_eq!(
        with_links(page),
        "see [the **one**](https://sea.example/a%20b%281%29) and here or\n"
    );
    assert_eq!(markdown(page), "see the **one** and here or\n");
}

#[test]
fn footnotes_have_their_texts_behind_their_numbers() {
    let text =
        "<h1>H</h1><p>a<sup><a href=#n1>1</a></sup> b<a href=#n2>[2]</a> c<sup><a href=#n3>3</a></sup>";
    let page = |items: &str| format!("{text}<ol>{items}</ol>d");
    assert_eq!(
        markdown(&page(
            "<li id=n1>one e f <a href=#b1>↩</a><li><a name=n2></a><p>two e f<p>g<li id=n3>O"
        )),
        "# H\n\na[^1] b[^2] c<sup>3</sup>\n\n[^1]: one e f\n\n[^2]: two e f\n\n    g\n\nd\n"
    );
    // Of a word alone a parser without footnotes would make an address.
    assert_eq!(
        markdown(&page(
            "<li id=n1>one<li id=n2>two (e f)<li>three e f<li id=n3>three e f"
        )),
        "# H\n\na<sup>1</sup> b[2] c[^3]\n\n1. one\n2. two (e f)\n3. three e f\n\n[^3]: three e f\n\nd\n"
    );
    // Behind the number, a bracket would be an address, and a colon a text.
    assert_eq!(
        markdown("<p><sup><a href=#n>1</a></sup>: a<sup><a href=#n>1</a></sup>(b)<ol><li id=n>c d e</ol>"),
        "[^1]\\: a[^1]\\(b)\n\n[^1]: c d e\n"
    );
    // A link back is no footnote, nor is one that is neither raised nor in brackets.
    assert_eq!(
        markdown(
            "<ol><li id=n1>a b c<li>d e f</ol><p><a href=#n1>[1]</a> g <a href=#n2>2</a><ol><li id=n2>h i j</ol>"
        ),
        "1. a b c\n2. d e f\n\n[1] g 2\n\n1. h i j\n"
    );
}

#[test]
fn images_stand_where_they_are_on_the_page_if_they_are_wanted() {
    for (page, expected) in [
        (
            "<p>a<img src=/b.png alt='b [c]'>d",
            "a ![b \\[c\\]](https://sea.example/b.png) d",
        ),
        (
            "<p><img src='x y' alt=b>c<p>d<img alt=e src=data:,>",
            "![b](https://sea.example/tides/x%20y) c\n\nd ![e]()",
        ),
        (
            "<p>a<p><img src=data:, data-src=/b alt=' b\n c '><p>d",
            "a\n\n![b c](https://sea.example/b)\n\nd",
        ),
        (
            "<ul><li>a<li><img alt=b src=/b><p>c</ul><img alt=d src=/d><p>e",
            "- a\n- ![b](https://sea.example/b)\n\n  c\n\n![d](https://sea.example/d)\n\ne",
        ),
        (
            "<p>a<figure><img alt=b src=/b><figcaption>O</figcaption></figure>c",
            "a\n\n![b](https://sea.example/b)\n\nc",
        ),
        (
            "<p>a<figure><div><img alt=b src=/b><p>c</div><div><img alt=d src=/d><p>e</div></figure>",
            "a\n\n![b](https://sea.example/b)\n\nc\n\n![d](https://sea.example/d)\n\ne",
        ),
        (
            "<table><tr><td>a<img alt=b src=/b><td>c<tr><td>d<td>e</table>",
            "| a ![b](https://sea.example/b) | c |\n| --- | --- |\n| d | e |",
        ),
        (
            "<table><tr><td colspan=2>a<img alt='\"' src=/b><tr><td>d<td>e</table>",
            "<table>\n<tr><td colspan=\"2\">a <img src=\"https://sea.example/b\" alt=\"&quot;\"></td></tr>\n<tr><td>d</td><td>e</td></tr>\n</table>",
        ),
        // Without a text, hidden, in a program, or beside what is left out.
        (
            "<p>a<img src=/b><img src=/b alt=' '><img hidden src=/b alt=c><pre>d<img src=/b alt=c>e</pre>",
            "a\n\n```\nd e\n```",
        ),
        (
            "<p><img src=/b alt=b><p>a<div><img src=/b alt=b></div><p>O<div><img src=/b alt=b></div><p>c",
            "a\n\nc",
        ),
    ] {
        assert_eq!(with_images(page), format!("{expected}\n"), "{page}");
        assert!(
            !markdown(page).contains("![") && !markdown(page).contains("<img"),
            "{page}"
        );
    }
}

#[test]
fn tables_of_data_are_lines_of_cells() {
    assert_eq!(
        markdown("<table><tr><th>a<th>b<tr><td><td>c|d<br>e<tr><td>f<td><code>g|h</code></table>"),
        "| a | b |\n| --- | --- |\n|  | c\\|d<br>e |\n| f | `g\\|h` |\n"
    );
    assert_eq!(
        markdown("<table><tr><th colspan=2>a<th>b<tr><td>c<td>d<td><b>e</b></table>"),
        "<table>\n<tr><th colspan=\"2\">a</th><th>b</th></tr>\n<tr><td>c</td><td>d</td><td><strong>e</strong></td></tr>\n</table>\n"
    );
    assert_eq!(
        markdown("<table><tr><td>a menu<td><p>b<p>c</table>"),
        "a menu\n\nb\n\nc\n"
    );
}

#[test]
fn formulas_stand_between_dollar_signs() {
    assert_eq!(markdown(r"<p>so \(a_1*b\) is"), "so $a_1*b$ is\n");
    assert_eq!(markdown(r"<p>\[ x^2 \]"), "$$x^2$$\n");
    assert_eq!(
        markdown(
            "<p>so <math><msup><mi>x</mi><mn>2</mn></msup></math> is <math display=block><msup><mi>x</mi><mn>3</mn></msup></math>"
        ),
        "so $x^{2}$ is $$x^{3}$$\n"
    );
    assert_eq!(
        markdown(r"<p>\(a_1\) and \(b_1\), $a_1$ or $b_1$"),
        "$a_1$ and $b_1$, $a_1$ or $b_1$\n"
    );
    assert_eq!(
        markdown(
            "<p>a <script type='math/tex'>n</script> b <script type='math/tex; mode=display'>x_1</script>"
        ),
        "a $n$ b $$x_1$$\n"
    );
    assert_eq!(markdown("<p>from $5 to $6"), "from \\$5 to \\$6\n");
    assert_eq!(markdown("<p>only $5_000"), "only $5_000\n");
}

#[test]
fn formulas_are_written_as_they_stand() {
    for (html, expected) in [
        // An environment is a formula by itself.
        (
            r"<p>so \begin{gather*} a_1 * b \\ c \end{gather*}",
            r"so $$\begin{gather*} a_1 * b \\ c \end{gather*}$$",
        ),
        (
            r"<p>\begin{align}\begin{cases}a\end{cases}\end{align}",
            r"$$\begin{align}\begin{cases}a\end{cases}\end{align}$$",
        ),
        (
            r"<p>a \begin{itemize} *b* \end{itemize}",
            r"a \begin{itemize} \*b\* \end{itemize}",
        ),
        (r"<p>a \begin{align} b", r"a \begin{align} b"),
        // A class says that a text is a formula.
        (
            "<p>of <span class=arithmatex>$n$</span> or <i class='math inline'>k_1</i>",
            "of $n$ or $k_1$",
        ),
        (
            "<p>of <span class=price>$7</span> or <b class=math>$</b>",
            "of \\$7 or **\\$**",
        ),
        ("<p><span class='math'>$$n$$</span> is", "$$n$$ is"),
        // Formulas in texts of formulas.
        (
            r"<p>if \(a\text{ for $b$ or $c$}d\) so",
            r"if $a\text{ for }b\text{ or }c d$ so",
        ),
        (r"<p>\[a\text{ for $b$}\]", r"$$a\text{ for $b$}$$"),
        (r"<p>if \(a $ b\) but \(c_1\)", r"if \\(a \$ b\\) but $c_1$"),
        // What stands beside a formula.
        (r"<p>the \(n\)th, \(n\)2", r"the $n$th, \\(n\\)2"),
        (
            "<p>a <math><mi>b</mi></math> <math><mi>c</mi></math>",
            "a $b$ $c$",
        ),
        // An image of a formula.
        (
            "<p>of <img class=latex alt='k_1'> to <img alt='\\[k_2\\]'>",
            "of $k_1$ to $$k_2$$",
        ),
    ] {
        assert_eq!(markdown(html), format!("{expected}\n"), "{html}");
    }
    let long = format!("<p>\\[{}\\]", "a_1+".repeat(1_000));
    assert_eq!(markdown(&long), format!("$${}$$\n", "a_1+".repeat(1_000)));
}

#[test]
fn formulas_in_tables_end_no_cell() {
    assert_eq!(
        markdown(r"<table><tr><th>a<th>b<tr><td>\(|c|\) and \(d\)<td>\(\|e\|\)</table>"),
        "| a | b |\n| --- | --- |\n| $\\|c\\|$ and $d$ | $\\Vert e\\Vert$ |\n"
    );
    assert_eq!(
        markdown("<table><tr><th colspan=2>a<th>b<tr><td>c<td>d<td>is <math><mi>e</mi></math></table>"),
        "<table>\n<tr><th colspan=\"2\">a</th><th>b</th></tr>\n<tr><td>c</td><td>d</td><td>is $e$</td></tr>\n</table>\n"
    );
}

#[test]
fn what_markdown_would_read_is_escaped_and_nothing_else() {
    for (text, expected) in [
        ("2 * 3 and snake_case", "2 * 3 and snake_case"),
        ("*a* _b_ `c`", "\\*a\\* \\_b\\_ \\`c\\`"),
        ("1. one", "1\\. one"),
        ("# one", "\\# one"),
        ("- one", "\\- one"),
        ("&gt; one", "\\> one"),
        ("a [1] [b](c)", "a [1] [b\\](c)"),
        ("a &lt; b &lt;i&gt;", "a < b \\<i>"),
        ("AT&amp;T &amp;amp;", "AT&T \\&amp;"),
        ("C:\\dir \\*", "C:\\dir \\\\\\*"),
    ] {
        assert_eq!(markdown(&format!("<p>{text}")), format!("{expected}\n"), "{text}");
    }
    assert_eq!(markdown("<p>a<br>- b<br>--- "), "a  \n\\- b\n");
    assert_eq!(markdown("<h1>H #</h1>"), "# H \\#\n");
}

#[test]
fn pages_that_waited_have_the_same_markdown() {
    let all = inline_links().images(Images::Inline);
    let html = "<h1>H</h1><blockquote><p>a <b>b</b> <a href=x>c<sup><a href=#n>1</a></sup></a></blockquote><img alt=i>\
        <ol><li id=n>a b c</ol><p>a <img src=x alt=b>c<ol><li>d<li><p>e</ol>\
        <pre class='lang-c'>f</pre><table><tr><td>g<td>h<tr><td>i<td><ul><li>j<li>k</ul></table>";
    let mut cleaner = cleaner(Unit::Tag, all, label);
    let whole = clean(&mut cleaner, html.as_bytes());
    let origin = Origin {
        url: PAGE,
        ..Origin::default()
    };
    let read = cleaner.read(html.as_bytes(), &origin).expect("a page");
    let bytes = bincode::serialize(&cleaner.score(read).blocks).expect("bytes");
    let staged: ScoredBlocks = bincode::deserialize(&bytes).expect("blocks");
    assert_eq!(cleaner.decide(staged, None).markdown(), Some(whole.markdown));
}
