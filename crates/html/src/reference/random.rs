//! Random HTML of the pieces that are hard.

use proptest::prelude::*;

use super::assert_same_tree;
use super::pieces::pages;

/// Pages of what `<noscript>` has to do with.
fn noscripts() -> impl Strategy<Value = String> {
    #[rustfmt::skip]
    let piece = proptest::sample::select(&[
        "<noscript>", "</noscript>", "</noscript >", "<iframe>", "<iframe/>", "</iframe>", "<style>", "</style>", "<noembed>",
        "<textarea>", "</textarea>", "<title>", "<noframes>", "<script>", "</script>", "<!--", "-->", "<p>", "</head>",
        "<body>", "text", " ",
    ]);
    proptest::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

/// Any characters of those that steer the tokenizer.
fn noise() -> impl Strategy<Value = String> {
    proptest::string::string_regex("[<>/!\\-='\"& a-bpdiv\u{0}\r\n\t#x;?\\[\\]CDATscriptSCRIPT]{0,60}")
        .expect("a regex")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn trees_of_random_pages_are_those_of_html5ever(html in pages()) {
        assert_same_tree(&html, "a random page");
    }

    #[test]
    fn trees_of_random_noscripts_are_those_of_html5ever(html in noscripts()) {
        assert_same_tree(&html, "noscripts");
    }

    #[test]
    fn trees_of_noise_are_those_of_html5ever(html in noise()) {
        assert_same_tree(&html, "noise");
    }

    #[test]
    fn trees_of_random_pages_cut_anywhere_are_those_of_html5ever(html in pages(), at in 0usize..400) {
        assert_same_tree(&html[..html.floor_char_boundary(at)], "a cut page");
    }
}
