//! How many failures or stalls a job may have.

use std::num::NonZeroU32;

/// How many failures, or stalls, a job may have before it is Failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Budget {
    /// The job is Failed at exactly this number.
    Limited(NonZeroU32),
    /// The job is never Failed for this.
    Unlimited,
}

impl Budget {
    /// Twenty-five, the default for attempts. They take two days and more at the waits of
    /// [`RetryPolicy::default`](crate::RetryPolicy), so that even a long outage fails no job for
    /// good.
    pub const ATTEMPTS: Self = Self::Limited(NonZeroU32::new(25).expect("twenty-five is not zero"));
    /// Three, the default for stalls, so that a job that kills its workers is stopped soon.
    pub const STALLS: Self = Self::Limited(NonZeroU32::new(3).expect("three is not zero"));

    /// Zero means unlimited, which is also how stores write it.
    pub const fn from_raw(raw: u32) -> Self {
        match NonZeroU32::new(raw) {
            Some(limit) => Self::Limited(limit),
            None => Self::Unlimited,
        }
    }

    /// The limit, zero if there is none.
    pub const fn as_raw(self) -> u32 {
        match self {
            Self::Limited(limit) => limit.get(),
            Self::Unlimited => 0,
        }
    }

    /// True if `used` leaves nothing of the budget.
    pub const fn is_spent(self, used: u32) -> bool {
        match self {
            Self::Limited(limit) => used >= limit.get(),
            Self::Unlimited => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Budget;

    #[test]
    fn a_budget_is_spent_at_exactly_its_limit_and_an_unlimited_one_never() {
        let three = Budget::from_raw(3);
        assert_eq!([2, 3, 4].map(|used| three.is_spent(used)), [false, true, true]);
        assert!(!Budget::from_raw(0).is_spent(u32::MAX));
        assert!(Budget::from_raw(u32::MAX).is_spent(u32::MAX));
    }

    #[test]
    fn stored_numbers_round_trip() {
        for raw in [0, 1, 3, u32::MAX] {
            assert_eq!(Budget::from_raw(raw).as_raw(), raw);
        }
    }
}
