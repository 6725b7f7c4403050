//! Lists of posts, and pages of one that look like lists.

use gleaner_page::{PageConfig, Parser};

use super::*;
use crate::Post;

const TEXTS: [&str; 4] = [
    "The lamp burned all night, and no one in the harbour had filled it since the spring.",
    "The oven is lit at three, when the streets are empty and the flour is still cold.",
    "From the tower you see two countries, and on clear days the islands in the south.",
    "A second boat came in the morning with nets, ropes and a dog that no one knew.",
];
const TITLES: [&str; 4] = ["On lamps", "At the oven", "The tower opens", "A second boat"];

fn posts(url: &str, html: &str) -> Vec<Post> {
    let mut parser = Parser::new(PageConfig::default());
    let page = parser.parse(html.as_bytes(), Some("text/html; charset=utf-8"));
    let about = About {
        url,
        ..About::default()
    };
    let mut extractor = Extractor::new(Rules::default_rules());
    extractor.extract(page.unwrap(), about).posts
}

/// Titles, days and texts of the posts of a page.
fn listed(html: &str) -> Vec<(String, String, String)> {
    let found = posts("https://list.example/", html);
    let listed_posts = found.into_iter().map(|post| {
        let day = post.published.and_then(|date| date.day);
        let day = day.map(|day| day.to_string()).unwrap_or_default();
        (post.title.unwrap_or_default(), day, post.text)
    });
    listed_posts.collect()
}

fn four(day: impl Fn(usize) -> String) -> Vec<(String, String, String)> {
    let own = |at: usize| (TITLES[at].to_owned(), day(at), TEXTS[at].to_owned());
    (0..4).map(own).collect()
}

fn framed(main: &str) -> String {
    format!(
        "<html lang=en><title>Tern notes</title><header><h1><a href=/>Tern notes</a></h1></header>\
         <main>{main}</main><footer>Made by hand</footer>"
    )
}

#[test]
fn cards_in_rows_are_posts() {
    let card = |at: usize| {
        format!(
            "<div><h5><a href=/{at}>{}</a></h5><p>{}</p></div>",
            TITLES[at], TEXTS[at]
        )
    };
    let rows = format!(
        "<div>{}{}</div><div>{}{}</div>",
        card(0),
        card(1),
        card(2),
        card(3)
    );
    assert_eq!(listed(&framed(&rows)), four(|_| String::new()));
    // So they are in a list of articles, if the page says that it is one of them.
    let said = format!("<meta property=og:type content=article>{}", framed(&rows));
    assert_eq!(listed(&said), four(|_| String::new()));
}

#[test]
fn lines_that_are_links_are_titles_and_days_beside_texts_are_theirs() {
    let row = |at: usize| {
        let day = 20 - at;
        let (title, text) = (TITLES[at], TEXTS[at]);
        format!(
            "<div><div>March {day}, 2016</div><div><a href=/{at}><b>{title}</b></a><p>{text}</p></div></div>"
        )
    };
    let rows: String = (0..4).map(row).collect();
    let found = listed(&framed(&format!("<div>{rows}</div>")));
    assert_eq!(found, four(|at| format!("2016-03-{}", 20 - at)));
    // Links to more of each are no titles: they are all alike, and stand behind the texts.
    let row = |at: usize| {
        let (title, text) = (TITLES[at], TEXTS[at]);
        format!("<section><h3>{title}</h3><p>{text}</p><a href=/{at}>More</a></section>")
    };
    let rows: String = (0..4).map(row).collect();
    assert!(listed(&framed(&rows)).len() < 2);
}

#[test]
fn the_box_about_the_author_is_no_post() {
    let html = format!(
        "<title>On lamps | Tern notes</title><div><h1>On lamps</h1><div><p>{}<p>{}<p>{}</div>\
         <div class=author-info><h4>Written by</h4><div class=post-body><p>Ann</p><p>She is a keeper.</p></div></div></div>",
        TEXTS[0], TEXTS[1], TEXTS[2]
    );
    let wanted = ("On lamps".to_owned(), String::new(), TEXTS[..3].join("\n"));
    assert_eq!(listed(&html), [wanted]);
}

#[test]
fn one_day_above_several_headings_makes_them_no_posts() {
    let part = |at: usize| format!("<h2>{}</h2><p>{}</p>", TITLES[at], TEXTS[at]);
    let html = format!(
        "<title>A week</title><main><div><span>2 May 2016</span></div><div>{}{}{}</div></main>",
        part(0),
        part(1),
        part(2)
    );
    assert_eq!(listed(&html).len(), 1);
}

#[test]
fn a_lone_heading_leads_to_its_post() {
    let html = framed(&format!(
        "<h2>Tag: light</h2><div><h3><a href=/lamps>{}</a></h3><div>2 May 2016</div><p>{}</p></div>",
        TITLES[0], TEXTS[0]
    ));
    let found = posts("https://list.example/tag/light", &html);
    let [post] = &found[..] else { panic!("{found:?}") };
    assert_eq!(post.title.as_deref(), Some(TITLES[0]));
    assert_eq!(post.link.as_deref(), Some("https://list.example/lamps"));
    assert_eq!(post.text, TEXTS[0]);
    // One beside a text of its own is another's.
    let html = framed(&format!(
        "<div><p>{}<p>{}</div><section><h3><a href=/news>News</a></h3><p>{}</section>",
        TEXTS[0], TEXTS[1], TEXTS[2]
    ));
    assert_ne!(listed(&html)[0].0, "News");
}

#[test]
fn a_day_in_a_title_is_not_that_of_its_post() {
    let card = |at: usize, day: &str| {
        format!(
            "<article><a href=/{at}><img alt='Talk, 17/03/2018'></a><h2><a href=/{at}>Talk, 17/03/2018</a></h2>\
             <div>{day}</div><div class=entry-content>{}</div></article>",
            TEXTS[at]
        )
    };
    let html = framed(&(card(0, "2 May 2016") + &card(1, "")));
    let days: Vec<String> = listed(&html).into_iter().map(|(_, day, _)| day).collect();
    assert_eq!(days, ["2016-05-02", "2018-03-17"]);
}

#[test]
fn a_byline_under_a_title_is_no_text() {
    let html = format!(
        "<title>On lamps</title><div><div><h3>On lamps</h3><p>By <a href=/ann>Ann</a> on Monday, June 22, 2009</p></div>\
         <p>{}</p></div>",
        TEXTS[0]
    );
    let wanted = (
        "On lamps".to_owned(),
        "2009-06-22".to_owned(),
        TEXTS[0].to_owned(),
    );
    assert_eq!(listed(&html), [wanted]);
}

#[test]
fn a_link_that_shows_its_address_is_a_text() {
    let html = format!(
        "<title>On lamps</title><div><h1>On lamps</h1><div><p><a href=https://lamps.example/all>\
         https://lamps.example/all</a></p></div></div><div><p><a href=/a>{}</a></p></div>",
        TEXTS[1]
    );
    assert_eq!(listed(&html)[0].2, "https://lamps.example/all");
}

#[test]
fn a_heading_of_some_words_of_the_title_is_not_the_title() {
    let html = format!(
        "<title>[Lamps] Lamps that no one had filled | Tern notes</title><main><div>{}</div><h4>Lamps</h4><p>{}</p></main>",
        TEXTS[0], TEXTS[1]
    );
    let found = listed(&html);
    assert!(
        found.len() == 1 && found[0].2.contains(TEXTS[0]) && found[0].2.contains(TEXTS[1]),
        "{found:?}"
    );
}

#[test]
fn a_heading_that_is_a_link_to_its_page_is_the_title() {
    let html = format!(
        "<title>Tern notes</title><h1>Tern notes</h1><div><h2><a href=/lamps>{}</a></h2><p>{}</p></div>",
        TITLES[0], TEXTS[0]
    );
    let title = |url: &str| posts(url, &html)[0].title.clone();
    assert_eq!(title("https://list.example/lamps/").as_deref(), Some(TITLES[0]));
}

#[test]
fn a_card_that_is_one_link_is_a_post() {
    let card = |at: usize| {
        let (title, text) = (TITLES[at], TEXTS[at]);
        format!(
            "<a href=/{at}><div><h3>{title}</h3><span>{} May 2016</span><p>{text}</p></div></a>",
            9 - at
        )
    };
    let cards: String = (0..4).map(card).collect();
    let found = posts("https://list.example/", &framed(&format!("<div>{cards}</div>")));
    let links: Vec<_> = found.iter().filter_map(|post| post.link.clone()).collect();
    assert_eq!(links[..1], ["https://list.example/0"]);
    let texts: Vec<&str> = found.iter().map(|post| post.text.as_str()).collect();
    assert_eq!(texts, TEXTS);
}

#[test]
fn a_printed_day_counts_before_one_for_machines_that_contradicts_it() {
    let card = |at: usize, time: &str| {
        let (title, text) = (TITLES[at], TEXTS[at]);
        format!("<article><h2><a href=/{at}>{title}</a></h2><time {time}</time><p>{text}</p></article>")
    };
    let times = [
        "datetime=2016-03-05>5 May 2016",
        "datetime=2016-05-05T23:00Z>6 May 2016",
        "datetime=2016-05-04>05/04/2016",
        "datetime=2016-05-03>last week",
    ];
    let cards: String = (0..4).map(|at| card(at, times[at])).collect();
    let days: Vec<String> = listed(&framed(&cards)).into_iter().map(|own| own.1).collect();
    assert_eq!(days, ["2016-05-05", "2016-05-05", "2016-05-04", "2016-05-03"]);
}

#[test]
fn pages_with_any_attribute_are_looked_at() {
    let names = "src srcset style title type value width lang xml:lang role rowspan start reversed slot rel";
    let attributes = names.replace(' ', "=x ");
    let html = format!(
        "<title>On lamps</title><div {attributes}=x><h1>On lamps</h1><p>{}</div>",
        TEXTS[0]
    );
    assert_eq!(posts("", &html).len(), 1);
}
