//! The standings that a key of the view of jobs goes through.

use queue::view::{JobFilter, Standing};

/// All jobs, and the standings that divide them.
const COUNT: usize = Standing::TABS.len() + 1;

/// The standings in the order of the key, and whether a filter shows this one; none means all jobs.
pub(super) fn standings(filter: &JobFilter) -> [(Option<Standing>, bool); COUNT] {
    let place = place(filter);
    std::array::from_fn(|at| (at.checked_sub(1).map(|at| Standing::TABS[at]), Some(at) == place))
}

/// The filter with the standing so many places on.
pub(super) fn turned(filter: &JobFilter, by: usize) -> JobFilter {
    let at = (place(filter).unwrap_or(0) + by) % COUNT;
    JobFilter {
        states: at.checked_sub(1).map(|at| Standing::TABS[at]).into_iter().collect(),
        ..filter.clone()
    }
}

/// The place of what a filter shows; `None` for several standings, or one that no key leads to.
fn place(filter: &JobFilter) -> Option<usize> {
    match filter.states.as_slice() {
        [] => Some(0),
        [own] => Standing::TABS.iter().position(|standing| standing == own).map(|at| at + 1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{COUNT, standings, turned};
    use queue::view::JobFilter;

    #[test]
    fn a_key_goes_through_all_standings_and_back() {
        let mut filter: JobFilter = "kind=k".parse().unwrap();
        for _ in 0..COUNT {
            assert_eq!(standings(&filter).iter().filter(|(_, is_own)| *is_own).count(), 1);
            filter = turned(&filter, 1);
        }
        assert_eq!(filter.to_string(), "kind=k");
        assert_eq!(turned(&turned(&filter, COUNT - 1), 1), filter);
    }
}
