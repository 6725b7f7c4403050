use std::collections::HashSet;
use std::time::Instant;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// The windows of a text: slowly.
fn slow_windows(text: &str) -> HashSet<String> {
    let letters: Vec<char> = text.chars().collect();
    letters
        .windows(WINDOW)
        .map(|window| window.iter().collect())
        .collect()
}

fn search<'a>(windows: &'a Windows, strings: &'a Strings, bytes: &[u8], sizes: &[usize]) -> Found<'a> {
    let mut search = Search::new(windows, strings);
    let (mut rest, mut sizes) = (bytes, sizes.iter().cycle());
    while !rest.is_empty() {
        let (piece, others) = rest.split_at(rest.len().min(*sizes.next().unwrap_or(&rest.len())));
        search.push(piece);
        rest = others;
    }
    search.found()
}

#[test]
fn the_windows_of_a_passage_are_one_passage() {
    let text: String = ('a'..='z').chain('à'..='ÿ').collect();
    let windows = Windows::new([text.as_str(), "short"]);
    let strings = Strings::new([
        "",
        "http://a.example/",
        "http://a.example/b",
        "http://a.example/c",
    ]);
    assert_eq!(windows.len(), text.chars().count() - WINDOW + 1);
    let copy: String = text.chars().skip(3).take(45).collect();
    let first: String = text.chars().take(40).collect();
    let hidden = format!("\0{copy}\0http://a.example/b {first}");
    let found = search(&windows, &strings, hidden.as_bytes(), &[7]);
    assert_eq!(found.passages, [first.as_str(), &copy]);
    assert_eq!(found.strings, ["http://a.example/", "http://a.example/b"]);
    assert_eq!(found.searched, hidden.len() as u64);
    // What is no character parts it.
    let parted = [&copy.as_bytes()[..20], b"\xff", &copy.as_bytes()[20..]].concat();
    assert!(search(&windows, &strings, &parted, &[9]).is_empty());
}

#[test]
fn what_is_shared_may_occur() {
    let text = format!("{}{}{}", "a".repeat(40), "b".repeat(40), "c".repeat(50));
    let mut windows = Windows::new([text.as_str()]);
    let mut strings = Strings::new(["http://a.example/", "http://b.example/"]);
    let all = windows.len();
    assert_eq!(all, slow_windows(&text).len());
    windows.remove_shared(&format!("x{}y", "b".repeat(60)));
    windows.remove_shared(&"b".repeat(39));
    strings.remove_shared("see http://a.example/b");
    assert_eq!(
        (windows.len(), windows.shared()),
        (all - 1, vec!["b".repeat(40).as_str()])
    );
    assert_eq!(strings.shared().collect::<Vec<_>>(), ["http://a.example/"]);
    let bytes = format!("{} http://a.example/ {}", "b".repeat(41), "c".repeat(40));
    let found = search(&windows, &strings, bytes.as_bytes(), &[]);
    assert_eq!(
        (found.passages, found.strings.len()),
        (vec!["c".repeat(40).as_str()], 0)
    );
    // By a search, which does not join texts.
    let mut search = Search::new(&windows, &strings);
    let (head, tail) = text.split_at(100);
    for text in ["http://b.", "example/", head, tail] {
        search.push(text.as_bytes());
        search.end();
    }
    let shared = search.into_places();
    windows.remove(&shared);
    strings.remove(&shared);
    let parts: HashSet<String> = [head, tail, &"b".repeat(40)]
        .map(slow_windows)
        .into_iter()
        .flatten()
        .collect();
    let left = slow_windows(&text).difference(&parts).count();
    assert_eq!((windows.len(), left, strings.shared().count()), (20, 20, 1));
    windows.remove_shared(&text);
    assert!(windows.is_empty() && !Windows::new([text.as_str()]).is_empty() && Windows::new([]).is_empty());
}

#[test]
#[ignore = "a figure: bytes searched in a second"]
fn speed() {
    let letters = |seed: u64, length: usize, odd: &str| {
        let mut state = seed;
        let mut next = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        let letter = |next: u64| match next % 40 {
            0 => odd.to_owned(),
            1..7 => " ".to_owned(),
            letter => char::from(b'a' + (letter % 26) as u8).to_string(),
        };
        (0..length).map(|_| letter(next())).collect::<String>()
    };
    let windows = Windows::new([letters(1, 200_000, "é").as_str()]);
    let urls: Vec<String> = (0..50)
        .map(|page| format!("https://www.example.org/page/{page}"))
        .collect();
    let strings = Strings::new(urls.iter().map(String::as_str));
    let mut state = 5_u64;
    let byte = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    let bytes: Vec<u8> = std::iter::repeat_with(byte).take(5_000_000).collect();
    let begun = Instant::now();
    let found = search(&windows, &strings, &bytes, &[1 << 20]);
    println!(
        "random bytes: {:.0} MB a second",
        found.searched as f64 / 1e6 / begun.elapsed().as_secs_f64()
    );
    for (name, odd, strings) in [
        ("ASCII", ",", &strings),
        ("letters of Latin", "é", &strings),
        ("ASCII without strings", ",", &Strings::new([])),
    ] {
        let bytes = letters(2, 10_000_000, odd);
        let begun = Instant::now();
        let found = search(&windows, strings, bytes.as_bytes(), &[1 << 20]);
        let seconds = begun.elapsed().as_secs_f64();
        println!("{name}: {:.0} MB a second", found.searched as f64 / 1e6 / seconds);
        assert!(found.is_empty());
    }
}

proptest! {
    #[test]
    fn what_occurs_is_found_and_nothing_else(
        texts in vec("[ab]{30,60}|[aé€𝄞]{38,50}", 0..4),
        shared in vec("[ab]{0,80}", 0..2),
        pieces in vec(prop_oneof![
            "[ab]{0,50}".prop_map(String::into_bytes),
            vec(any::<u8>(), 0..3),
            (0..4_usize, 0..20_usize, 30..60_usize).prop_map(|(text, from, length)| format!("{text} {from} {length}").into_bytes()),
        ], 0..6),
        sizes in vec(1..70_usize, 1..4),
    ) {
        // Three numbers are a copy of a part of a text.
        let copy = |piece: &Vec<u8>| -> Vec<u8> {
            let numbers: Vec<usize> = String::from_utf8_lossy(piece).split(' ').filter_map(|number| number.parse().ok()).collect();
            match numbers.as_slice() {
                [text, from, length] => texts.get(*text).map(|text| text.chars().skip(*from).take(*length).collect::<String>().into_bytes()).unwrap_or_default(),
                _ => piece.clone(),
            }
        };
        let bytes: Vec<u8> = pieces.iter().flat_map(copy).collect();
        let mut windows = Windows::new(texts.iter().map(String::as_str));
        shared.iter().for_each(|text| windows.remove_shared(text));
        let strings = Strings::new(texts.iter().map(String::as_str));
        let found = search(&windows, &strings, &bytes, &sizes);

        let occurs = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
        let of_texts: HashSet<String> = texts.iter().flat_map(|text| slow_windows(text)).collect();
        let left: HashSet<String> = of_texts.into_iter().filter(|window| !shared.iter().any(|text| text.contains(window.as_str()))).collect();
        prop_assert_eq!(windows.len(), left.len());
        let expected: HashSet<String> = left.iter().filter(|window| occurs(window)).cloned().collect();
        let mut in_passages = HashSet::new();
        for passage in &found.passages {
            in_passages.extend(slow_windows(passage));
        }
        prop_assert_eq!(in_passages, expected);
        let mut expected: Vec<&str> = texts.iter().map(String::as_str).filter(|text| occurs(text)).collect();
        expected.sort_unstable();
        expected.dedup();
        prop_assert_eq!(found.strings, expected);
    }
}
