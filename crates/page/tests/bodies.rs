//! What bodies are read as: pages of HTML, of XML, plain texts, or nothing at all.

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
