//! Posts that rules do not name, or not all of them.

use gleaner_page::{PageConfig, Parser};

use super::*;
use crate::{Completed, Post};

const LONG: &str = "The lamp burned all night, and no one in the harbour had filled it since the spring.";

fn posts(url: &str, html: &str) -> Vec<Post> {
    let mut parser = Parser::new(PageConfig::default());
    let page = parser
        .parse(html.as_bytes(), Some("text/html; charset=utf-8"))
        .unwrap();
    let about = About {
        url,
        ..About::default()
    };
    Extractor::new(Rules::default_rules()).extract(page, about).posts
}

/// The only post of a page: title, day, text.
fn only(url: &str, html: &str) -> (String, Option<String>, String) {
    let found = posts(url, html);
    let [post] = &found[..] else {
        panic!("{} posts: {found:?}", found.len())
    };
    let day = post.published.as_ref().and_then(|date| date.day);
    (
        post.title.clone().unwrap_or_default(),
        day.map(|day| day.to_string()),
        post.text.clone(),
    )
}

fn expected(title: &str, day: Option<&str>, text: &str) -> (String, Option<String>, String) {
    (title.to_owned(), day.map(str::to_owned), text.to_owned())
}

#[test]
fn a_post_without_a_named_text_is_where_its_letters_are() {
    let html = format!(
        "<title>On lamps | The Harbour</title><h1 class=title>On lamps</h1>\
         <div class=container><div class=post><div class=inner><p>{LONG}</p><p>{LONG}</p></div>\
         <div class=inner-meta><span class=date>On September 27, 2012</span>, <a href=c>News</a></div>\
         <div class=navigation><a href=a>Before</a></div></div></div><p>Contact the harbour office.</p>"
    );
    let text = format!("{LONG}\n{LONG}");
    assert_eq!(only("", &html), expected("On lamps", Some("2012-09-27"), &text));
}

#[test]
fn a_page_that_names_nothing_is_known_by_its_heading() {
    let html = format!(
        "<title>On lamps – The Harbour</title><h1><a href=/>The Harbour</a></h1><ul><li><a href=a>Menu</a></ul>\
         <div><div><h2>News</h2><h3>On lamps</h3><p>{LONG}</p></div><div><blockquote>Elsewhere</blockquote></div></div>\
         <div><h2>Contact</h2><p>{LONG} {LONG}</p></div>"
    );
    assert_eq!(only("", &html), expected("On lamps", None, LONG));
}

#[test]
fn a_frame_with_the_name_of_a_sidebar_is_none() {
    let html = format!(
        "<div class='row sidebar_left'><main><article><h1>On lamps</h1><time>2 May 2016</time>\
         <div class=entry-content>{LONG}</div></article></main><div class=sidebar><p>{LONG}</p></div></div>"
    );
    assert_eq!(only("", &html), expected("On lamps", Some("2016-05-02"), LONG));
}

#[test]
fn the_page_of_a_post_has_one_whatever_else_it_shows() {
    let teaser = "<div class=post><h2 class=post-title><a href=b>On wicks</a></h2>\
        <div class=post-content>They glow.</div></div>";
    let html = format!(
        "<title>The Harbour: On lamps</title><article class=hentry><h1>On lamps</h1>\
         <div class=entry-content><h1>A part</h1><p>{LONG}</div></article><div>{teaser}{teaser}</div>"
    );
    let text = format!("A part\n{LONG}");
    assert_eq!(
        only("http://a.example/2016/07/08/lamps", &html),
        expected("On lamps", Some("2016-07-08"), &text)
    );
}

#[test]
fn a_list_of_one_post_leads_to_it() {
    let html = format!(
        "<title>Tag: light</title><article><h2><a href=/2016/02/22/lamps>On lamps</a></h2>\
         <div class=date>22 February</div><div class=entry-content>{LONG}</div></article>"
    );
    let found = posts("http://a.example/tag/light", &html);
    assert_eq!(
        found[0].link.as_deref(),
        Some("http://a.example/2016/02/22/lamps")
    );
    let date = found[0].published.as_ref().unwrap();
    assert_eq!(
        (date.day, date.text.as_str()),
        (Day::new(2016, 2, 22), "22 February")
    );
    assert_eq!(date.completed, Some(Completed::Address));
}

/// Titles and days of the posts of a page.
fn listed(url: &str, html: &str) -> Vec<(String, String)> {
    let title = |post: &Post| post.title.clone().unwrap_or_default();
    let day = |post: &Post| {
        let day = post.published.as_ref().and_then(|date| date.day);
        day.map(|day| day.to_string()).unwrap_or_default()
    };
    let found = posts(url, html);
    assert!(found.iter().all(|post| post.text == LONG), "{found:?}");
    found.iter().map(|post| (title(post), day(post))).collect()
}

fn two(first: &str, second: &str) -> Vec<(String, String)> {
    vec![
        ("On lamps".to_owned(), first.to_owned()),
        ("On wicks".to_owned(), second.to_owned()),
    ]
}

#[test]
fn headings_that_are_alike_are_titles() {
    let row = |title: &str, day: &str| {
        format!("<tr><td><h3><a href='{title}'>{title}</a></h3>{day}<p>{LONG}</p></td></tr>")
    };
    let table = format!(
        "<ul><li><a href=x>Menu</a></ul><table>{}{}</table>",
        row("On lamps", "<i>8 July 2016</i>"),
        row("On wicks", "<i>2 June 2016</i>")
    );
    assert_eq!(listed("", &table), two("2016-07-08", "2016-06-02"));
    let flat = |title: &str, day: &str| format!("<h2>{day}</h2><h3>{title}</h3><p>{LONG}</p>");
    let flat = flat("On lamps", "Friday, July 8, 2016") + &flat("On wicks", "Thursday, June 2, 2016");
    assert_eq!(listed("", &flat), two("2016-07-08", "2016-06-02"));
    // Headings of one text have neither dates nor links.
    let text = format!("<h1>Light</h1><h3>On lamps</h3><p>{LONG}</p><h3>On wicks</h3><p>{LONG}</p>");
    assert_eq!(posts("", &text).len(), 1);
}

#[test]
fn a_day_without_a_year_has_that_of_its_neighbours() {
    let post = |title: &str, day: &str| {
        format!(
            "<article><h2>{title}</h2><div class=date>{day}</div><div class=entry-content>{LONG}</div></article>"
        )
    };
    let html = post("On lamps", "January 3, 2017") + &post("On wicks", "December 30");
    assert_eq!(listed("", &html), two("2017-01-03", "2016-12-30"));
    let found = posts("", &html);
    let completed = |at: usize| found[at].published.as_ref().and_then(|date| date.completed);
    assert_eq!((completed(0), completed(1)), (None, Some(Completed::Neighbours)));
}

#[test]
fn a_heading_of_a_day_is_for_the_posts_under_it() {
    let day = |day: &str, title: &str| {
        format!(
            "<div class=date-outer><h2 class=date-header>{day}</h2><div><div class='post hentry'>\
             <h3 class=post-title>{title}</h3><div class=post-body>{LONG}</div></div></div></div>"
        )
    };
    let html = day("samedi 27 avril 2013", "On lamps") + &day("mercredi 3 avril 2013", "On wicks");
    assert_eq!(listed("", &html), two("2013-04-27", "2013-04-03"));
}

#[test]
fn comments_are_apart_from_their_post() {
    let html = format!(
        "<title>On lamps</title><article class=hentry><h1>On lamps</h1><div class=entry-content>{LONG}</div></article>\
         <ol class=comment-list><li class=comment><article class=comment-body><b class=fn>Ann</b>\
         <time datetime=2016-07-09>yesterday</time><div class=comment-content><p>Mine went out.</div></article>\
         <ol><li class=comment><b class=fn>Bea</b> <i class=date>10 July 2016</i><p>Mine, too.</li>\
         <li class=comment><div class=comment-content><b class=fn>Cay</b> <i class=date>11 July 2016</i>\
         <p>And mine.</div></li></ol></li></ol>"
    );
    let found = posts("", &html);
    assert_eq!((found.len(), found[0].text.as_str()), (1, LONG));
    let comments: Vec<_> = found[0].comments.iter().collect();
    let comment_at = |at: usize| {
        let comment: &crate::Comment = comments[at];
        let day = comment.published.as_ref().and_then(|date| date.day);
        (
            comment.author.clone().unwrap_or_default(),
            day.map(|day| day.to_string()).unwrap_or_default(),
            comment.text.clone(),
        )
    };
    let expected = |author: &str, day: &str, text: &str| (author.to_owned(), day.to_owned(), text.to_owned());
    assert_eq!(comments.len(), 3, "{comments:?}");
    assert_eq!(comment_at(0), expected("Ann", "2016-07-09", "Mine went out."));
    assert_eq!(comment_at(1), expected("Bea", "2016-07-10", "Mine, too."));
    assert_eq!(comment_at(2), expected("Cay", "2016-07-11", "And mine."));
}

#[test]
fn a_labeller_distinguishes_the_text_from_what_is_as_long() {
    let html = format!("<div><div><p>{LONG}</div><div><p>{LONG} {LONG}</div></div>");
    let mut parser = Parser::new(PageConfig::default());
    let page = parser.parse(html.as_bytes(), None).unwrap();
    let mut extractor = Extractor::new(Rules::default_rules());
    let mut text = |content: Option<&[bool]>| {
        let about = About {
            content,
            ..About::default()
        };
        extractor.extract(page, about).posts[0].text.clone()
    };
    assert_eq!(text(Some(&[true, false])), LONG);
    assert_eq!(text(Some(&[false, true])), format!("{LONG} {LONG}"));
}

#[test]
fn what_an_article_shows_of_others_makes_it_no_list() {
    let card = |title: &str| format!("<article><h3><a href=b>{title}</a></h3><p>They glow.</p></article>");
    let others = card("On wicks") + &card("On oil");
    let html = format!(
        "<title>On lamps | Harbour</title><main><header><h1>On lamps</h1></header><article class=post>\
         <div class=entry-content><p>{LONG}</p><p>{LONG}</p></div><div class=cards>{others}</div></article></main>"
    );
    let text = format!("{LONG}\n{LONG}");
    assert_eq!(only("", &html), expected("On lamps", None, &text));
    // The same where nothing names the article.
    let long = format!("<p>{LONG}</p>").repeat(5);
    let html = format!(
        "<title>On lamps | Harbour</title><div><h1>On lamps</h1><div>{long}</div></div><div>{others}</div>"
    );
    assert_eq!(only("", &html).0, "On lamps");
}

#[test]
fn a_text_in_parts_is_one() {
    let html = format!(
        "<title>On lamps</title><div><h1>On lamps</h1><div class=article-body><p>{LONG}</p></div>\
         <div class=picture></div><div class=article-body><p>{LONG}</p></div></div>"
    );
    assert_eq!(only("", &html).2, format!("{LONG}\n{LONG}"));
}

#[test]
fn a_page_that_is_hidden_until_a_script_shows_it_has_its_post() {
    let html = format!(
        "<title>On lamps</title><div>Loading</div><div hidden><main><h1>On lamps</h1><div><p>{LONG}</p></div></main></div>"
    );
    assert_eq!(only("", &html).2, LONG);
}
