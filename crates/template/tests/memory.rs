//! The memory that mining takes, beside the pages and the numbers of their tokens.

use gleaner_template::{MineConfig, Miner, Page};

const PAGES: usize = 2_000;
const WORDS: usize = 1_000;

/// A menu, and words of which there are many.
fn page(number: usize) -> String {
    let mut text: String = (0..60).map(|item| format!("menu{item} ")).collect();
    let mut state = number as u64 + 1;
    for _ in 0..WORDS {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        // Small numbers are more frequent, as words are.
        let (one, other) = ((state >> 33) % 30_000, (state >> 48) % 30_000);
        text.push_str(&format!("w{}\n", one.min(other)));
    }
    text
}

/// Bytes, as the system counts them; none where it does not report it.
fn resident(field: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Two million tokens as one site, none left out.
#[test]
fn mining_takes_less_than_twelve_bytes_a_token() {
    let texts: Vec<String> = (0..PAGES).map(page).collect();
    let urls: Vec<String> = (0..PAGES)
        .map(|number| format!("http://a.example/{number}"))
        .collect();
    let pages: Vec<Page<'_>> = urls
        .iter()
        .zip(&texts)
        .map(|(url, text)| Page { url, text })
        .collect();
    let config = MineConfig {
        sample: usize::MAX,
        ..MineConfig::default()
    };
    let miner = Miner::new(config).unwrap();
    // Resets the peak.
    let begun = std::fs::write("/proc/self/clear_refs", "5");
    let Some(before) = resident("VmRSS:").filter(|_| begun.is_ok()) else {
        println!("skipped: the system does not report how much memory there is");
        return;
    };
    let mined = miner.mine("a.example", &pages);
    let peak = resident("VmHWM:").unwrap() - before;
    let tokens = mined.sampled_tokens;
    assert_eq!(tokens as usize, PAGES * (60 + WORDS));
    assert!(!mined.expressions.is_empty());
    let of_token = peak as f64 / tokens as f64 - 4.0;
    println!("{of_token:.1} bytes a token");
    assert!(of_token < 12.0, "{of_token} bytes a token");
}
