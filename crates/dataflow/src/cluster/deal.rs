//! Work is dealt to processes by its size.

/// Deals pieces of work of these sizes to processes that have `loads` to do already: the largest piece first,
/// each to the process that has least. A piece without a size is done, and nobody's. Gives whose each is.
///
/// It follows from its arguments alone, so that all processes deal in the same way.
pub(crate) fn deal(sizes: &[Option<u64>], loads: &mut [u64]) -> Vec<Option<usize>> {
    let mut order: Vec<(u64, usize)> = (0..)
        .zip(sizes)
        .filter_map(|(piece, size)| Some(((*size)?, piece)))
        .collect();
    order.sort_by_key(|&(size, piece)| (std::cmp::Reverse(size), piece));
    let mut owners = vec![None; sizes.len()];
    for (size, piece) in order {
        let least = (0..loads.len()).min_by_key(|&process| (loads[process], process));
        let Some(process) = least else { return owners };
        // A piece of nothing is work, too.
        loads[process] += size.max(1);
        owners[piece] = Some(process);
    }
    owners
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_largest_go_first_and_what_is_done_to_nobody() {
        let sizes = [3, 9, 4, 4, 1].map(Some);
        let mut loads = [0; 2];
        assert_eq!(deal(&sizes, &mut loads), [1, 0, 1, 1, 0].map(Some));
        assert_eq!(loads, [10, 11]);
        let sizes = [None, Some(5), None, Some(5)];
        assert_eq!(deal(&sizes, &mut [0, 100, 0]), [None, Some(0), None, Some(2)]);
    }

    proptest! {
        #[test]
        fn nobody_has_more_than_a_piece_above_the_others(
            sizes in proptest::collection::vec(1u64..1000, 0..60), processes in 1usize..6,
        ) {
            let mut loads = vec![0; processes];
            let owners = deal(&sizes.iter().copied().map(Some).collect::<Vec<_>>(), &mut loads);
            for (process, &load) in loads.iter().enumerate() {
                let own = sizes.iter().zip(&owners).filter(|(_, owner)| **owner == Some(process));
                prop_assert_eq!(own.map(|(size, _)| size).sum::<u64>(), load);
            }
            let largest = sizes.iter().copied().max().unwrap_or(0);
            let (least, most) = (loads.iter().min().unwrap(), loads.iter().max().unwrap());
            prop_assert!(most - least <= largest);
        }
    }
}
