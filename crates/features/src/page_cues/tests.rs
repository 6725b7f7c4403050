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
