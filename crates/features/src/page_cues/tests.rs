use super::*;

#[test]
fn codes_are_orders_of_magnitude() {
    assert_eq!(
        [0, 1, 2, 3, 4, 127, 128, u32::MAX].map(level),
        [0, 1, 2, 2, 3, 7, 8, 8]
    );
    assert_eq!((eighths(1, 2), eighths(3, 3), eighths(0, 0)), (4, 8, 0));
}

#[test]
fn names_are_different() {
    let mut names = PageCues::names();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

/// The code of a cue of a page.
fn cue(html: &str, url: &str, name: &str) -> u8 {
    let mut parser = gleaner_page::Parser::new(gleaner_page::PageConfig::default());
    let page = parser.parse(html.as_bytes(), None).unwrap();
    let mut extractor = crate::Extractor::new(crate::FeatureConfig::default()).unwrap();
    extractor.extract(page, url, &mut gleaner_columns::Columns::default());
    let mut cues = PageCues::default();
    extractor.page_cues(page, url, &mut cues);
    let at = PageCues::names().iter().position(|own| own == name).unwrap();
    cues.codes()[at]
}

#[test]
fn a_price_behind_the_main_heading_is_of_the_page_and_one_behind_a_link_of_a_card() {
    let product =
        "<title>Oak chair | Marrow</title><h1>Oak chair</h1><p>Made by hand.<p>$120<button>Buy</button>";
    let list = "<title>Chairs | Marrow</title><h1>Chairs</h1><ul><li><a href=1>Oak chair</a><p>$120</li><li>\
        <a href=2>Ash chair</a><p>$90</li></ul>";
    let code = |html: &str, name: &str| cue(html, "http://marrow.example/x", name);
    assert_eq!(
        (
            code(product, "structure.price-behind"),
            code(product, "structure.card-prices")
        ),
        (1, 0)
    );
    assert_eq!(
        (
            code(list, "structure.other-prices"),
            code(list, "structure.card-prices")
        ),
        (0, 2)
    );
    assert_eq!(code(list, "structure.main-heading-linked"), 0);
}

#[test]
fn posts_of_a_front_page_are_sections_whose_headings_are_links() {
    let text =
        "The tide comes in twice a day, and takes the sand of the beach with it when it goes. ".repeat(4);
    let post =
        |number: usize| format!("<h2><a href={number}>Day {number}</a></h2><p>{text}<h3>More</h3><p>{text}");
    let front = format!("<title>A diary</title>{}{}", post(1), post(2));
    let code = |name: &str| cue(&front, "http://diary.example/2021/05/", name);
    assert_eq!(code("sections.long-linked"), level(2));
    assert_eq!(code("sections.long"), level(4));
    assert_eq!(code("structure.main-heading"), 0);
    assert_eq!(code("address.of-days"), 2);
    assert_eq!(
        cue(&front, "http://diary.example/2021/05/a-storm", "address.of-days"),
        0
    );
}

#[test]
fn the_first_heading_of_a_list_leads_elsewhere_and_that_of_a_post_nowhere() {
    let text = "<p>The tide comes in twice a day, and takes the sand of the beach with it.".repeat(5);
    let body = format!("{text}<h3>At night</h3>{text}");
    let post = |title: &str, href: &str| format!("<h2><a href='{href}'>{title}</a></h2><p>3 May 2021{body}");
    let list = format!(
        "<title>May 2021</title>{}{}",
        post("Tides", "/tides"),
        post("Sand", "/sand")
    );
    let own = format!(
        "<title>Tides | A diary</title>{}<h2><a href='/sand'>Sand</a></h2>",
        post("Tides", "/tides")
    );
    let code = |html: &str, name: &str| cue(html, "http://diary.example/tides", &format!("sections.{name}"));
    let list = list.replace("/tides", "/other-tides");
    assert_eq!([code(&list, "first"), code(&own, "first")], [3, 1]);
    assert_eq!(
        [code(&list, "words-elsewhere"), code(&own, "words-elsewhere")],
        [MOST, 0]
    );
    assert_eq!([code(&list, "dated"), code(&own, "dated")], [level(2), level(1)]);
    assert_eq!(
        [code(&list, "address-words"), code(&own, "address-words")],
        [0, 1]
    );
}
