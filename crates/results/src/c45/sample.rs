//! A random split into training rows and test rows.

/// Splits the numbers below `rows` at random: a share, rounded, and the rest, each in ascending order. The split depends on
/// the seed.
///
/// ```
/// let (train, test) = gleaner_results::split_rows(50, 0.66, 1);
/// assert_eq!((train.len(), test.len()), (33, 17));
/// assert_eq!(gleaner_results::split_rows(50, 0.66, 1).0, train);
/// ```
pub fn split_rows(rows: usize, share: f64, seed: u64) -> (Vec<usize>, Vec<usize>) {
    let mut order: Vec<usize> = (0..rows).collect();
    let mut state = seed;
    for at in (1..rows).rev() {
        let other = (u128::from(next(&mut state)) * (at as u128 + 1)) >> 64;
        order.swap(at, other as usize);
    }
    let taken = (rows as f64 * share.clamp(0.0, 1.0)).round() as usize;
    let mut rest = order.split_off(taken);
    order.sort_unstable();
    rest.sort_unstable();
    (order, rest)
}

/// SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_in_one_part_and_seeds_differ() {
        let (train, test) = split_rows(1000, 0.66, 7);
        let mut all = [train.clone(), test].concat();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..1000));
        assert_ne!(train, split_rows(1000, 0.66, 8).0);
        let early = train.iter().filter(|&&row| row < 500).count();
        assert!((300..360).contains(&early), "{early}");
    }
}
