use super::*;
use gleaner_page::{PageConfig, Parser};

fn of(html: &str, url: &str, test: impl FnOnce(&Metadata<'_>)) {
    let mut parser = Parser::new(PageConfig::default());
    let page = parser
        .parse(html.as_bytes(), Some("text/html; charset=utf-8"))
        .unwrap();
    test(&metadata(page, &Context { url, captured: None }));
}

fn day(found: &Metadata<'_>) -> Option<String> {
    found.published.map(|published| published.day.to_string())
}

/// The day and the authors of a page without an address.
fn stated(html: &str) -> (String, String) {
    let mut stated = Default::default();
    of(html, "", |found| {
        stated = (day(found).unwrap_or_default(), found.authors.join("|"))
    });
    stated
}

const PROSE: &str = "<p>The tide mill turned all night, and no one on the quay had filled the lamp since the long and stormy spring, \
    when the boats of the village had been laid up in the harbour behind the wall.</p>";

#[test]
fn the_day_is_that_of_first_publication_or_none() {
    for (lang, line, wanted) in [
        (
            "en",
            "<p>Updated <time datetime=2024-05-06>6 May</time> · First published <time datetime=2021-03-04>4 March</time></p>",
            "2021-03-04",
        ),
        (
            "en",
            "<p>Published 4 March 2021, updated 6 May 2024</p>",
            "2021-03-04",
        ),
        ("en", "<p>Last updated: 6 May 2024</p>", ""),
        (
            "en",
            "<p>Last updated: <time datetime=2024-05-06>6 May</time></p>",
            "",
        ),
        ("en", "<p class=date>Updated 6 May 2024</p>", ""),
        (
            "en",
            "<div><span>Modified</span><p><time datetime=2024-05-06>6 May</time></div>",
            "",
        ),
        ("en", "<time class=updated datetime=2024-05-06>6 May</time>", ""),
        (
            "en",
            "<time class='entry-date published updated' datetime=2021-03-04>4 March</time>",
            "2021-03-04",
        ),
        (
            "en",
            "<abbr class=published title=2021-03-04T10:00>4 March</abbr>",
            "2021-03-04",
        ),
        (
            "en",
            "<span property='schema:datePublished' content='March 4, 2021'>then</span>",
            "2021-03-04",
        ),
        (
            "en",
            "<i class=hidden><i itemprop=datePublished>2021-03-04</i></i>",
            "2021-03-04",
        ),
        (
            "en",
            "<time datetime='Thu, 04 Mar 2021 10:00:00 GMT'>then</time>",
            "2021-03-04",
        ),
        ("de", "<p>Zuletzt aktualisiert am 6. Mai 2024</p>", ""),
        (
            "de",
            "<p>Veröffentlicht am 4. März 2021, aktualisiert am 6. Mai 2024</p>",
            "2021-03-04",
        ),
        ("fr", "<p>Mis à jour le 6 mai 2024</p>", ""),
        (
            "fr",
            "<p>Publié le 4 mars 2021 | Mis à jour le 6 mai 2024</p>",
            "2021-03-04",
        ),
        ("es", "<p>Actualizado el 6 de mayo de 2024</p>", ""),
        ("ru", "<p>Обновлено 6 мая 2024</p>", ""),
        (
            "ja",
            "<p>公開日：2021年3月4日　最終更新日：2024年5月6日</p>",
            "2021-03-04",
        ),
        ("ja", "<p>更新日：2024年5月6日</p>", ""),
        ("ja", "<p>2021.03.04 公開 / 2024.05.06 更新</p>", "2021-03-04"),
        ("tr", "<p>6 Mayıs 2024 tarihinde güncellendi</p>", ""),
        ("hu", "<p class=date>2021. április 4.</p>", "2021-04-04"),
        ("en", "<p>Magazine 12, 2019</p>", ""),
        ("en", "<p>Mars 12, 2019</p>", ""),
        ("fi", "<p class=date>4. marraskuuta 2021</p>", "2021-11-04"),
        ("en", "<p>Accessed 4 March 2021</p>", ""),
    ] {
        let html = format!("<html lang={lang}><title>The mill</title><h1>The mill</h1>{line}{PROSE}{PROSE}");
        assert_eq!(stated(&html).0, wanted, "{line}");
    }
}

#[test]
fn numbers_that_count_and_last_days_are_not_the_day_of_publication() {
    for (lang, line, wanted) in [
        ("en", "<p>No. 3, May 2024</p>", ""),
        ("en", "<p>Vol. 12, No. 4 (June 2023)</p>", ""),
        ("en", "<p>No. 3, 6 May 2024</p>", "2024-05-06"),
        ("en", "<p>Due 30 June 2024</p>", ""),
        ("en", "<p class=date>Deadline: 30 June 2024</p>", ""),
        ("en", "<p>Deadline</p><p>30 June 2024</p>", ""),
        ("en", "<dl><dt>Applications close on<dd>30 June 2024</dl>", ""),
        (
            "en",
            "<p>Registration until <time datetime=2024-06-30>30 June</time></p><p>Posted 6 May 2024</p>",
            "2024-05-06",
        ),
        ("de", "<p>Anmeldung bis 30. Juni 2024</p>", ""),
        ("de", "<p>Bewerbungsschluss: 30.06.2024</p>", ""),
        ("fr", "<p>Date limite : 30 juin 2024</p>", ""),
        ("es", "<p>Inscripciones hasta el 30 de junio de 2024</p>", ""),
        ("ja", "<p>2024年6月30日まで</p>", ""),
        ("zh", "<p>截止日期：2024年6月30日</p>", ""),
        ("ko", "<p>마감: 2024년 6월 30일</p>", ""),
    ] {
        let html = format!("<html lang={lang}><title>The mill</title><h1>The mill</h1>{line}{PROSE}{PROSE}");
        assert_eq!(stated(&html).0, wanted, "{line}");
    }
    let html = format!(
        "<html lang=en><title>A new deadline</title><h1>A new deadline</h1><p>6 May 2024</p>{PROSE}{PROSE}"
    );
    assert_eq!(stated(&html).0, "2024-05-06");
}

#[test]
fn the_day_of_the_masthead_counts_last() {
    let text = PROSE.repeat(3);
    let today = "<div class=date>Thursday, November 27, 2025</div>";
    let byline = "<p>By Mia Holt | May 6, 2024</p>";
    for (html, wanted) in [
        (
            format!("{today}<article><h1>The mill</h1><p class=byline>May 6, 2024</p>{text}</article>"),
            "2024-05-06",
        ),
        (
            format!("{today}<article><h1>The mill</h1>{byline}{text}</article>"),
            "2024-05-06",
        ),
        (
            format!("{today}<main><h1>The mill</h1><p>6 May 2024</p>{text}</main>"),
            "2024-05-06",
        ),
        (
            format!(
                "<header><time datetime=2025-11-27>Today</time></header><h1>The mill</h1><p class=date>6 May 2024</p>{text}"
            ),
            "2024-05-06",
        ),
        (format!("{today}<h1>The mill</h1>{byline}{text}"), "2024-05-06"),
        // The day above a title is the page's where there is no other.
        (
            format!("<div class=date>May 6, 2024</div><article><h1>The mill</h1>{text}</article>"),
            "2024-05-06",
        ),
        (
            format!(
                "<article><div class=date>May 6, 2024</div><h1>The mill</h1><p>7 May 2024</p>{text}</article>"
            ),
            "2024-05-06",
        ),
    ] {
        let html = format!("<html lang=en><title>The mill</title>{html}");
        assert_eq!(stated(&html).0, wanted, "{html}");
    }
}

#[test]
fn the_text_decides_which_number_is_the_month() {
    let german = "<p>Die Mühle auf dem Hügel wurde aus den Steinen der alten Brücke gebaut und ist an jedem Sonntag für alle offen.</p>";
    for (lang, text, line, wanted) in [
        ("en-US", german, "07.05.2019", "2019-05-07"),
        ("en-US", german, "07/05/2019", "2019-05-07"),
        ("en-US", PROSE, "07/05/2019", "2019-07-05"),
        ("de", PROSE, "07/05/2019", "2019-07-05"),
        ("en", PROSE, "07.05.2019", "2019-05-07"),
    ] {
        let html = format!(
            "<html lang={lang}><title>Mill</title><h1>Mill</h1><p class=date>{line}</p>{}",
            text.repeat(4)
        );
        assert_eq!(stated(&html).0, wanted, "{lang} {line}");
    }
}

#[test]
fn days_of_comments_teasers_and_footers_are_not_the_pages() {
    let comment = "<time datetime=2022-01-02>2 January 2022</time><p>I agree.</p>";
    for rest in [
        format!("<div class=comments>{comment}</div>"),
        format!("<ol class=commentlist><li id=comment-7>{comment}</ol>"),
        format!("<section id=disqus>{comment}</section>"),
        format!("<div class=related-posts>{comment}</div>"),
        format!("<aside>{comment}</aside>"),
        format!("<article class=teaser><h3>Other</h3>{comment}</article>"),
        format!("<article><h3>Other</h3>{comment}</article><article><h3>More</h3>{comment}</article>"),
        format!("<div class=site-footer>{comment}</div>"),
        format!("<ul><li><a href=/b>Another story of the mill</a> {comment}</ul>"),
        "<div><div><h4>Another story</h4><span class=date>2 January 2022</span></div></div>".to_owned(),
        format!("<h3>2 Comments</h3><div><b>Ann</b> {comment}</div>"),
        "<h3>Kommentare (2)</h3><div><b>Ann</b> <span class=date>2.1.2022</span></div>".to_owned(),
        "<footer>Last deployed 2022-01-02</footer>".to_owned(),
        "<div>© 2022 Society, 2022-01-02</div>".to_owned(),
        "<div class=event-date>Next open day: 12 December 2031</div>".to_owned(),
    ] {
        let html = format!("<html lang=en><title>The mill</title><h1>The mill</h1>{PROSE}{rest}");
        assert_eq!(stated(&html).0, "", "{rest}");
    }
}

#[test]
fn a_day_behind_a_summary_is_the_pages_but_in_a_box_of_another_page() {
    for (line, wanted) in [
        (
            "<ul><li>Ann Lee<li class=post-date>4 March 2021</ul>",
            "2021-03-04",
        ),
        (
            "<div class=author-box><h4 class=author-name>Ann Lee</h4><span class=date>4 March 2021</span></div>",
            "2021-03-04",
        ),
        (
            "<div class=post-card__meta><i>Ann Lee</i> | <span class=date>4 March 2021</span></div>",
            "2021-03-04",
        ),
        (
            "<div class=post-card><a href=/b>Sea</a> | <span class=date>4 March 2021</span></div>",
            "",
        ),
        ("<div><h4>Published</h4><p>4 March 2021</p></div>", "2021-03-04"),
        ("<div><h4>Last change</h4><p>4 March 2021</p></div>", ""),
        (
            "<article><h3>Wheel</h3><span class=date>4 March 2021</span></article>",
            "",
        ),
    ] {
        let html =
            format!("<html lang=en><title>The mill</title><h1>The mill</h1>{PROSE}{PROSE}{line}{PROSE}");
        assert_eq!(stated(&html).0, wanted, "{line}");
    }
}

#[test]
fn the_only_day_with_a_label_of_publication_is_it() {
    let text = PROSE.repeat(4) + &"<p>A short line.</p>".repeat(30);
    for (lines, wanted) in [
        ("<p>Published 4 March 2021</p>", "2021-03-04"),
        ("<p>Published<p>4 March 2021", "2021-03-04"),
        ("<p>Published 4 March 2021, updated 6 May 2024</p>", "2021-03-04"),
        ("<p>Published<p>in Bergen before 4 March 2021", ""),
        ("<p>Published 4 March 2021<p>Published 6 May 2024", ""),
        ("<div class=comments><p>Published 4 March 2021</p></div>", ""),
        ("<p>4 March 2021</p>", ""),
    ] {
        let html =
            format!("<html lang=en><title>The mill</title><h1>The mill</h1>{text}{lines}{PROSE}{PROSE}");
        assert_eq!(stated(&html).0, wanted, "{lines}");
    }
}

#[test]
fn a_line_behind_the_text_may_have_the_day() {
    for (line, wanted) in [
        (
            "<div class=postmeta>Geschrieben am Samstag, 7. Februar 2009 um 21:13 Uhr</div>",
            "2009-02-07",
        ),
        (
            "<div class=post-footer><span class=post-timestamp>Donnerstag, 31. März 2016, 15:55 Uhr</span></div>",
            "2016-03-31",
        ),
        ("<footer><p>Veröffentlicht am 7. Februar 2009</footer>", ""),
    ] {
        let html = format!(
            "<html lang=de><title>Die Mühle</title><div class=post><h2>Die Mühle</h2>{PROSE}{PROSE}{PROSE}{line}</div>"
        );
        assert_eq!(stated(&html).0, wanted, "{line}");
    }
}

#[test]
fn heads_state_days_in_many_forms() {
    for (head, wanted) in [
        (
            "<meta name=citation_publication_date content='2 January 2023'>",
            "2023-01-02",
        ),
        (
            "<meta property='article:published_time' content='1672653600'>",
            "2023-01-02",
        ),
        (
            "<meta name=date content='Mon Jan  2 10:00:00 UTC 2023'>",
            "2023-01-02",
        ),
        ("<meta name=w-published-date content=2023-01-02>", "2023-01-02"),
        ("<meta name=last-published-date content=2023-01-02>", ""),
        ("<meta property='article:modified_time' content='2023-01-02'>", ""),
        ("<meta property='og:updated_time' content='2023-01-02'>", ""),
        (
            "<script type=application/ld+json>{\"@type\":\"NewsArticle\",\"datePublished\":\"Jan 2, 2023 10:00 AM\"}</script>",
            "2023-01-02",
        ),
        (
            "<script type=application/ld+json>{\"@type\":\"NewsArticle\",\"datePublished\":[\"2023-01-02\"]}</script>",
            "2023-01-02",
        ),
        (
            "<script type=application/ld+json>{\"@type\":\"NewsArticle\",\"dateModified\":\"2023-01-02\"}</script>",
            "",
        ),
    ] {
        assert_eq!(
            stated(&format!("<html lang=en>{head}<h1>T</h1>{PROSE}")).0,
            wanted,
            "{head}"
        );
    }
}

#[test]
fn no_day_is_later_than_a_day_after_the_capture() {
    let html = "<title>T</title><meta name=date content=2021-03-05><h1>T</h1><p>4 March 2021<p>Text";
    let mut parser = Parser::new(PageConfig::default());
    let page = parser.parse(html.as_bytes(), None).unwrap();
    let published = |captured: Option<Day>| {
        let found = metadata(page, &Context { url: "", captured });
        day(&found).unwrap_or_default()
    };
    assert_eq!(published(None), "2021-03-05");
    assert_eq!(published(Day::new(2021, 3, 4)), "2021-03-05");
    assert_eq!(published(Day::new(2021, 3, 3)), "2021-03-04");
    assert_eq!(published(Day::new(2021, 3, 1)), "");
}

#[test]
fn controls_are_letters_of_windows_1252_or_no_letters() {
    let html = "<title>\u{93}Title\u{94}\x02</title><meta name=author content='Ann\x07 O\u{92}Hara'><p>Text";
    of(html, "", |found| {
        assert_eq!(found.title.as_deref(), Some("“Title”"));
        assert_eq!(found.authors, ["Ann O’Hara"]);
    });
}

#[test]
fn values_that_the_page_does_not_show_are_metadata() {
    let author =
        "<div class=hidden><i itemprop=author itemscope><b><i itemprop=name>Ada Lovelace</i></b></i></div>";
    let html = format!("<h1>The mill</h1>{author}<i hidden itemprop=author><b>Jon Ek</b></i>{PROSE}");
    assert_eq!(stated(&html).1, "Ada Lovelace");
}

#[test]
fn authors_are_lists_of_persons() {
    let data = |author: &str| {
        format!(
            "<script type=application/ld+json>{{\"@type\":\"Article\",\"author\":{author},\"publisher\":{{\"name\":\"Mill Gazette\"}}}}</script>"
        )
    };
    let two = data(
        r#"[{"@type":"Person","givenName":"Ada","familyName":"Lovelace"},{"@type":"Person","name":"Jon Ek"}]"#,
    );
    let one = data(r#"{"@type":"Person","name":"Jon Ek"}"#);
    for (html, wanted) in [
        (format!("<meta name=author content='Ada Lovelace'>{two}"), "Ada Lovelace|Jon Ek"),
        (format!("<meta name=author content='Mill Gazette'>{one}"), "Jon Ek"),
        (format!("<meta name=author content='Ada Lovelace'>{one}"), "Ada Lovelace"),
        (data(r#"{"@type":"Organization","name":"Mill Gazette"}"#), "Mill Gazette"),
        ("<meta name=citation_author content='Lovelace, Ada'><meta name=citation_author content='Ek, Jon'>".to_owned(), "Lovelace, Ada|Ek, Jon"),
        ("<meta name=author content='Oleh Kovalchuk'>".to_owned(), "Oleh Kovalchuk"),
        ("<h1>T</h1><p class=byline>By <a href=/a>Ilva Brandt</a> and <a href=/b>Jon Ek</a></p>".to_owned(), "Ilva Brandt|Jon Ek"),
        ("<h1>T</h1><p class=byline>By <a href=/a>Ilva Brandt</a> in <a href=/b>Sea News</a></p>".to_owned(), "Ilva Brandt"),
        ("<h1>T</h1><p>By <a rel=author href=/a>Ilva Brandt</a>, <a rel=author href=/b>Jon Ek</a></p>".to_owned(), "Ilva Brandt|Jon Ek"),
        ("<h1>T</h1><p class=author>By <a rel=author href=/a>Mia Holt</a> | <a rel=author href=mailto:x>Email the author</a></p>".to_owned(), "Mia Holt"),
        ("<h1>T</h1><div class=author><div>Staff Writer</div><div>Mia Holt</div></div>".to_owned(), "Mia Holt"),
        ("<h1>T</h1><div class=byline><a href=/a>Mia Holt</a> <a href=/f>Follow</a></div>".to_owned(), "Mia Holt"),
        ("<h1>T</h1><div class=author><b>Mia Holt</b> <i>Photographer</i> <button>Follow</button></div>".to_owned(), "Mia Holt"),
        ("<meta name=author content='Mia Holt, Senior Reporter'>".to_owned(), "Mia Holt"),
        ("<meta name=author content='Staff Writer'><h1>T</h1><p class=byline>By Mia Holt</p>".to_owned(), "Mia Holt"),
        ("<h1>T</h1><p>By Ilva Brandt and Jon Ek | 4 March 2021</p>".to_owned(), "Ilva Brandt|Jon Ek"),
        ("<h1>T</h1><span class=author><a rel=author href=/a>Archives : admin</a></span>".to_owned(), ""),
        ("<h1>T</h1><span class=author><a rel=author href=/a>Archives : Ilva Brandt</a></span>".to_owned(), "Ilva Brandt"),
    ] {
        assert_eq!(stated(&format!("<html lang=en>{html}{PROSE}")).1, wanted, "{html}");
    }
}

fn title(html: &str) -> Option<String> {
    let mut title = None;
    of(html, "https://www.lanterna-walks.example/a", |found| {
        title = found.title.as_deref().map(str::to_owned);
    });
    title
}

#[test]
fn a_head_is_read() {
    let html = r#"<html lang="en-GB"><head><title>Short | Site</title>
        <meta property="og:title" content="Short"><meta name=author content="https://x.example/a">
        <meta name="date" content="2021-03-04"><meta property="article:published_time" content="2021-03-05T10:00">
        <script type="application/ld+json">{"author": {"name": "Jan Novak"}}</script></head><body><p>Text"#;
    of(html, "", |found| {
        assert_eq!(found.title.as_deref(), Some("Short"));
        assert_eq!(found.authors, ["Jan Novak"]);
        assert_eq!(day(found).as_deref(), Some("2021-03-05"));
        assert_eq!(found.language.as_deref(), Some("en"));
    });
}

#[test]
fn a_heading_that_agrees_is_the_title() {
    let html = "<title>The tide mill turns - Science - Lanterna Walks</title><h1>Lanterna Walks</h1><h1>The Tide Mill turns</h1>";
    assert_eq!(title(html).as_deref(), Some("The Tide Mill turns"));
    let html = "<title>Harbour life | Lanterna Walks</title><h1>Lanterna Walks</h1><h1>Something else</h1>";
    assert_eq!(title(html).as_deref(), Some("Harbour life"));
    let html = "<title>灯台の歩き方_散歩新聞</title><h1>灯台の歩き方</h1><h1>他の記事</h1>";
    assert_eq!(title(html).as_deref(), Some("灯台の歩き方"));
}

#[test]
fn the_name_of_the_site_is_cut_off() {
    let cut = |head: &str| title(&format!("<title>{head}</title><p>text")).unwrap();
    assert_eq!(cut("Walks by night » Lanterna Walks"), "Walks by night");
    assert_eq!(
        cut("Lanterna Walks: a-b - Walks by day and by night"),
        "Walks by day and by night"
    );
    assert_eq!(cut("lanterna-walks – Walks by night"), "Walks by night");
    assert_eq!(cut("One-word | Two words here"), "One-word | Two words here");
    assert_eq!(cut("灯台の歩き方-散歩"), "灯台の歩き方-散歩");
    assert_eq!(cut("| |"), "| |");
}

#[test]
fn numbers_of_parts_and_ranges_stay() {
    for head in [
        "How to build a birdhouse - Part 2",
        "Timetable 2024 - 2025",
        "The long road - Volume IV",
        "Fahrplan | Teil 3",
    ] {
        assert_eq!(
            title(&format!("<title>{head}</title><p>text")).as_deref(),
            Some(head)
        );
    }
}

#[test]
fn the_only_heading_replaces_a_placeholder() {
    for head in [
        "Untitled Document",
        "New Page 1",
        "Startseite",
        "無題ドキュメント",
        "React App",
    ] {
        let html = format!("<title>{head}</title><h1>The tide mill turns</h1><p>text");
        assert_eq!(title(&html).as_deref(), Some("The tide mill turns"));
        assert_eq!(
            title(&format!("<title>{head}</title><p>text")).as_deref(),
            Some(head)
        );
    }
    let html = "<title>Documents of the mill</title><h1>Opening hours</h1><p>text";
    assert_eq!(title(html).as_deref(), Some("Documents of the mill"));
}

#[test]
fn quotation_marks_do_not_cut_a_title() {
    for head in [
        "«Laterne» brennt wieder",
        "»Laterne« brennt wieder",
        "« Laterne » brûle encore",
        "Die „Laterne – alt und neu“",
        "“Lamps | by night” and other songs",
        "\"Lamps - by night\" and other songs",
        "「灯台－夜」の歩き方",
    ] {
        assert_eq!(
            title(&format!("<title>{head}</title><p>text")).as_deref(),
            Some(head)
        );
        let with_site = format!("<title>{head} | Lanterna Walks</title><p>text");
        assert_eq!(title(&with_site).as_deref(), Some(head));
    }
    let cut = |head: &str| title(&format!("<title>{head}</title><p>text")).unwrap();
    assert_eq!(
        cut("Walks by night » Harbour » Lanterna Walks"),
        "Walks by night » Harbour"
    );
    assert_eq!(cut("Walks by night « Lanterna Walks"), "Walks by night");
    assert_eq!(cut("A 12\" lamp - Lanterna Walks"), "A 12\" lamp");
}

#[test]
fn the_name_of_the_site_is_no_title_of_a_page_with_a_heading() {
    let name = "<meta property=og:site_name content='Mill Gazette'>";
    for (html, wanted) in [
        (
            "<meta property=og:title content='Mill Gazette'><title>Lamps by night | Mill Gazette</title>",
            "Lamps by night",
        ),
        (
            "<meta property=og:title content=Home><title>Lamps by night | Mill Gazette</title>",
            "Lamps by night",
        ),
        (
            "<title>Mill Gazette</title><h1>Lamps by night</h1>",
            "Lamps by night",
        ),
        (
            "<title>Home | Mill Gazette</title><h1>Lamps by night</h1>",
            "Lamps by night",
        ),
        (
            "<title>Mill Gazette</title><h1>Mill Gazette</h1><h1>Lamps by night</h1>",
            "Lamps by night",
        ),
        (
            "<title>Mill Gazette</title><h1><a href=/>Mill Gazette</a></h1><h2>Lamps by night</h2>",
            "Lamps by night",
        ),
        (
            "<title>Etusivu - Mill Gazette</title><h2>Lamps by night</h2><nav><h2>Menu</h2></nav>",
            "Lamps by night",
        ),
        (
            "<a href=/>Mill Press</a><title>Mill Press</title><h2>Lamps by night</h2>",
            "Lamps by night",
        ),
        (
            "<title>Mill Gazette</title><h1>Mill Gazette</h1><h2>Lamps</h2><h2>Mills</h2>",
            "Mill Gazette",
        ),
        ("<title>Mill Gazette</title>", "Mill Gazette"),
    ] {
        assert_eq!(
            title(&format!("{name}{html}{PROSE}")).as_deref(),
            Some(wanted),
            "{html}"
        );
    }
    let publisher = r#"<script type=application/ld+json>{"@type": "Article", "publisher": {"name": "Mill Gazette"}}</script>"#;
    let html =
        format!("{publisher}<meta property=og:title content='Mill Gazette'><h1>Lamps by night</h1><p>text");
    assert_eq!(title(&html).as_deref(), Some("Lamps by night"));
    of(
        "<title>Mill</title><h1>Lamps by night</h1>",
        "https://mill.example/",
        |found| {
            assert_eq!(found.title.as_deref(), Some("Mill"));
        },
    );
}

#[test]
fn without_a_title_a_heading_is_one_and_without_both_nothing() {
    assert_eq!(title("<h1>Alone</h1><p>text").as_deref(), Some("Alone"));
    assert_eq!(title("<p>text"), None);
}

#[test]
fn marked_elements_name_author_and_day() {
    let html = r#"<title>T</title><div class="comment"><a rel=author>Mallory</a><time datetime=2001-01-01>x</time></div>
        <h1>T</h1><p class="post-byline">By <span>Ada Lovelace</span> | <span class="postDate">1. května 2024</span></p><p>text"#;
    of(html, "", |found| {
        assert_eq!(found.authors, ["Ada Lovelace"]);
        assert_eq!(day(found).as_deref(), Some("2024-05-01"));
    });
    let html = "<h1>T</h1><p>Something by Nemo, of 1 May 2024";
    of(html, "https://a.example/2023/02/03/t", |found| {
        assert!(found.authors.is_empty());
        assert_eq!(day(found).as_deref(), Some("2023-02-03"));
    });
}

#[test]
fn a_line_beside_the_heading_may_be_a_byline() {
    let byline = "<p>Von Ada Lovelace</p><p>By Ada Lovelace, 1 May 2024</p>";
    of(&format!("<h1>T</h1>{byline}<p>text"), "", |found| {
        assert_eq!(found.authors, ["Ada Lovelace"]);
        assert_eq!(day(found).as_deref(), Some("2024-05-01"));
    });
    let text = "<p>Some more text.</p>".repeat(9);
    of(&format!("<h1>T</h1>{text}{byline}"), "", |found| {
        assert!(found.authors.is_empty() && found.published.is_none());
    });
}

proptest::proptest! {
    /// Whatever stands where titles, bylines, dates and JSON do: no panic, and nothing without an end.
    #[test]
    fn any_page_says_something_or_nothing(
        parts in proptest::collection::vec((0..9usize, "[\\PC\u{0}-\u{20}]{0,30}|(By|Von|作者)? ?[A-Zİß]{0,9}[-|:•年月日. 0-9]{0,12}"), 0..12),
        url in "\\PC{0,20}|https://[a-zİ.-]{0,12}/[0-9/-]{0,14}",
    ) {
        let part = |(kind, text): &(usize, String)| match kind {
            0 => format!("<title>{text}</title>"),
            1 => format!("<h1>{text}</h1>"),
            2 => format!("<meta property=og:title content='{text}'>"),
            3 => format!("<p class='postDate author'>{text}</p>"),
            4 => format!("<time datetime='{text}'>{text}</time>"),
            5 => format!("<script type=application/ld+json>{{\"author\": \"{text}\", \"text\": [{text}]}}</script>"),
            6 => format!("<script>window.__INITIAL_STATE__ = {{\"body\": \"{text}\"}}</script>"),
            7 => format!("<a rel=author>{text}</a>"),
            _ => format!("<p>{text}</p>"),
        };
        let html: String = parts.iter().map(part).collect();
        let mut parser = Parser::new(PageConfig::default());
        if let Ok(page) = parser.parse(html.as_bytes(), Some("text/html; charset=utf-8")) {
            let found = metadata(page, &Context { url: &url, captured: Day::new(2024, 5, 1) });
            proptest::prop_assert!(found.published.is_none_or(|published| Some(published.day) <= Day::new(2024, 5, 2)));
            proptest::prop_assert!(found.title.is_none_or(|title| !title.trim().is_empty()));
            proptest::prop_assert!(found.authors.iter().all(|name| name.chars().any(char::is_alphabetic)));
        }
    }
}
