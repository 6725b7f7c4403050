//! Lists of other shapes, lists in elements with the names of posts, and boxes about the author.

use gleaner_page::{PageConfig, Parser};

use super::*;

const ITEMS: [(&str, &str); 4] = [
    (
        "A bell for the school",
        "The old bell cracked in the frost, and the new one was cast from two church lamps and a kettle.",
    ),
    (
        "Salt in the well",
        "Since the high tide the water tastes of the sea, and the mill sends a cart with barrels each day.",
    ),
    (
        "The last slate roof",
        "Only one house in the lane still has its slates; the others were sold to a builder in the south.",
    ),
    (
        "Geese on the road",
        "Forty geese walked to the market on their own this morning and stopped the bus for half an hour.",
    ),
];
const TEXT: [&str; 2] = [
    "The miller counts the carts that come over the bridge, and has done so each morning since the flood.",
    "His book has a line for every day, and the town hall has asked for it twice, without an answer so far.",
];
const LIFE: &str = "She kept the signal box for eleven years before she wrote her first line, and grows pears on the north wall.";

/// Titles and texts of the posts of a page.
fn posts(html: &str) -> Vec<(String, String)> {
    let mut parser = Parser::new(PageConfig::default());
    let page = parser.parse(html.as_bytes(), Some("text/html; charset=utf-8"));
    let about = About {
        url: "https://mill.example/notes/",
        ..About::default()
    };
    let found = Extractor::new(Rules::default_rules()).extract(page.unwrap(), about);
    let titles_and_texts = found
        .posts
        .into_iter()
        .map(|post| (post.title.unwrap_or_default(), post.text));
    titles_and_texts.collect()
}

fn all() -> Vec<(String, String)> {
    let own = |(title, text): (&str, &str)| (title.to_owned(), text.to_owned());
    ITEMS.into_iter().map(own).collect()
}

/// A page with each item in a form: `{n}` is its number, `{t}` its title, `{x}` its text.
fn page(around: &str, form: &str) -> String {
    let item = |(at, (title, text)): (usize, &(&str, &str))| {
        let form = form.replace("{n}", &at.to_string());
        form.replace("{t}", title).replace("{x}", text)
    };
    let items: String = ITEMS.iter().enumerate().map(item).collect();
    let body = around.replace("{items}", &items);
    format!(
        "<title>Mill notes</title><header><a href=/>Mill notes</a></header>{body}<footer>By hand</footer>"
    )
}

#[test]
fn terms_rules_and_rows_part_posts() {
    let forms = [
        (
            "<main><dl>{items}</dl></main>",
            "<dt><a href=/{n}>{t}</a></dt><dd>{x}</dd>",
        ),
        (
            "<main><dl>{items}</dl></main>",
            "<dt>{t}</dt><dd>{n}1 May 2014</dd><dd><p>{x}</p></dd>",
        ),
        (
            "<main><dl>{items}</dl></main>",
            "<dt><b>{t}</b> ({n}1 May 2014)</dt><dd>{x}</dd>",
        ),
        (
            "<main>{items}</main>",
            "<p><b><a href=/{n}>{t}</a></b> <i>{n}1 May 2014</i></p><p>{x}</p><hr>",
        ),
        (
            "<main>{items}</main>",
            "<b>{t}</b><br>{n}1 May 2014<br><br>{x}<br><hr>",
        ),
        (
            "<main>{items}</main>",
            "<font size=4>{t}</font><br><font size=1>{n}1 May 2014</font><p>{x}</p><hr>",
        ),
        (
            "<table>{items}</table>",
            "<tr><td><b>{t}</b></td><td>{n}1 May 2014</td></tr><tr><td colspan=2>{x}</td></tr>",
        ),
        (
            "<table>{items}</table>",
            "<tr><td>{n}1 May 2014</td><td><b>{t}</b><br>{x}</td></tr>",
        ),
        (
            "<table><tr>{items}</tr></table>",
            "<td><a href=/{n}><b>{t}</b></a><br>{x}<br><a href=/{n}>more</a></td>",
        ),
    ];
    for (around, form) in forms {
        // The first day of the first month of a form is no day.
        let html = page(around, form).replace("01 May", "30 May");
        let seen = posts(&html);
        let titles: Vec<&str> = seen.iter().map(|(title, _)| title.as_str()).collect();
        assert_eq!(titles, ITEMS.map(|(title, _)| title), "{form}");
        for ((_, text), (_, wanted)) in seen.iter().zip(ITEMS) {
            assert!(text.contains(wanted), "{form}: {text}");
        }
    }
}

#[test]
fn terms_and_bold_lines_without_days_or_links_are_no_titles() {
    let forms = [
        (
            "<main><h1>Words</h1><dl>{items}</dl></main>",
            "<dt>{t}</dt><dd>{x}</dd>",
        ),
        (
            "<main><h1>Words</h1><dl>{items}</dl></main>",
            "<dt><a href='#{n}'>{t}</a></dt><dd>{x}</dd>",
        ),
        (
            "<main><h1>Words</h1><dl>{items}</dl></main>",
            "<dt>{t} (see <a href=/{n}>{n}a</a>)</dt><dd>{x}</dd>",
        ),
        (
            "<main><h1>Words</h1>{items}</main>",
            "<p><b>{t}</b></p><p>{x}</p><hr>",
        ),
        (
            "<main><h1>Words</h1><table>{items}</table></main>",
            "<tr><td><b>{t}</b></td><td>{x}</td></tr>",
        ),
        // Numbers are none either.
        (
            "<main><h1>Words</h1>{items}</main>",
            "<div><a href=/{n}>#{n}</a><p>1 May 2014</p><p>{x}</p></div>",
        ),
    ];
    for (around, form) in forms {
        assert!(posts(&page(around, form)).len() < 2, "{form}");
    }
}

#[test]
fn an_element_with_the_name_of_a_post_may_hold_a_list() {
    let item = "<div><h3><a href=/{n}>{t}</a></h3><p>{x}</p></div>";
    let frames = [
        "<main class='post-7 page hentry'><h1>All notes</h1>{items}</main>",
        "<article class=post><h1 class=entry-title>Mill notes</h1><div class=entry-content>{items}</div></article>",
        "<div class='post hentry'><h2>From the mill</h2><p>Notes since 2014</p>{items}</div>",
    ];
    for frame in frames {
        assert_eq!(posts(&page(frame, item)), all(), "{frame}");
        let links = "<li><a href=/{n}>{t}</a><div>{x}</div></li>";
        assert_eq!(posts(&page(frame, links)), all(), "{frame}");
    }
}

#[test]
fn a_post_with_cards_of_others_in_it_is_one() {
    let item = "<div><h3><a href=/{n}>{t}</a></h3><p>{x}</p></div>";
    let own = format!(
        "<article class=post><h1>The bridge</h1><p>{}</p>{{items}}</article>",
        TEXT[0]
    );
    let html = page(&own, item);
    let seen = posts(&html);
    assert!(seen.len() == 1 && seen[0].1.contains(TEXT[0]), "{seen:?}");
    // A page that says that it is one post has no list, whatever stands in its text.
    let said = page(
        "<body class=single-post><article class=post><h1>The week</h1>{items}</article>",
        item,
    );
    assert_eq!(posts(&said).len(), 1);
    // Days make no list of the parts of a post.
    let days = "<h3>{t}</h3><p>2{n} May 2014</p><p>{x}</p>";
    assert_eq!(
        posts(&page(
            "<article class=post><h1>The week</h1>{items}</article>",
            days
        ))
        .len(),
        1
    );
}

#[test]
fn a_list_that_open_graph_calls_an_article_is_one() {
    let card =
        "<article class=post><h2><a href=/{n}>{t}</a></h2><div class=entry-summary>{x}</div></article>";
    let said = "<meta property=og:type content=article><meta property=og:title content='Mill notes'>";
    let html = said.to_owned() + &page("<main><h1>Mill notes</h1>{items}</main>", card);
    assert_eq!(posts(&html), all());
    // So is one under a long text, if the page says that it is a list.
    let text = format!(
        "<main><h1>Mill notes</h1><p>{0}</p><p>{0}</p>{{items}}</main>",
        TEXT.join(" ")
    );
    assert_eq!(posts(&page(&text, card)).len(), 1);
    let archive = format!("<body class='archive category'>{text}");
    assert_eq!(posts(&page(&archive, card)), all());
}

#[test]
fn a_card_that_is_one_link_has_a_text_without_a_paragraph() {
    let card = "<a href=/{n}><img src={n}.png><div class=card__title>{t}</div><div>{x}</div></a>";
    assert_eq!(posts(&page("<main><div>{items}</div></main>", card)), all());
    // A long title is none.
    let title = "<a href=/{n}><div>2{n} May 2014</div><h4>{x}</h4></a>";
    assert!(posts(&page("<main><div>{items}</div></main>", title)).is_empty());
}

#[test]
fn titles_that_are_links_stand_among_headings_of_texts() {
    let post = "<div><header><h2><a href=/{n}>{t}</a></h2></header><div><p>{x}</p><h2>More</h2><p>{x}</p><h2>End</h2><p>{x}</p></div></div>";
    let titles: Vec<String> = posts(&page("<div>{items}</div>", post))
        .into_iter()
        .map(|post| post.0)
        .collect();
    assert_eq!(titles, ITEMS.map(|(title, _)| title));
}

/// A post with something above and below it, or in it.
fn with_box(own: &str, place: usize) -> String {
    let text = format!("<p>{}</p><p>{}</p>", TEXT[0], TEXT[1]);
    let at = |other: usize| if place == other { own } else { "" };
    format!(
        "<title>The bridge | Mill notes</title>{}<article class=post><h1>The bridge</h1>{}<div class=entry-content>{}{text}{}\
         </div>{}</article>{}",
        at(0),
        at(1),
        at(2),
        at(3),
        at(4),
        at(5)
    )
}

#[test]
fn boxes_about_the_author_are_no_part_of_a_post() {
    let boxes = [
        "<div class=author-box><h4>Ilse Mar</h4><p>{}</p></div>",
        "<section class=post-author-bio><a rel=author href=/ilse>Ilse Mar</a><p>{}</p></section>",
        "<div class=bio><img src=i.png><p>{}</p></div>",
        "<article class=author-card><h4>Ilse Mar</h4><p>{}</p></article>",
        "<div itemscope itemtype=https://schema.org/Person><b itemprop=name>Ilse Mar</b><p>{}</p></div>",
        "<div><h3>About the author</h3><p>{}</p></div>",
        "<div><div><h3>Über die Autorin: Ilse Mar</h3></div><p>{}</p></div>",
        "<section><strong>เกี่ยวกับผู้เขียน</strong><p>{}</p></section>",
    ];
    let wanted = ("The bridge".to_owned(), TEXT.join("\n"));
    for (own, place) in boxes.iter().flat_map(|own| (0..6).map(move |place| (own, place))) {
        let html = with_box(&own.replace("{}", LIFE), place);
        assert_eq!(posts(&html), std::slice::from_ref(&wanted), "{own} {place}");
    }
    // Under a heading without an element of its own the box ends at the next heading.
    let flat = format!("<h3>About the author</h3><p>{LIFE}</p><h3>Later</h3><p>It rained.</p>");
    let wanted = format!("{}\nLater\nIt rained.", TEXT.join("\n"));
    assert_eq!(posts(&with_box(&flat, 3))[0].1, wanted);
}

#[test]
fn what_only_has_the_name_of_a_box_is_none() {
    // The page about the author, and the element around a post.
    let html =
        format!("<title>About the author</title><h1>About the author</h1><div class=bio><p>{LIFE}</p></div>");
    assert_eq!(posts(&html), [("About the author".to_owned(), LIFE.to_owned())]);
    let html = format!(
        "<title>The bridge</title><div class='hentry author-ilse'><h1>The bridge</h1><div class=entry-content>{}</div></div>",
        TEXT[0]
    );
    assert_eq!(posts(&html), [("The bridge".to_owned(), TEXT[0].to_owned())]);
}
