//! Features of pages written for it.

use std::sync::LazyLock;

use gleaner_columns::Columns;
use gleaner_features::{Extractor, FeatureConfig, Module, Query, feature_table};
use gleaner_html::{Attr, NONE};
use gleaner_page::{Page, PageConfig, Parser, Unit};
use proptest::prelude::*;

/// The columns of a page, by name.
struct Features {
    config: FeatureConfig,
    columns: Columns,
}

impl Features {
    fn of(html: &str, unit: Unit, config: FeatureConfig) -> Features {
        Features::with(
            &mut Extractor::new(config).expect("the configuration is sound"),
            html,
            unit,
        )
    }

    fn with(extractor: &mut Extractor, html: &str, unit: Unit) -> Features {
        let mut columns = Columns::default();
        extractor.extract(
            &parse(html, unit),
            "http://a.example/2024/07/some-title",
            &mut columns,
        );
        Features {
            config: extractor.config().clone(),
            columns,
        }
    }

    fn lines(html: &str) -> Features {
        Features::of(html, Unit::Line, FeatureConfig::default())
    }

    fn codes(&self, name: &str) -> &[u8] {
        let column = self
            .config
            .columns()
            .iter()
            .position(|column| column.name == name);
        self.columns.column(column.expect("a feature of that name"))
    }
}

fn parse(html: &str, unit: Unit) -> Page {
    let mut parser = Parser::new(PageConfig {
        unit,
        ..PageConfig::default()
    });
    parser
        .parse(html.as_bytes(), Some("text/html; charset=utf-8"))
        .expect("HTML always parses")
        .clone()
}

#[test]
fn the_thesis_has_these_46() {
    let names: Vec<String> = FeatureConfig::victor()
        .columns()
        .into_iter()
        .map(|column| column.name)
        .collect();
    let printed = "container.p container.a container.u container.img container.class-header container.class-bold \
        container.class-italic container.class-list container.class-form container.li \
        split.p split.br split.hr split.class-inline split.class-block \
        char.alpha-rel char.num-rel char.punct-rel char.white-rel char.other-rel \
        token.alpha-rel token.num-rel token.mix-rel token.other-rel \
        token.alpha-abs token.num-abs token.mix-abs token.other-abs \
        sentence.count sentence.avg-length sentence-begin sentence-end first-duplicate duplicate-count \
        regexp.url regexp.date regexp.time bullet div-group.word-ratio td-group.word-ratio position \
        document.word-count document.sentence-count document.block-count \
        document.max-div-group document.max-td-group";
    assert_eq!(names, printed.split_ascii_whitespace().collect::<Vec<_>>());
}

#[test]
fn the_table_in_the_documentation_is_the_catalogue() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/FEATURES.md");
    let file = std::fs::read_to_string(path).unwrap();
    assert!(
        file.ends_with(&feature_table()),
        "FEATURES.md has to end with:\n{}",
        feature_table()
    );
}

#[test]
fn containers_of_any_run_count() {
    let html = "<p>One <a href=x><b>two</b></a> three<h2>Four</h2><ul><li><em>five</em></ul><form>six</form><u>7</u>";
    let page = Features::lines(html);
    assert_eq!(page.codes("container.p"), [1, 0, 0, 0, 0]);
    assert_eq!(page.codes("container.a"), [1, 0, 0, 0, 0]);
    assert_eq!(page.codes("container.class-bold"), [1, 0, 0, 0, 0]);
    assert_eq!(page.codes("container.class-header"), [0, 1, 0, 0, 0]);
    assert_eq!(page.codes("container.class-list"), [0, 0, 1, 0, 0]);
    assert_eq!(page.codes("container.li"), [0, 0, 1, 0, 0]);
    assert_eq!(page.codes("container.class-italic"), [0, 0, 1, 0, 0]);
    assert_eq!(page.codes("container.class-form"), [0, 0, 0, 1, 0]);
    assert_eq!(page.codes("container.u"), [0, 0, 0, 0, 1]);
}

#[test]
fn alternative_text_stands_in_an_image() {
    let page = Features::of(
        "<p>text</p><img alt='a red house'>",
        Unit::Tag,
        FeatureConfig::victor(),
    );
    assert_eq!(page.codes("container.img"), [0, 1]);
}

#[test]
fn tags_between_blocks_are_counted() {
    let page = Features::of(
        "<p>one</p><p>two<br><br>three<hr>four <i>five</i>",
        Unit::Tag,
        FeatureConfig::victor(),
    );
    assert_eq!(page.codes("split.p")[1..], [2, 0, 1, 0]);
    assert_eq!(page.codes("split.br")[1..], [0, 2, 0, 0]);
    assert_eq!(page.codes("split.hr")[1..], [0, 0, 1, 0]);
    assert_eq!(page.codes("split.class-inline")[1..], [0, 0, 0, 1]);
}

#[test]
fn div_groups_are_those_of_the_thesis() {
    let html = "<div> a <div> b c </div> d <div> e f </div> g </div>";
    // a, d and g are three words of seven, b c and e f two each.
    assert_eq!(
        Features::lines(html).codes("div-group.word-ratio"),
        [4, 2, 4, 2, 4]
    );
    assert_eq!(Features::lines(html).codes("document.max-div-group"), [4; 5]);
    let linked = "<div>a b c</div><div>d <a>e f</a></div><p>g</p>";
    // Words inside <a> are in no group; g is in none.
    assert_eq!(Features::lines(linked).codes("div-group.word-ratio"), [6, 2, 0]);
}

#[test]
fn characters_and_tokens_by_class() {
    let page = Features::lines("<p>abc 12 x9 -- ?!");
    assert_eq!(page.codes("token.alpha-abs"), [1]);
    assert_eq!(page.codes("token.num-abs"), [1]);
    assert_eq!(page.codes("token.mix-abs"), [1]);
    assert_eq!(page.codes("token.other-abs"), [2]);
    assert_eq!(page.codes("token.other-rel"), [4]);
    // Of 15 characters 4 are letters, 3 digits, 4 punctuation, 4 white space.
    let shares =
        ["alpha", "num", "punct", "white", "other"].map(|class| page.codes(&format!("char.{class}-rel"))[0]);
    assert_eq!(shares, [2, 2, 2, 2, 0]);
}

#[test]
fn sentences_end_in_many_scripts() {
    for (text, count, begins, ends) in [
        ("One. Two? Three!", 3, 1, 1),
        ("version 1.2 of it", 0, 0, 0),
        ("He said \"no.\" Then left", 1, 1, 0),
        ("你好。世界！", 2, 1, 1),
        ("यह एक है। वह दो", 1, 1, 0),
        ("wait... what?!", 2, 0, 1),
        ("Úvod", 0, 1, 0),
        ("(see there.)", 1, 0, 1),
    ] {
        let page = Features::lines(&format!("<p>{text}"));
        assert_eq!(page.codes("sentence.count"), [count], "{text}");
        assert_eq!(
            (page.codes("sentence-begin")[0], page.codes("sentence-end")[0]),
            (begins, ends),
            "{text}"
        );
    }
}

#[test]
fn duplicates_have_the_same_letters() {
    let page = Features::lines("<p>Read more...<p>other<p>read  MORE 2<p>readmore");
    assert_eq!(page.codes("duplicate-count"), [2, 0, 2, 2]);
    assert_eq!(page.codes("first-duplicate"), [1, 0, 0, 0]);
}

#[test]
fn landmarks_by_element_and_role() {
    let html = "<nav><ul><li>Home</ul></nav><div role=main><p>Text</div><div role=contentinfo>Foot</div>";
    let page = Features::lines(html);
    assert_eq!(page.codes("landmark.nav"), [1, 0, 0]);
    assert_eq!(page.codes("landmark.footer"), [0, 0, 1]);
    assert_eq!(page.codes("landmark.main"), [0, 1, 0]);
    // One level below the main part, which is code 2 of -1, 0, 1; the others are outside.
    assert_eq!(page.codes("landmark.in-main"), [0, 2, 0]);
}

#[test]
fn keywords_by_distance() {
    let html = "<div class='blogComments'><div><p>one</p><div><div><div><p>two</div></div></div></div></div><p>three";
    assert_eq!(Features::lines(html).codes("keyword.comment"), [2, 3, 0]);
    assert_eq!(
        Features::lines("<p id=comment-3>one").codes("keyword.comment"),
        [1]
    );
}

#[test]
fn blocks_with_the_same_tags_and_classes_around_look_alike() {
    let items =
        "<ul><li class='item-1'><b>one</b><li class='item-22'>two<li class=other>three</ul><p>four</p>";
    let page = Features::lines(items);
    assert_eq!(page.columns.groups(), [0, 0, 1, 2]);
    // What stands nine elements up is not looked at.
    let deep = |class: &str| {
        format!(
            "<div class={class}>{}<p>text</p>{}</div>",
            "<div>".repeat(7),
            "</div>".repeat(7)
        )
    };
    let page = Features::lines(&(deep("a") + &deep("b")));
    assert_eq!(page.columns.groups(), [0, 0]);
    let near = |class: &str| format!("<div class={class}><p>text</p></div>");
    let page = Features::lines(&(near("a") + &near("b")));
    assert_eq!(page.columns.groups(), [0, 1]);
    let page = Features::of(items, Unit::Line, FeatureConfig::victor());
    assert!(page.columns.groups().is_empty(), "the thesis knows no classes");
}

#[test]
fn blocks_with_the_same_text_are_known_outside_of_tables_and_listings() {
    let texts = |html: &str| Features::lines(html).columns.texts().to_vec();
    // The same letters with other numbers are another text.
    assert_eq!(
        texts("<p>A 1<p>B<p>A 2<h2>A 1</h2><p>B<p>A 2"),
        [0, 1, 2, 0, 1, 2]
    );
    assert_eq!(
        texts("<table><tr><td>A<td>A<tr><td>A<td>B</table><p>A<p>A"),
        [0, 1, 2, 3, 4, 4]
    );
    assert_eq!(texts("<pre>A\nA</pre><p>A<pre>A</pre><p>A"), [0, 1, 2, 2, 2]);
    let page = Features::of("<p>A<p>A", Unit::Line, FeatureConfig::victor());
    assert!(page.columns.texts().is_empty(), "nothing is made of it");
}

/// What stands around a block, written out: the innermost eight elements from the block-level one on.
fn look(page: &Page, block: usize) -> Vec<String> {
    let element = |up: u32| &page.elements[up as usize];
    let is_inline = |&up: &u32| element(up).is_inline && element(up).parent != NONE;
    let around = page.ancestors(page.blocks[block].element).skip_while(is_inline);
    let class = |up: u32| page.attribute(up, Attr::Class).unwrap_or_default().to_owned();
    around
        .take(8)
        .map(|up| format!("{} {}", element(up).tag.name(), class(up)))
        .collect()
}

#[test]
fn links_are_shared_out_up_the_tree() {
    let page = Features::lines("<div><div><p>one two</p><p><a>three four</a></p></div></div>");
    assert_eq!(page.codes("link.block"), [0, 13]);
    assert_eq!(page.codes("link.parent"), [8, 8]);
    assert_eq!(page.codes("size.parent-words"), [2, 2]);
}

#[test]
fn values_go_to_the_largest_less_or_equal() {
    let config = FeatureConfig::from_toml("modules = ['split']\n[values]\n'split.br' = [1, 3]").unwrap();
    let page = Features::of(
        "<p>a<br>b<br><br>c<br><br><br>d<br><br><br><br>e",
        Unit::Line,
        config,
    );
    assert_eq!(page.codes("split.br"), [0, 0, 0, 1, 1]);
}

#[test]
fn configuration_survives_toml_and_has_a_fingerprint() {
    let config = FeatureConfig::default();
    assert_eq!(FeatureConfig::from_toml(&config.to_toml()).unwrap(), config);
    assert_eq!(FeatureConfig::from_toml("").unwrap(), config);
    let turned = FeatureConfig {
        modules: config.modules.iter().rev().copied().collect(),
        ..config.clone()
    };
    assert_eq!(
        (turned.fingerprint(), turned.columns()),
        (config.fingerprint(), config.columns())
    );
    let other = FeatureConfig::from_toml("[scales]\nposition = 5").unwrap();
    assert_ne!(other.fingerprint(), config.fingerprint());
    assert_eq!(other.scales.len(), config.scales.len());
}

/// Models that were trained before steps were counted have a limit in milliseconds, and none of steps.
#[test]
fn limits_are_the_runs_and_old_ones_are_read() {
    let default = FeatureConfig::default();
    let old = "[page.limits]\nbytes = 1000\ndepth = 512\nmilliseconds = 10000\n";
    let config = FeatureConfig::from_toml(old).unwrap();
    assert_eq!(config.page.limits.bytes, 1000);
    assert_eq!(config.page.limits.steps, default.page.limits.steps);
    assert_eq!(config.fingerprint(), default.fingerprint());
    let text = config.to_toml();
    assert!(
        text.contains("steps = ") && !text.contains("milliseconds"),
        "{text}"
    );
    assert_eq!(FeatureConfig::from_toml(&text).unwrap(), config);
    let error = FeatureConfig::from_toml("[page.limits]\nseconds = 1")
        .unwrap_err()
        .to_string();
    assert!(error.contains("unknown field `seconds`"), "{error}");
}

#[test]
fn what_is_wrong_with_a_configuration_is_said() {
    for (text, sentence) in [
        ("modules = ['splits']", "unknown variant `splits`"),
        ("more = 1", "unknown field `more`"),
        (
            "[values]\nposition = [1]",
            "has \"position\" in [values]: there is no such feature with values",
        ),
        ("[scales]\nnone = 1", "has \"none\" in [scales]"),
        (
            "[values]\n'split.p' = [2, 1]",
            "the values of feature split.p have to ascend",
        ),
        ("[values]\n'split.p' = []", "the values of feature split.p"),
        ("[scales]\nposition = 0", "the scale of feature position"),
        (
            "[regexps.bullet]\namong='all'\nbytes=1\npatterns=['a','b','c','d','e','f','g','h','i']",
            "too many expressions",
        ),
    ] {
        let error = FeatureConfig::from_toml(text).unwrap_err().to_string();
        assert!(error.contains(sentence), "{error}");
    }
    let bad = FeatureConfig::from_toml("[regexps.url]\namong='all'\nbytes=1\npatterns=['(']").unwrap();
    assert!(
        Extractor::new(bad)
            .err()
            .unwrap()
            .to_string()
            .contains("regexp.url")
    );
}

/// Pieces that random pages are made of.
#[test]
fn roots_and_microdata_show_the_kind_of_a_page() {
    let page = Features::lines(
        "<html class=no-js><head><link rel=prev href=/1><link rel=alternate type=application/rss+xml href=/feed></head>\
         <body class='single-product shop'><div itemscope itemtype='https://schema.org/Product'>A chair</div><p>Next to it",
    );
    for (name, code) in [
        ("root.product", 1),
        ("root.next", 1),
        ("root.feed", 1),
        ("root.post", 1),
        ("root.list", 0),
        ("root.search", 0),
        ("cue.data-product", 1),
        ("cue.data-article", 0),
    ] {
        assert_eq!(page.codes(name), [code; 2], "{name}");
    }
    // Those of other elements are the blocks' own.
    let inner = Features::lines("<div class=product><a rel=next href=/2>2</a></div>");
    assert_eq!(
        [inner.codes("root.product"), inner.codes("root.next")],
        [[0], [0]]
    );
}

const PIECES: [&str; 27] = [
    "<body class='single-post home'>",
    "<link rel='next up search' type=application/rss+xml>",
    "<div itemscope itemtype=https://schema.org/Product>",
    "<div class='post-7 sideBar'>",
    "</div>",
    "<p>",
    "<a href=x>",
    "</a>",
    "<br>",
    "<table><tr><td>",
    "</table>",
    "<h1>",
    "</h1>",
    "<ul><li>",
    "</ul>",
    "<main>",
    "<article id=a>",
    "</article>",
    "<meta property=og:type content=article>",
    "word ",
    "Some words. ",
    "5 May 2020, ",
    "你好。",
    "<img alt='an image'>",
    "<pre>a\nb</pre>",
    "<b>x",
    "\u{0} é",
];

/// Pages of pieces. They begin as HTML, for bytes of NUL alone are no page.
fn page() -> impl Strategy<Value = String> {
    let pieces = proptest::collection::vec(prop::sample::select(&PIECES[..]), 0..60);
    pieces.prop_map(|pieces| format!("<!doctype html>{}", pieces.concat()))
}

static EXTRACTOR: LazyLock<Extractor> =
    LazyLock::new(|| Extractor::new(FeatureConfig::default()).expect("defaults are sound"));

proptest! {
    #[test]
    fn codes_are_below_their_cardinality(html in page(), tag in any::<bool>()) {
        let unit = if tag { Unit::Tag } else { Unit::Line };
        let page = Features::with(&mut EXTRACTOR.clone(), &html, unit);
        let infos = page.config.columns();
        prop_assert_eq!(page.columns.columns(), infos.len());
        for (number, info) in infos.iter().enumerate() {
            let most = page.columns.column(number).iter().max();
            prop_assert!(most.is_none_or(|&most| u16::from(most) < info.cardinality), "{}", info.name);
        }
    }

    #[test]
    fn groups_are_those_of_what_stands_around(html in page(), tag in any::<bool>()) {
        let page = parse(&html, if tag { Unit::Tag } else { Unit::Line });
        let mut columns = Columns::default();
        EXTRACTOR.clone().extract(&page, "u", &mut columns);
        let looks: Vec<_> = (0..page.blocks.len()).map(|block| look(&page, block)).collect();
        prop_assert_eq!(columns.groups().len(), looks.len());
        for (group, own) in columns.groups().iter().zip(&looks) {
            for (other, others) in columns.groups().iter().zip(&looks) {
                prop_assert_eq!(group == other, own == others, "{:?} {:?}", own, others);
            }
        }
    }

    #[test]
    fn texts_are_those_of_the_first_that_has_them(html in page(), tag in any::<bool>()) {
        let page = parse(&html, if tag { Unit::Tag } else { Unit::Line });
        let mut columns = Columns::default();
        EXTRACTOR.clone().extract(&page, "u", &mut columns);
        let text = |block: usize| page.text(&page.blocks[block]);
        let counts = |block: usize| {
            let goes_on = block + 1 < page.blocks.len() && page.is_same_pre(block + 1);
            page.blocks[block].td == NONE && !page.is_same_pre(block) && !goes_on
        };
        for (block, &found) in columns.texts().iter().enumerate() {
            let is_same = |&before: &usize| counts(before) && text(before) == text(block);
            let first = (0..block).filter(|_| counts(block)).find(is_same);
            prop_assert_eq!(found as usize, first.unwrap_or(block), "{}", text(block));
        }
    }

    #[test]
    fn a_page_before_leaves_no_trace(one in page(), two in page()) {
        let mut extractor = EXTRACTOR.clone();
        let (mut first, mut again) = (Columns::default(), Columns::default());
        let (one, two) = (parse(&one, Unit::Line), parse(&two, Unit::Line));
        extractor.extract(&two, "u", &mut first);
        extractor.extract(&one, "v", &mut again);
        extractor.extract(&two, "u", &mut again);
        prop_assert_eq!(first, again);
    }
}

#[test]
fn query_evidence_is_given_where_the_module_is_on() {
    let config = FeatureConfig::from_toml("modules = ['query']").unwrap();
    let html = "<ul><li>Home<li>About</ul><div><p>A pear tree</p><p>Plums</p></div>";
    let mut extractor = Extractor::new(config.clone()).unwrap();
    let mut columns = Columns::default();
    let page = parse(html, Unit::Line);
    let column = |columns: &Columns, name: &str| {
        let at = config.columns().iter().position(|column| column.name == name);
        columns.column(at.unwrap()).to_vec()
    };
    extractor.extract(&page, "http://a.example/find?q=Pear", &mut columns);
    assert_eq!(column(&columns, "query.own"), [0, 0, 2, 0]);
    assert_eq!(column(&columns, "query.score-parent"), [0, 0, 1, 1]);
    extractor.extract_asking(&page, "http://a.example/", &Query::new(["plums"]), &mut columns);
    assert_eq!(column(&columns, "query.own"), [0, 0, 0, 2]);
    extractor.extract(&page, "http://a.example/", &mut columns);
    assert!(columns.column(0).iter().all(|&code| code == 0));
}

#[test]
fn surroundings_are_given_where_the_module_is_on() {
    assert!(
        !FeatureConfig::default().has(Module::Window),
        "off unless asked for"
    );
    let html = "<p>A Walk to the Lighthouse - Harbour News</p><p>Home</p><p>About Us</p>\
        <p>a walk to the lighthouse</p><p>There are two ways to the lighthouse.</p><p>A lighthouse</p>";
    let config = FeatureConfig::from_toml("modules = ['window']").unwrap();
    let features = Features::of(html, Unit::Line, config);
    assert_eq!(features.codes("window.before"), [0, 5, 1, 2, 4, 5]);
    assert_eq!(features.codes("window.behind-end"), [0, 0, 0, 1, 0, 0]);
    assert_eq!(features.codes("window.short-run"), [0, 3, 3, 3, 0, 1]);
    assert_eq!(features.codes("window.short-place"), [0, 0, 1, 2, 0, 0]);
    // The fourth has five of the first one's seven words, the last two.
    assert_eq!(features.codes("window.since-title"), [0, 0, 0, 1, 2, 3]);
    assert_eq!(features.codes("window.until-title"), [3, 3, 2, 1, 0, 0]);
    let (most, none) = (
        features.codes("window.capitals")[2],
        features.codes("window.capitals")[3],
    );
    assert_eq!((most, none), (11, 0));
}

#[test]
fn phrases_without_spaces_have_words_where_that_is_asked_for() {
    let html = "<p>灯台までの道は二つある。海沿いの道は短いが、潮が満ちると歩けない。</p><p><a href=/>道</a></p><p>two words</p>";
    let config = |unspaced| FeatureConfig {
        unspaced,
        ..FeatureConfig::default()
    };
    let (usual, asked) = (
        Features::of(html, Unit::Text, config(false)),
        Features::of(html, Unit::Text, config(true)),
    );
    for name in ["size.words", "token.alpha-abs"] {
        assert!(usual.codes(name)[0] < asked.codes(name)[0], "{name}");
    }
    assert_eq!(usual.codes("size.words")[1..], asked.codes("size.words")[1..]);
    assert_ne!(config(false).fingerprint(), config(true).fingerprint());

    let mut extractor = Extractor::new(config(true)).unwrap();
    extractor.extract(&parse(html, Unit::Line), "", &mut Columns::default());
    let counts: Vec<u32> = extractor.word_counts().collect();
    assert_eq!(counts, [3, 1, 2], "they are counted as in the tables");
}
