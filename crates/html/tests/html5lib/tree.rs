//! Tree construction.

use gleaner_html::TreeBuilder;

use super::cases::cases;
use super::kept::{of_dump, of_tree};
use super::{BUILDERS, file_name, files, folder, parser};

/// Where a `<noscript>` ends the text of a frame in it.
const NOSCRIPT: &str = "a noscript ends what stands in it, as where scripts run";
/// What a browser does when an option is chosen.
const SELECTED: &str = "the content of a chosen option is copied by browsers; here selects are no content";

/// Cases whose tree is another than html5lib's: the file, the number of the case in it, the builders that differ, and why.
const EXCEPTIONS: &[(&str, usize, &[TreeBuilder], &str)] = &[
    ("noscript01.dat", 9, &[TreeBuilder::Gleaner], NOSCRIPT),
    ("tests16.dat", 88, &[TreeBuilder::Gleaner], NOSCRIPT),
    ("tests16.dat", 185, &[TreeBuilder::Gleaner], NOSCRIPT),
    ("webkit02.dat", 44, &BUILDERS, SELECTED),
    ("webkit02.dat", 45, &BUILDERS, SELECTED),
    ("webkit02.dat", 46, &BUILDERS, SELECTED),
    ("webkit02.dat", 47, &BUILDERS, SELECTED),
];

/// Whether a builder may differ in a case.
fn is_exception(file: &str, number: usize, builder: TreeBuilder) -> bool {
    let mut all = EXCEPTIONS.iter();
    all.any(|(in_file, is, builders, _)| (*in_file, *is) == (file, number) && builders.contains(&builder))
}

#[test]
#[ignore = "reads the data sets: set GLEANER_DATA"]
fn trees_are_those_of_html5lib() {
    let folder = folder("tree-construction");
    let (mut count, mut wrong) = (0, Vec::new());
    for path in files(&folder, "dat") {
        let name = file_name(&path);
        let file = std::fs::read(&path).expect("it was listed");
        for (number, case) in cases(&file).iter().enumerate() {
            // There is no scripting, and there are no fragments here.
            if case.section("#script-on").is_some() || case.section("#document-fragment").is_some() {
                continue;
            }
            count += 1;
            let html = String::from_utf8_lossy(case.data);
            let expected = of_dump(&String::from_utf8_lossy(
                case.section("#document").unwrap_or_default(),
            ));
            for builder in BUILDERS {
                let built = of_tree(parser(builder).parse_str(&html).tree());
                if (built != expected) != is_exception(&name, number, builder) {
                    wrong.push(format!(
                        "{name} {number} {builder}: {html:?}\n  built    {built:?}\n  expected {expected:?}"
                    ));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count > 1_500, "{count} cases");
}
