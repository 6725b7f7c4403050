//! Row ids as numbers: shorter where there are many.

/// A row id as a number; none if it is none.
pub(crate) fn number_of(row_id: &str) -> Option<u128> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_id = row_id.len() == 32 && row_id.bytes().all(is_digit);
    is_id.then(|| u128::from_str_radix(row_id, 16).ok()).flatten()
}

/// A row id from its number.
pub(crate) fn row_id_of(number: u128) -> String {
    format!("{number:032x}")
}

/// The half of a row id that is kept of millions.
pub(crate) fn short(row_id: u128) -> u64 {
    (row_id >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_ids_are_numbers_of_32_digits() {
        let id = "00f0000000000000000000000000000a";
        assert_eq!(row_id_of(number_of(id).unwrap()), id);
        for bad in [
            "",
            "a",
            "../../../../../../../../etc/passw",
            "+0f0000000000000000000000000000a",
            "00F0000000000000000000000000000a",
        ] {
            assert_eq!(number_of(bad), None);
        }
    }
}
