//! Which cases are run, and how.

use super::HANG_AFTER;
use std::time::Duration;

/// Which cases [`collect`](crate::collect) runs, and how. The default is all of them, two at a
/// time.
#[derive(Clone, Debug)]
pub struct Selection {
    names: Vec<String>,
    pub(super) hang_after: Duration,
    pub(super) cases_at_once: usize,
}

/// Settling, leases, binary payloads, and hints.
const CORE: [&str; 5] = ["binary::", "events::", "extend::", "fencing::", "settle::"];

impl Selection {
    /// The few groups worth repeating where a store that passes the suite is reached in another
    /// way, such as over encrypted connections: settling, leases, binary payloads, and hints.
    pub fn core() -> Self {
        Self::default().only(CORE)
    }

    /// Runs only cases whose full name begins with one of these: `"fencing::"` for a group, or the
    /// whole name of a case.
    #[must_use]
    pub fn only<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.names = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets how long a case may run before it counts as hanging. The default is two minutes. While
    /// its calls are answered it may go on for four times as long.
    #[must_use]
    pub fn with_hang_after(mut self, hang_after: Duration) -> Self {
        self.hang_after = hang_after;
        self
    }

    /// Sets how many cases run at the same time, at least one.
    #[must_use]
    pub fn with_cases_at_once(mut self, cases_at_once: usize) -> Self {
        self.cases_at_once = cases_at_once.max(1);
        self
    }

    pub(super) fn contains(&self, full_name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|name| full_name.starts_with(name))
    }
}

impl Default for Selection {
    fn default() -> Self {
        Self { names: Vec::new(), hang_after: HANG_AFTER, cases_at_once: 2 }
    }
}

#[cfg(test)]
mod tests {
    use super::{CORE, Selection};
    use crate::cases::all;

    #[test]
    fn every_group_of_the_core_has_cases() {
        for group in CORE {
            assert!(all().any(|case| case.full_name().starts_with(group)), "{group}");
        }
        assert!(all().any(|case| !Selection::core().contains(&case.full_name())));
    }
}
