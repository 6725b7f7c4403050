//! Sizes as people type them: `64MiB`, `1.5G`, `200kB`, `4096`.

/// The smallest size that is of use.
const LEAST: u64 = 1 << 10;

/// Bytes of a size. K, M, G and T stand for powers of 1024, kB, MB, GB and TB for powers of 1000.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let number = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = unit(text[number.len()..].trim()).ok_or("use a unit of B, K, M, G, T, such as 64MiB")?;
    let number: f64 = number
        .trim()
        .parse()
        .map_err(|_| "use a number with a unit, such as 64MiB")?;
    let bytes = number * unit as f64;
    if !(LEAST as f64..=(1u64 << 50) as f64).contains(&bytes) {
        return Err("use 1KiB at least, and 1024TiB at most".to_owned());
    }
    Ok(bytes as u64)
}

fn unit(name: &str) -> Option<u64> {
    let name = name.to_ascii_lowercase();
    let power = |letter: char| "bkmgt".find(letter).map(|power| power as u32);
    let mut letters = name.chars();
    let power = letters.next().map_or(Some(0), power)?;
    match letters.as_str() {
        "" | "ib" => Some(1024u64.pow(power)),
        "b" if power > 0 => Some(1000u64.pow(power)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn sizes_are_what_people_mean() {
        for (text, bytes) in [
            ("4096", 4096),
            ("4096B", 4096),
            ("64MiB", 64 << 20),
            ("64M", 64 << 20),
            ("64 m", 64 << 20),
            ("1.5GiB", 3 << 29),
            ("200kB", 200_000),
            ("2TB", 2_000_000_000_000),
        ] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        for text in [
            "", "MiB", "5", "5X", "5MiBB", "-5M", "nan", "9999999T", "1e300K", "5é",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
