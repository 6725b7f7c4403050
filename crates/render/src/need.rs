//! Whether a page has its text from scripts.
//!
//! A page needs scripts if it has almost no text without them, and shows a sign of an application. Text alone does not decide: a
//! page with a single picture has none either.

use gleaner_html::{Attr, DOCUMENT, HtmlParser, NONE, NodeKind, Tag, Tree, TreeLimits};

/// Letters and digits from which on a page has a text without scripts.
pub const LETTERS: usize = 200;

/// Ids of the elements that frameworks draw into.
const MOUNTS: [&str; 12] = [
    "root",
    "app",
    "__next",
    "__nuxt",
    "___gatsby",
    "react-root",
    "app-root",
    "main-app",
    "q-app",
    "svelte",
    "elm",
    "ember",
];

/// What stands in scripts that hold the state of a framework.
const STATES: [&str; 9] = [
    "__NEXT_DATA__",
    "__next_f",
    "__NUXT__",
    "__INITIAL_STATE__",
    "__PRELOADED_STATE__",
    "__APOLLO_STATE__",
    "__INITIAL_DATA__",
    "__remixContext",
    "__sveltekit",
];

/// Ids of scripts that are such a state.
const STATE_IDS: [&str; 3] = ["__NEXT_DATA__", "__NUXT_DATA__", "ng-state"];

/// Looks at pages one after the other.
#[derive(Debug)]
pub struct Need {
    parser: HtmlParser,
}

impl Default for Need {
    fn default() -> Need {
        Need {
            parser: HtmlParser::new(TreeLimits::default()),
        }
    }
}

impl Need {
    /// Whether the page has almost no text without scripts, and shows that it is drawn by them.
    ///
    /// ```
    /// use gleaner_render::Need;
    ///
    /// let mut need = Need::default();
    /// assert!(need.of(b"<title>News</title><div id=root></div><script src=app.js></script>", None));
    /// assert!(!need.of(b"<title>News</title><img src=a.png>", None));
    /// ```
    pub fn of(&mut self, body: &[u8], content_type: Option<&str>) -> bool {
        match self.parser.parse(body, content_type) {
            Ok(html) => look(html.tree()),
            Err(_) => false,
        }
    }
}

fn look(tree: Tree<'_>) -> bool {
    let (mut letters, mut has_script, mut has_sign) = (0, false, false);
    let mut node = tree.first_child(DOCUMENT);
    while node != NONE && letters < LETTERS {
        if tree.kind(node).is_text() {
            letters += letters_of(tree.text(node));
        }
        if is_no_text(tree, node) {
            has_script |= tree.tag(node) == Tag::Script;
            has_sign |= is_state(tree, node) || says_so(tree, node);
            node = tree.after(DOCUMENT, node);
            continue;
        }
        has_sign |= is_mount(tree, node);
        node = tree.following(DOCUMENT, node);
    }
    letters < LETTERS && has_script && has_sign
}

fn letters_of(text: &str) -> usize {
    text.chars().filter(|letter| letter.is_alphanumeric()).count()
}

/// Whether what stands in an element is not shown where scripts run, or is no part of the page's text.
fn is_no_text(tree: Tree<'_>, node: u32) -> bool {
    matches!(
        tree.tag(node),
        Tag::Script | Tag::Style | Tag::Noscript | Tag::Template | Tag::Title
    )
}

/// Whether a script is the state of a framework.
fn is_state(tree: Tree<'_>, node: u32) -> bool {
    if tree.tag(node) != Tag::Script {
        return false;
    }
    let id = tree.attribute(node, Attr::Id).unwrap_or_default();
    let mut text = String::new();
    tree.push_own_text(node, &mut text);
    STATE_IDS.contains(&id) || STATES.iter().any(|state| text.contains(state))
}

/// Whether a `<noscript>` asks for scripts.
fn says_so(tree: Tree<'_>, node: u32) -> bool {
    if tree.tag(node) != Tag::Noscript {
        return false;
    }
    let text = text_below(tree, node).to_ascii_lowercase();
    text.contains("javascript") || text.contains("java script")
}

fn text_below(tree: Tree<'_>, root: u32) -> String {
    let some = |node: u32| Some(node).filter(|&node| node != NONE);
    let first = some(tree.first_child(root));
    let below = std::iter::successors(first, |&node| some(tree.following(root, node)));
    below.map(|node| tree.text(node)).collect()
}

/// Whether an element without a text is one that scripts draw into: by its id, or because HTML does not know its name.
fn is_mount(tree: Tree<'_>, node: u32) -> bool {
    if tree.kind(node) != NodeKind::Html {
        return false;
    }
    let id = tree.attribute(node, Attr::Id).unwrap_or_default();
    let is_custom = tree.tag(node) == Tag::Other;
    (is_custom || MOUNTS.contains(&id)) && has_no_text(tree, node)
}

/// Elements of a mount that are looked at: more than a sign that something loads has.
const ELEMENTS: usize = 32;

fn has_no_text(tree: Tree<'_>, root: u32) -> bool {
    let mut node = tree.first_child(root);
    for _ in 0..ELEMENTS {
        if node == NONE {
            return true;
        }
        // ("Loading ..." is no text.)
        if letters_of(tree.text(node)) > 40 {
            return false;
        }
        node = match is_no_text(tree, node) {
            true => tree.after(root, node),
            false => tree.following(root, node),
        };
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(html: &str) -> bool {
        Need::default().of(html.as_bytes(), Some("text/html; charset=utf-8"))
    }

    #[test]
    fn applications_need_scripts() {
        for html in [
            "<div id=root></div><script src=a.js></script>",
            "<div id=app><div class=spinner>Loading ...</div></div><script src=a.js></script>",
            "<div id=__next></div><script id=__NEXT_DATA__ type=application/json>{}</script>",
            "<script>window.__INITIAL_STATE__ = {a: 1}</script><div class=x></div>",
            "<body><noscript>Please enable JavaScript to read this page.</noscript><script src=a.js></script>",
            "<my-app></my-app><script type=module src=a.js></script>",
            "<header>The Mill Gazette</header><div id=app></div><footer>Imprint</footer><script>draw()</script>",
        ] {
            assert!(needs(html), "{html}");
        }
    }

    #[test]
    fn pages_with_a_text_and_pages_without_a_sign_do_not() {
        let text = "Words that are there without any script. ".repeat(10);
        for html in [
            format!("<div id=root><p>{text}</div><script src=a.js></script>"),
            format!("<p>{text}<div id=app></div><script src=a.js></script>"),
            format!(
                "<p>{}<div id=app></div><script src=a.js></script>",
                "水車小屋".repeat(60)
            ),
            "<img src=a.png><script src=count.js></script>".to_owned(),
            "<div id=root></div>".to_owned(),
            "<p>Short.<noscript><img src=https://count.example/1.gif></noscript><script>count()</script>"
                .to_owned(),
            String::new(),
        ] {
            assert!(!needs(&html), "{html}");
        }
    }

    #[test]
    fn text_for_browsers_without_scripts_does_not_count() {
        let text = "You need to enable JavaScript to run this application. ".repeat(10);
        assert!(needs(&format!(
            "<div id=root></div><noscript>{text}</noscript><script src=a.js></script>"
        )));
    }
}
