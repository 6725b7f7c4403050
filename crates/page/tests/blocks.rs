//! Blocks of small pages, written out.

use gleaner_html::{NONE, Tag};
use gleaner_page::{Page, PageConfig, Parser, Unit};

/// Parses with the given unit and hands the page to a check.
fn with_page<T>(unit: Unit, html: &str, check: impl FnOnce(&Page) -> T) -> T {
    let mut parser = Parser::new(PageConfig {
        unit,
        ..PageConfig::default()
    });
    check(
        parser
            .parse(html.as_bytes(), Some("text/html; charset=utf-8"))
            .expect("it is text"),
    )
}

fn texts(unit: Unit, html: &str) -> Vec<String> {
    let mut found = Vec::new();
    with_page(unit, html, |page| {
        found.extend(page.blocks.iter().map(|block| page.text(block).to_owned()));
    });
    found
}

fn lines(html: &str) -> Vec<String> {
    texts(Unit::Line, html)
}

#[test]
fn a_line_ends_at_block_level_tags_and_br() {
    assert_eq!(
        lines("<p>One <b>two</b>!<br>three<div>four</div>five"),
        ["One two!", "three", "four", "five"]
    );
}

#[test]
fn with_unit_tag_tags_between_words_end_a_block() {
    assert_eq!(
        texts(
            Unit::Tag,
            "<p>Hello <b>world</b>! Once (<i>or <b>H<sub>2</sub>O</b></i>)."
        ),
        ["Hello", "world!", "Once", "(or", "H2O)."]
    );
    let html = "<h1><span>T</span>he end</h1><p>\u{201c}<i>One</i>\u{201d}, <a>two</a>|<a>three</a> &mdash; <b>four</b>";
    assert_eq!(
        texts(Unit::Tag, html),
        [
            "The end",
            "\u{201c}One\u{201d},",
            "two|",
            "three \u{2014}",
            "four"
        ]
    );
}

#[test]
fn white_space_is_as_rendered() {
    assert_eq!(lines("<p> a \n\t b&nbsp;<i> c</i>d <i></i> e </p>"), ["a b cd e"]);
}

#[test]
fn lines_of_pre_are_blocks() {
    assert_eq!(lines("<pre>\none  1\n\ntwo</pre>"), ["one 1", "two"]);
}

/// The blocks as they are to be written, `|` between them.
fn written(html: &str) -> String {
    with_page(Unit::Line, html, |page| {
        let written: Vec<&str> = page.blocks.iter().map(|block| page.written(block)).collect();
        written.join("|")
    })
}

#[test]
fn preformatted_text_is_written_as_it_is() {
    let code = "<p>a  b</p><pre>\n\n{\n  if x  {\n\ty\n  }\n\n  z  \n}\n\n</pre><p>c  d";
    assert_eq!(written(code), "a b|{\n  if x  {|\ty\n  }\n|  z\n}|c d");
    // What begins or ends a box is no empty line, a break is one.
    let boxes = "<pre><div>a\n</div><div> b</div>;<div></div><br><br>c<div>\n</div></pre>";
    assert_eq!(written(boxes), "a| b\n;\n\n|c");
    // No line has a word: there is no block to be written.
    assert_eq!(written("<pre>+--+\n+--+</pre>a<pre> b</pre>"), "a| b");
    assert_eq!(written("<pre>a<pre>  b</pre>\n  }\n  c</pre>"), "a|  b|  }\n  c");
    // What is not in the source and parts words in a block does so here.
    let parted =
        "<pre>a&nbsp;&nbsp;b<select></select>c<img><img> d\u{ad}e<a href=x>f</a><a href=y>g</a></pre>";
    assert_eq!(written(parted), "a  b c def g");
    with_page(Unit::Tag, "<pre>a\n  b</pre>", |page| {
        let written: Vec<&str> = page.blocks.iter().map(|block| page.written(block)).collect();
        assert_eq!(written, ["a", "  b"]);
    });
}

#[test]
fn marks_that_lead_to_their_own_page_are_not_written() {
    let mark = "<a class=headerlink href='#x'>\u{b6}</a>";
    assert_eq!(
        written(&format!("<h2>See  also{mark}</h2><p>a</p>")),
        "See also|a"
    );
    assert_eq!(written(&format!("<h2><i>{mark}</i> See<b>n</b></h2>")), "Seen");
    assert_eq!(written(&format!("<p>a{mark}b <i>c</i>")), "a b c");
    // A link with a word, to elsewhere, or of several texts is none, nor is what stands by itself.
    for html in [
        "a<a href='#x'>1</a>",
        "a<a href=y#x>*</a>",
        "a<i>*</i>",
        "a<a href='#x'>*<b>b</b></a>",
    ] {
        assert_eq!(written(html), lines(html)[0], "{html}");
    }
    assert_eq!(written(&format!("<pre>a{mark}</pre>")), "a\u{b6}");
    assert_eq!(lines(&format!("<h2>a{mark}</h2>")), ["a\u{b6}"]);
}

#[test]
fn deleted_elements_do_not_end_a_line() {
    assert_eq!(
        lines("<p>one<script>x</script>two<svg><text>no</text></svg>three<select></select>four"),
        ["onetwo three four"]
    );
}

#[test]
fn alternative_text_of_images_is_text() {
    assert_eq!(lines("<p>a<img alt='b  c'>d<img>e"), ["a b c d e"]);
}

#[test]
fn a_block_without_a_word_is_dropped_but_its_tags_count() {
    with_page(Unit::Line, "<body><p>a</p><p>—</p><hr>b", |page| {
        let split: Vec<_> = page
            .split(&page.blocks[1])
            .iter()
            .map(|event| (event.tag, event.open))
            .collect();
        let p = [(Tag::P, false), (Tag::P, true), (Tag::P, false)];
        assert_eq!(split, [p[0], p[1], p[2], (Tag::Hr, true)]);
    });
}

#[test]
fn containers_are_known() {
    with_page(
        Unit::Line,
        "<div id=x><p>a</p><table><tr><td>b</table></div>c",
        |page| {
            let [a, b, c] = &page.blocks[..] else {
                panic!("three blocks")
            };
            assert_eq!(page.elements[a.div as usize].tag, Tag::Div);
            assert_eq!((a.td, c.div), (NONE, NONE));
            assert_eq!(page.elements[b.td as usize].tag, Tag::Td);
            assert_eq!(b.element, b.td);
        },
    );
}

#[test]
fn hidden_elements_are_marked() {
    let html =
        "<p hidden>a</p><p style='color:red; DISPLAY : none'>b</p><p aria-hidden=true><b>c</b></p><p>d";
    with_page(Unit::Line, html, |page| {
        let hidden: Vec<bool> = page.blocks.iter().map(|block| block.hidden).collect();
        assert_eq!(hidden, [true, true, true, false]);
    });
}

#[test]
fn the_largest_noscript_counts_when_the_page_is_empty_without_it() {
    let thread = "word ".repeat(60);
    assert_eq!(
        lines(&format!("<p>Loading</p><noscript><p>{thread}</p></noscript>")).len(),
        2
    );
    assert_eq!(
        lines(&format!(
            "<p>{}</p><noscript>{thread}</noscript>",
            thread.repeat(5)
        ))
        .len(),
        1
    );
    assert_eq!(lines("<p>Loading</p><noscript>please enable</noscript>").len(), 1);
}

/// As measuring scripts are often pasted: `<iframe>` is no element that ends by itself.
#[test]
fn a_frame_in_a_noscript_takes_no_more_than_the_noscript() {
    let frame = "<noscript><iframe src=x height=0 /></noscript>";
    assert_eq!(
        lines(&format!("<body>{frame}<p>one</p>{frame}<p>two")),
        ["one", "two"]
    );
    assert_eq!(lines(&format!("<head>{frame}</head><p>one")), ["one"]);
    let closed = "<noscript><iframe>a</iframe><style>b</style></noscript>";
    assert_eq!(
        lines(&format!("{closed}<p>one</p><iframe>two</iframe>three")),
        ["one", "three"]
    );
    // Outside of a noscript the standard holds.
    assert_eq!(
        lines(&format!("<p>one</p>{closed}<iframe /><p>two</p></noscript>three")),
        ["one"]
    );
}

#[test]
fn links_that_follow_one_another_are_apart() {
    let tags = "<a href=/1>Open Source</a><a href=/2>People</a><a href=/3>Data</a>";
    assert_eq!(lines(tags), ["Open Source People Data"]);
    assert_eq!(lines("<button>Yes</button><button>No</button>"), ["Yes No"]);
    // What a script does has no place that a link would lead to.
    assert_eq!(lines("<a>spam</a><a>dupe</a>"), ["spam dupe"]);
    assert_eq!(
        lines("<a href=#>agree</a><a href=#>dismiss</a>"),
        ["agree dismiss"]
    );
    let script = "<a href=javascript:show()>week</a>";
    assert_eq!(lines(&script.repeat(2)), ["week week"]);
    // One link in two pieces, a link and text, a place to jump to.
    assert_eq!(lines("<a href=/1>stud</a><a href=/1>ies</a>"), ["studies"]);
    assert_eq!(lines("<a href=/1>stud</a>ies"), ["studies"]);
    assert_eq!(lines("stud<a name=x></a><a href=/1>ies</a>"), ["studies"]);
}

#[test]
fn words_of_spans_that_styles_draw_apart_are_apart() {
    let spans = |first: &str, second: &str| {
        let html = format!("<span class=brand>{first}</span><span class=name>{second}</span>");
        lines(&html).concat()
    };
    assert_eq!(spans("Merrell", "Moab 3"), "Merrell Moab 3");
    assert_eq!(spans("<b>EUR</b>", "<i>86</i>"), "EUR 86");
    // A letter drawn large, marks, and scripts without spaces.
    assert_eq!(spans("T", "here"), "There");
    assert_eq!(spans("was:", "(12)"), "was:(12)");
    assert_eq!(spans("日本", "東京"), "日本東京");
    // Of one kind they may be pieces of a word, as a word processor cuts it.
    let alike = |first: &str, second: &str| {
        lines(&format!(
            "<span class=x>{first}</span><span class=x>{second}</span>"
        ))
        .concat()
    };
    assert_eq!(alike("child", "ren"), "children");
    assert_eq!(alike("2026", "1h 54m"), "2026 1h 54m");
    assert_eq!(lines("<span>Data</span><span>Feed</span>"), ["DataFeed"]);
    assert_eq!(
        lines("<label>Pads</label><span>158</span><a href=/2>All</a>"),
        ["Pads 158 All"]
    );
    assert_eq!(
        lines("<span>on Friday</span><button>Book</button>"),
        ["on Friday Book"]
    );
}

#[test]
fn names_and_numbers_of_other_elements_are_apart() {
    let html = "<p><a href=/1>Terry Sejnowski</a><em>Francis Crick Professor</em><time>2024</time></p>";
    assert_eq!(lines(html), ["Terry Sejnowski Francis Crick Professor 2024"]);
    assert_eq!(lines("<kbd>Ctrl</kbd><kbd>k</kbd>"), ["Ctrl k"]);
    // An ending, a letter, indices, what an editor has cut in two, what is in code.
    assert_eq!(lines("<em>Trooper</em><b>s</b>"), ["Troopers"]);
    assert_eq!(lines("<b>N</b><i>ASA</i>"), ["NASA"]);
    assert_eq!(
        lines("<i>CO</i><sub>2</sub><i>X</i><sup>2</sup><b>2</b>"),
        ["CO2X22"]
    );
    assert_eq!(lines("<em>Data</em><em>Feed</em>"), ["DataFeed"]);
    assert_eq!(lines("<code><i>data</i><b>Feed</b></code>"), ["dataFeed"]);
}

#[test]
fn sentences_and_brackets_are_apart_from_what_other_elements_begin_with() {
    let html = "<p><span>No more frying.</span><a href=/>Shop (all)</a><i>C#</i></p>";
    assert_eq!(lines(html), ["No more frying. Shop (all) C#"]);
    // Names of programs, initials, marks within a sentence, code.
    let name = "<span class=pre>json.</span><span class=name>Decoder</span>";
    assert_eq!(lines(name), ["json.Decoder"]);
    assert_eq!(lines("<b>D.</b><i>C</i><b>.com</b>"), ["D.C.com"]);
    assert_eq!(lines("<b>really?</b><i>)</i><b>what</b>"), ["really?)what"]);
    assert_eq!(
        lines("<code><b>list.</b><i>Map()</i><b>X</b></code>"),
        ["list.Map()X"]
    );
}

#[test]
fn controls_that_only_their_roles_tell_are_apart() {
    let tabs = |role: &str| {
        let tab = |name| format!("<span role={role}>{name}</span>");
        lines(&["C#", "(Core)", "go"].map(tab).concat()).concat()
    };
    assert_eq!(tabs("tab"), "C# (Core) go");
    assert_eq!(tabs("menuitem"), "C# (Core) go");
    assert_eq!(tabs("presentation"), "C#(Core)go");
    assert_eq!(lines("<a role=tab>a</a><a role=tab>b</a>"), ["a b"]);
}

#[test]
fn words_at_an_element_that_its_style_draws_as_a_box_are_apart() {
    let text = |style: &str| {
        lines(&format!(
            "by Matt Litwin<span style='{style}'>credit</span>and saw"
        ))
        .concat()
    };
    let apart = "by Matt Litwin credit and saw";
    assert_eq!(text("float:right"), apart);
    assert_eq!(text("color: red; Float : LEFT !important;"), apart);
    assert_eq!(text("display:block"), apart);
    assert_eq!(text("display: inline-block"), "by Matt Litwincreditand saw");
    assert_eq!(text("float:none;margin:left"), "by Matt Litwincreditand saw");
    assert_eq!(lines("<b style=float:left>W</b>hen all"), ["When all"]);
    assert_eq!(
        lines("<code>let<span style=float:left>ter</span></code>"),
        ["letter"]
    );
}

#[test]
fn code_is_not_parted_but_into_its_lines() {
    let words = "<span class=k>let</span><span class=n>ter</span>";
    assert_eq!(lines(&format!("<pre>{words}</pre>")), ["letter"]);
    assert_eq!(lines(&format!("<p><code>{words}</code>")), ["letter"]);
    let line = |words: &str| format!("<span class='line added'><i>{words}</i></span>");
    let code = [line("npm create"), line(""), line("cd project")].concat();
    assert_eq!(
        lines(&format!("<pre><code>{code}</code></pre>")),
        ["npm create", "cd project"]
    );
    let numbers = "<span class=line-number>1</span><span class=line-text>let x</span>";
    assert_eq!(lines(&format!("<pre>{numbers}</pre>")), ["1let x"]);
}

/// As React sends pages: parts that were not ready come at the end, hidden, and a script moves them.
#[test]
fn parts_that_come_later_stand_where_they_belong() {
    let placed = |html: &str| {
        with_page(Unit::Line, html, |page| {
            let text = |block| (page.text(block).to_owned(), block.hidden);
            page.blocks.iter().map(text).collect::<Vec<_>>()
        })
    };
    let shown = |texts: &[&str]| {
        texts
            .iter()
            .map(|&text| (text.to_owned(), false))
            .collect::<Vec<_>>()
    };
    let page = "<main><template id=\"B:0\"></template></main><footer>foot</footer>\
        <div hidden id=\"S:0\"><p>one</p><template id=\"P:a\"></template><p>three</p></div>\
        <script>$RC(\"B:0\",\"S:0\")</script><div hidden id=\"S:a\"><p>two</p></div>";
    assert_eq!(placed(page), shown(&["one", "two", "three", "foot"]));
    // A row of a table comes in one of its own.
    let table = "<table><tr><td>one</td></tr><template id=B:1></template></table>\
        <table hidden><tbody id=S:1><tr><td>two</td></tr></tbody></table>end";
    assert_eq!(placed(table), shown(&["one", "two", "end"]));
    // What never came, or has no place, stays as it is.
    let hidden = ("two".to_owned(), true);
    assert_eq!(
        placed("<template id=B:0></template><p>one<div hidden id=S:1>two</div>"),
        [("one".to_owned(), false), hidden.clone()]
    );
    assert_eq!(
        placed("<div hidden id=S:1>two<template id=B:1></template></div>"),
        [hidden]
    );
}

#[test]
fn title_and_structured_data_are_found() {
    let html =
        "<html lang=de><title> A\n B&amp;C</title><script type=application/ld+json>{\"a\":1}</script>x";
    with_page(Unit::Line, html, |page| {
        assert_eq!(page.title, "A B&C");
        assert_eq!(page.structured_data, ["{\"a\":1}"]);
        assert_eq!(page.attribute(0, gleaner_html::Attr::Lang), Some("de"));
    });
}

#[test]
fn elements_of_xml_end_where_they_begin() {
    let body = b"<html><head><script src='a'/><title/></head><body><div/><p>one<a id='b'/> two</p><b/>three";
    let mut parser = Parser::new(PageConfig::default());
    let mut lines = |content_type: &str| -> Vec<String> {
        let page = parser.parse(body, Some(content_type)).unwrap();
        page.blocks
            .iter()
            .map(|block| page.text(block).to_owned())
            .collect()
    };
    for xml in [
        "application/xhtml+xml; charset=utf-8",
        "text/XML",
        "application/xml",
    ] {
        assert_eq!(lines(xml), ["one two", "three"], "{xml}");
    }
    // As HTML all of it is a script.
    assert!(lines("text/html").is_empty());
}

#[test]
fn lines_of_a_text_are_blocks() {
    let mut parser = Parser::new(PageConfig::default());
    let page = parser
        .parse_text("one\r\n\n --\nzwei ä".as_bytes(), None)
        .unwrap();
    let lines: Vec<&str> = page.blocks.iter().map(|block| page.text(block)).collect();
    assert_eq!(lines, ["one", "zwei ä"]);
    assert_eq!(page.split(&page.blocks[1]).len(), 3);
}

#[test]
fn a_text_is_utf_8_though_a_character_of_it_is_broken() {
    let mut parser = Parser::new(PageConfig::default());
    let mut read = |bytes: &[u8], content_type: Option<&str>| {
        let page = parser.parse_text(bytes, content_type).unwrap();
        (
            page.charset,
            page.blocks
                .iter()
                .map(|block| page.text(block).to_owned())
                .collect::<String>(),
        )
    };
    let text = "Größe – “quoted” naïve café, été et à côté";
    let broken = [text.as_bytes(), b" \xff"].concat();
    assert_eq!(read(&broken, None), ("UTF-8", format!("{text} \u{fffd}")));
    assert_eq!(
        read(b"gr\xfc\xdfe aus der Stra\xdfe", Some("text/plain")),
        ("windows-1252", "grüße aus der Straße".into())
    );
    let declared = Some("text/plain; charset=iso-8859-2");
    assert_eq!(read(b"\xe8esky", declared), ("ISO-8859-2", "česky".into()));
    // A text may be about HTML.
    assert_eq!(read("<meta charset=koi8-r> ü".as_bytes(), None).0, "UTF-8");
}

#[test]
fn with_unit_text_nothing_is_known_of_the_tags() {
    let html = "<title>A title</title><ul hidden class=menu><li><a href=/>Home</a></ul><pre>let\n  x</pre>";
    with_page(Unit::Text, html, |page| {
        let lines: Vec<&str> = page.blocks.iter().map(|block| page.text(block)).collect();
        assert_eq!(lines, ["A title", "Home", "let", "x"]);
        assert_eq!(page.split(&page.blocks[1]).len(), 1, "no line is empty");
        assert!(page.plain && page.title.is_empty() && page.attributes.is_empty());
        assert!(
            page.blocks
                .iter()
                .all(|block| !block.hidden && block.element == 2)
        );
        assert_eq!(page.charset, "UTF-8");
        assert!((0..4).all(|block| !page.is_same_pre(block)));
    });
    with_page(Unit::Line, html, |page| {
        assert!(!page.plain && page.is_same_pre(2));
    });
}

/// What Common Crawl's extractor makes of pages, by the rules that its source states.
#[test]
fn with_unit_text_lines_are_those_of_wet_files() {
    for (html, expected) in [
        (
            "<a href=a>One</a><a href=b>Two</a> <a href=c>Three</a>",
            &["OneTwo Three"][..],
        ),
        ("<nav><a>One</a>\n<a>Two</a></nav>after", &["One Twoafter"]),
        (
            "<table><tr><td>a<td>b</tr><tr><th>c<th>d</table>",
            &["a b", "c", "d"],
        ),
        (
            "<label>Name</label><input>now<select><option>x<option>y</select>",
            &["Name now xy"],
        ),
        ("<p>a\t\u{a0}\n b<br>c<p>d", &["a b", "c", "d"]),
        (
            "<div hidden>a</div><noscript><p>b</noscript><textarea>c</textarea>",
            &["a", "b", "c"],
        ),
        (
            "<style>p{}</style>a<script>b</script>c<iframe>d</iframe>e",
            &["ac e"],
        ),
        (
            "a<svg><title>Logo</title><path/></svg>b<svg><style>.x{}</style></svg>",
            &["aLogo", "b"],
        ),
        ("<pre>a\n\tb</pre>", &["a", "b"]),
    ] {
        with_page(Unit::Text, html, |page| {
            let lines: Vec<&str> = page.blocks.iter().map(|block| page.text(block)).collect();
            assert_eq!(lines, expected, "{html}");
        });
    }
}

/// Bytes without order, as of compressed data.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 88_172_645_463_325_252_u64;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    (0..length).map(next).collect()
}

fn reason(body: &[u8], content_type: Option<&str>) -> Option<&'static str> {
    let mut parser = Parser::new(PageConfig::default());
    let page = parser.parse(body, content_type).err().map(|error| error.reason());
    let text = parser
        .parse_text(body, content_type)
        .err()
        .map(|error| error.reason());
    assert_eq!(page, text, "{:?}", String::from_utf8_lossy(body));
    page
}

#[test]
fn what_is_no_text_is_refused() {
    for known in [
        &b"%PDF-1.4 ..."[..],
        b"\r\n%PDF-1.4",
        b"\0\0\0\x18ftypmp42",
        b"BZh91AY&SY",
        b"CWS\x0b",
        b"RIFF....WAVE",
        b"{\\rtf1 a",
    ] {
        assert_eq!(
            reason(known, None),
            Some("not-a-page"),
            "{}",
            String::from_utf8_lossy(known)
        );
    }
    let mut tar = b"a.html".to_vec();
    tar.resize(257, 0);
    tar.extend(b"ustar");
    assert_eq!(reason(&tar, None), Some("not-a-page"));
    assert_eq!(reason(&[1, 2, 3, 0, 0, 0, 0, 5, 6], None), Some("binary-body"));
    for length in [64, 300, 6000] {
        for content_type in [
            None,
            Some("text/html; charset=utf-8"),
            Some("text/html; charset=gbk"),
            Some("a/b; charset=utf-16le"),
        ] {
            assert_eq!(
                reason(&noise(length), content_type),
                Some("binary-body"),
                "{length} {content_type:?}"
            );
        }
    }
    let marked = [b"\xff\xfe".as_slice(), &noise(6000)].concat();
    assert_eq!(reason(&marked, None), Some("binary-body"));
}

#[test]
fn texts_with_odd_bytes_are_read() {
    let utf16: Vec<u8> = "<p>text of a page".bytes().flat_map(|byte| [byte, 0]).collect();
    assert_eq!(reason(&utf16, Some("text/html; charset=utf-16le")), None);
    assert_eq!(reason(&utf16, None), None);
    let nuls = "<p>a\0 line\0 of a page\0\n".repeat(9);
    let printer = "\x1b[1mbold\x1b[0m\x0e and so on\x0f \x07 to the end of the line\n".repeat(9);
    for text in [
        nuls.as_str(),
        &printer,
        "",
        "a\x01",
        "BM is a letter pair",
        "MZ too",
        "ID3 tags",
        "Rar! and wOFF",
    ] {
        assert_eq!(reason(text.as_bytes(), None), None, "{text:?}");
    }
}

#[test]
fn controls_are_letters_of_windows_1252_or_no_letters() {
    let html = "<title>\u{93}Title\u{94}\x02</title>\
        <p>It\u{92}s \u{96} so\x01me\x1f \u{80}5\u{81}\u{85} &#147;x&#148; &#129;y&#7;<pre>a\u{91}\x08b\x7f</pre>";
    let expected = ["It’s – some €5… “x” y", "a‘b"];
    with_page(Unit::Line, html, |page| {
        let lines: Vec<&str> = page.blocks.iter().map(|block| page.text(block)).collect();
        assert_eq!(lines, expected);
        assert_eq!(page.written(&page.blocks[1]), "a‘b");
        assert_eq!(page.title, "“Title”");
    });
    let mut parser = Parser::new(PageConfig::default());
    let page = parser
        .parse_text("It\u{92}s\x01 \x02 \x1b[1mso\u{9d}\x0cend".as_bytes(), None)
        .unwrap();
    assert_eq!(page.text(&page.blocks[0]), "It’s [1mso end");
    let latin = parser
        .parse(b"<p>It\x92s \x80 5", Some("text/html; charset=iso-8859-1"))
        .unwrap();
    assert_eq!(latin.text(&latin.blocks[0]), "It’s € 5");
}
