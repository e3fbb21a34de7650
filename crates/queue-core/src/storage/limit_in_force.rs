//! Which limit holds.

use crate::{Limit, LimitScope, Partition};

/// The limit that holds for a partition, or for the jobs without one.
///
/// ```
/// use queue_core::{Limit, LimitInForce, LimitScope, Partition};
/// use std::{collections::BTreeMap, convert::Infallible};
///
/// let [two, five] = [2, 5].map(|running| Limit { running: Some(running), ..Limit::default() });
/// let acme = Partition::from_static("acme");
/// let limits = BTreeMap::from([
///     (LimitScope::EachPartition, two),
///     (LimitScope::Partition(acme.clone()), five),
/// ]);
/// let read = |scope: &LimitScope| Ok::<_, Infallible>(limits.get(scope).copied());
///
/// let Ok(of_acme) = LimitInForce::find(Some(&acme), read);
/// assert_eq!(of_acme, LimitInForce { limit: five, is_own: true });
/// let Ok(of_another) = LimitInForce::find(Some(&Partition::from_static("b")), read);
/// assert_eq!(of_another, LimitInForce { limit: two, is_own: false });
/// let Ok(of_the_rest) = LimitInForce::find(None, read);
/// assert_eq!(of_the_rest, LimitInForce::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LimitInForce {
    /// The limit.
    pub limit: Limit,
    /// Whether the partition has it alone.
    pub is_own: bool,
}

impl LimitInForce {
    /// Of its own limit and the one that it shares with others, the own one, which is the more
    /// special.
    #[must_use]
    pub fn of(own: Option<Limit>, shared: Option<Limit>) -> Self {
        Self { limit: own.or(shared).unwrap_or_default(), is_own: own.is_some() }
    }

    /// The same from a store that reads one limit at a time: the limit of each partition only where
    /// it counts. `None` stands for the jobs without a partition.
    ///
    /// # Errors
    /// What `read` fails with.
    pub fn find<E>(
        partition: Option<&Partition>,
        mut read: impl FnMut(&LimitScope) -> Result<Option<Limit>, E>,
    ) -> Result<Self, E> {
        let Some(partition) = partition else {
            return Ok(Self::of(read(&LimitScope::Unpartitioned)?, None));
        };
        match read(&LimitScope::Partition(partition.clone()))? {
            None => Ok(Self::of(None, read(&LimitScope::EachPartition)?)),
            own => Ok(Self::of(own, None)),
        }
    }

    /// Whether a store keeps the record of a partition with so many jobs: one with neither jobs nor
    /// a limit of its own is forgotten.
    #[must_use]
    pub fn keeps(&self, leases: u64, waiting: u64) -> bool {
        leases > 0 || waiting > 0 || self.is_own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: Limit = Limit { running: Some(2), weight: 1 };

    #[test]
    fn the_shared_limit_is_read_only_where_there_is_no_own_one() {
        let key = Partition::from_static("a");
        let own = LimitScope::Partition(key.clone());
        let asked = |partition, found: Option<Limit>| {
            let mut asked = Vec::new();
            let in_force = LimitInForce::find(partition, |scope| {
                asked.push(scope.clone());
                Ok::<_, ()>(found)
            });
            (asked, in_force)
        };
        let of_own = LimitInForce { limit: TWO, is_own: true };
        assert_eq!(asked(Some(&key), Some(TWO)), (vec![own.clone()], Ok(of_own)));
        let both = vec![own, LimitScope::EachPartition];
        assert_eq!(asked(Some(&key), None), (both, Ok(LimitInForce::default())));
        assert_eq!(asked(None, None), (vec![LimitScope::Unpartitioned], Ok(LimitInForce::default())));
        assert_eq!(LimitInForce::find(Some(&key), |_| Err("unreadable")), Err("unreadable"));
    }

    #[test]
    fn a_partition_is_forgotten_with_its_last_job_unless_it_has_a_limit_of_its_own() {
        let shared = LimitInForce::of(None, Some(TWO));
        assert!(shared.keeps(1, 0) && shared.keeps(0, 1) && !shared.keeps(0, 0));
        assert!(LimitInForce::of(Some(TWO), None).keeps(0, 0));
    }
}
