//! The verbs: arguments of a script, and what its answer means.

mod apply;
mod attempts;
mod claim;
mod counts;
mod diagnose;
mod enqueue;
mod get;
mod import;
mod list;
mod list_args;
mod partitions;
mod pause;
mod presence;
mod prune;
mod series;
mod verify;

/// Most jobs in one script, so that it holds up the server for a few milliseconds only, unless a
/// group has more.
const SCRIPT_JOBS_MAX: usize = 1_000;
/// Most bytes of payloads or results in one script, unless one item has more.
const SCRIPT_BYTES_MAX: usize = 16 << 20;

/// Splits items into runs that a script may take at once, in order. `weigh` answers jobs and bytes
/// of an item.
fn runs<T>(items: impl IntoIterator<Item = T>, weigh: impl Fn(&T) -> (usize, usize)) -> Vec<Vec<T>> {
    let mut runs: Vec<Vec<T>> = Vec::new();
    let (mut jobs, mut bytes) = (0, 0);
    for item in items {
        let (more_jobs, more_bytes) = weigh(&item);
        let fits = jobs + more_jobs <= SCRIPT_JOBS_MAX && bytes + more_bytes <= SCRIPT_BYTES_MAX;
        if let Some(run) = runs.last_mut().filter(|_| fits) {
            run.push(item);
            (jobs, bytes) = (jobs + more_jobs, bytes + more_bytes);
        } else {
            runs.push(vec![item]);
            (jobs, bytes) = (more_jobs, more_bytes);
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_keep_the_order_and_their_bounds() {
        let weights = [600, 400, 1, 5000, 999, 2];
        let split = runs(weights, |jobs| (*jobs, 0));
        assert_eq!(split, [vec![600, 400], vec![1], vec![5000], vec![999], vec![2]]);
    }

    #[test]
    fn large_payloads_travel_apart() {
        let split = runs([9 << 20, 9 << 20, 1 << 20], |bytes| (1, *bytes));
        assert_eq!(split, [vec![9 << 20], vec![9 << 20, 1 << 20]]);
    }
}
