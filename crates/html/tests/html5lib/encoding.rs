//! Which charset a page is in.

use gleaner_html::TreeLimits;

use super::cases::cases;
use super::{BUILDERS, folder, parser};

/// Cases with another charset than html5lib's: the file, the number of the case in it, the charset, and why.
const EXCEPTIONS: &[(&str, usize, &str, &str)] = &[(
    "test-yahoo-jp.dat",
    0,
    "UTF-8",
    "it is UTF-8, though EUC-JP is declared",
)];

#[test]
#[ignore = "reads the data sets: set GLEANER_DATA"]
fn charsets_are_those_of_html5lib() {
    let folder = folder("encoding");
    let (mut count, mut wrong) = (0, Vec::new());
    for name in ["tests1.dat", "tests2.dat", "test-yahoo-jp.dat"] {
        let file = std::fs::read(folder.join(name)).expect("a file of cases");
        for (number, case) in cases(&file).iter().enumerate() {
            let label = case.section("#encoding").unwrap_or_default().trim_ascii();
            let encoding = encoding_rs::Encoding::for_label(label).expect("a known charset");
            let mut exceptions = EXCEPTIONS.iter();
            let exception = exceptions.find(|(in_file, is, ..)| (*in_file, *is) == (name, number));
            let expected = exception.map_or(encoding.name(), |(_, _, charset, _)| charset);
            assert!(
                exception.is_none() || expected != encoding.name(),
                "{name} {number} is no exception"
            );
            for builder in BUILDERS {
                let mut parser = parser(builder);
                let found = parser.parse(case.data, None).expect("it is text").charset();
                if found != expected {
                    let body = String::from_utf8_lossy(&case.data[..case.data.len().min(200)]);
                    wrong.push(format!("{name} {number}: {found}, not {expected}: {body:?}"));
                }
                count += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 100, "{count} cases");
    let big5 = std::fs::read(folder.join("chardet/test_big5.txt")).expect("a file of Big5");
    let mut parser = gleaner_html::HtmlParser::new(TreeLimits::default());
    assert_eq!(parser.parse(&big5, None).expect("it is text").charset(), "Big5");
}
