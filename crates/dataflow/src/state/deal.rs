//! Work is dealt to processes by its size.

/// Deals pieces of work of these sizes to processes that have `loads` to do already: the largest piece first,
/// each to the process that has least. A piece without a size is done, and dealt to none. Returns the process of each.
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

/// The same for pieces that are best done one behind the other: each process has a row of them, and all rows are about as
/// large.
pub(crate) fn deal_rows(sizes: &[Option<u64>], processes: usize) -> Vec<Option<usize>> {
    let known = || sizes.iter().map(|size| size.map_or(0, |size| size.max(1)));
    let all: u128 = known().map(u128::from).sum();
    let mut before = 0;
    let owners = sizes.iter().zip(known()).map(|(size, weight)| {
        // A piece belongs to the row that it begins in.
        let begin = before;
        before += u128::from(weight);
        size.map(|_| (begin * processes as u128 / all) as usize)
    });
    owners.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_largest_go_first_and_done_pieces_to_none() {
        let sizes = [3, 9, 4, 4, 1].map(Some);
        let mut loads = [0; 2];
        assert_eq!(deal(&sizes, &mut loads), [1, 0, 1, 1, 0].map(Some));
        assert_eq!(loads, [10, 11]);
        let sizes = [None, Some(5), None, Some(5)];
        assert_eq!(deal(&sizes, &mut [0, 100, 0]), [None, Some(0), None, Some(2)]);
    }

    #[test]
    fn rows_are_about_as_large_and_what_is_done_is_in_none() {
        assert_eq!(
            deal_rows(&[3, 1, 2, 2, 4].map(Some), 2),
            [0, 0, 0, 1, 1].map(Some)
        );
        assert_eq!(
            deal_rows(&[None, Some(0), None, Some(0)], 2),
            [None, Some(0), None, Some(1)]
        );
        assert_eq!(deal_rows(&[None], 2), [None]);
    }

    proptest! {
        #[test]
        fn a_row_has_no_more_than_a_piece_above_its_share(
            sizes in proptest::collection::vec(1u64..1000, 1..60), processes in 1usize..6,
        ) {
            let owners = deal_rows(&sizes.iter().copied().map(Some).collect::<Vec<_>>(), processes);
            prop_assert!(owners.is_sorted());
            let all: u64 = sizes.iter().sum();
            for process in 0..processes {
                let own = sizes.iter().zip(&owners).filter(|(_, owner)| **owner == Some(process));
                let load: u64 = own.map(|(size, _)| size).sum();
                prop_assert!(load <= all / processes as u64 + 1 + sizes.iter().max().unwrap());
            }
        }

        #[test]
        fn no_process_has_more_than_a_piece_above_the_others(
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
