//! The paper's own examples, end to end: section 3.3, and the articles of section 5.2.

use gleaner_template::{
    Applier, BUILT_IN, CleanConfig, MineConfig, Miner, Page, SiteTemplate, TokenConfig, without,
};

fn mine(config: &MineConfig, texts: &[String]) -> SiteTemplate {
    let urls: Vec<String> = (0..texts.len())
        .map(|page| format!("http://www.sevendaysvt.com/{page}"))
        .collect();
    let pages: Vec<Page<'_>> = urls
        .iter()
        .zip(texts)
        .map(|(url, text)| Page { url, text })
        .collect();
    let miner = Miner::new(config.clone()).expect("the settings are right");
    miner.mine("www.sevendaysvt.com", &pages)
}

fn has(template: &SiteTemplate, expression: &str) -> bool {
    template
        .expressions
        .iter()
        .any(|found| found.expression == expression)
}

/// The expression of a built-in pattern, as it stands in an expression.
fn pattern(name: &str) -> String {
    let (_, source) = BUILT_IN
        .iter()
        .find(|(known, _)| *known == name)
        .expect("there is such a pattern");
    format!("(?:{source})")
}

/// The words of one article: others in each.
fn article(number: usize) -> String {
    let words: Vec<String> = (0..60)
        .map(|word| format!("w{}", (number + 3) * (word + 11) % 1009))
        .collect();
    words.join(" ")
}

/// Section 5.2: the same head and tail around every article, with dates that change.
fn parsed_badly(number: usize) -> String {
    let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"];
    let months = ["January", "February", "March", "April", "May"];
    let ordinals = ["1st", "22nd", "3rd", "27th", "14th"];
    let (weekday, month, ordinal) = (
        weekdays[number % 5],
        months[number / 5 % 5],
        ordinals[number / 3 % 5],
    );
    let other = ordinals[number % 4];
    format!(
        "# Permanent link | no responses | Published on: {weekday}, {ordinal} {month}, 2007\n{}\n\
         Please login to leave a reply\nheadline{} of{} others{}\nread more\n{weekday} {other} {month}\nread more\n",
        article(number),
        number * 7,
        number * 11,
        number * 13,
    )
}

#[test]
fn the_articles_of_section_5_2() {
    let config = MineConfig {
        tokens: TokenConfig {
            token: r"[^\-\s]+".into(),
            ..TokenConfig::default()
        },
        ..MineConfig::default()
    };
    let texts: Vec<String> = (0..60).map(parsed_badly).collect();
    let template = mine(&config, &texts);
    let [weekday, ordinal, month, number] = ["weekday", "ordinal", "month", "number"].map(pattern);
    let head = format!(
        r"([\t-\r \-]+|^)\#[\t-\r \-]+Permanent[\t-\r \-]+link[\t-\r \-]+\|[\t-\r \-]+no[\t-\r \-]+responses[\t-\r \-]+\|[\t-\r \-]+Published[\t-\r \-]+on:[\t-\r \-]+{weekday}[\t-\r \-]+{ordinal}[\t-\r \-]+{month}[\t-\r \-]+{number}([\t-\r \-]+|$)"
    );
    assert!(has(&template, &head), "{:#?}", template.expressions);
    let tail = format!(
        r"([\t-\r \-]+|^)read[\t-\r \-]+more[\t-\r \-]+{weekday}[\t-\r \-]+{ordinal}[\t-\r \-]+{month}[\t-\r \-]+read[\t-\r \-]+more([\t-\r \-]+|$)"
    );
    assert!(has(&template, &tail), "{:#?}", template.expressions);

    // A day that no other article was published on.
    let text = parsed_badly(7).replace("27th", "30th");
    let applier = Applier::new(&template, &config.tokens).expect("mined with these settings");
    let left = without(&text, &applier.removed(&text, &CleanConfig::default()));
    assert_eq!(left, format!("{}\nheadline49 of77 others91\n", article(7)));
}

/// Section 3.3: "the whole menu block of a page could contain session-based links that changes every
/// time the page is accessed or a date, which is fast-mutable too".
#[test]
fn a_menu_with_session_links_and_a_date() {
    let texts: Vec<String> = (0..30)
        .map(|page| {
            format!(
                "Home http://a.example/?session={} News http://a.example/news?session={} on {}/{}/2007\n{}",
                page * 7919,
                page * 104_729,
                page % 28 + 1,
                page % 12 + 1,
                article(page)
            )
        })
        .collect();
    let template = mine(&MineConfig::default(), &texts);
    let (address, date) = (pattern("address"), pattern("date"));
    let menu = format!(
        r"([\t-\r ]+|^)Home[\t-\r ]+{address}[\t-\r ]+News[\t-\r ]+{address}[\t-\r ]+on[\t-\r ]+{date}([\t-\r ]+|$)"
    );
    let found: Vec<&str> = template
        .expressions
        .iter()
        .map(|found| found.expression.as_str())
        .collect();
    assert_eq!(found, [menu.as_str()]);
    assert_eq!(template.expressions[0].pages, 30);
}
