//! What a token allows, in eight words.

use std::{fmt, str::FromStr};

/// One kind of thing that a caller may do. No scope includes another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Scope {
    /// Enqueue jobs, and wait for the results of those whose id one knows.
    Produce,
    /// Claim, extend and settle jobs.
    Work,
    /// See jobs, queues, workers and counts, without payloads and results.
    View,
    /// See payloads, results and details of errors too.
    Payload,
    /// Change jobs that others enqueued: cancel, redrive, promote, delete; pause and limit queues.
    Operate,
    /// Remove whole queues, and check the store.
    Admin,
    /// Read metrics.
    Metrics,
    /// Everything that direct access to the store allows, for stores that are used remotely.
    Store,
}

impl Scope {
    /// All scopes, in the order in which they are listed.
    pub const ALL: [Self; 8] = [
        Self::Produce,
        Self::Work,
        Self::View,
        Self::Payload,
        Self::Operate,
        Self::Admin,
        Self::Metrics,
        Self::Store,
    ];

    /// The word in token files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Produce => "produce",
            Self::Work => "work",
            Self::View => "view",
            Self::Payload => "payload",
            Self::Operate => "operate",
            Self::Admin => "admin",
            Self::Metrics => "metrics",
            Self::Store => "store",
        }
    }

    /// Why a caller whose token lacks it is refused.
    pub(super) const fn lacking(self) -> &'static str {
        match self {
            Self::Produce => "the token lacks the scope produce",
            Self::Work => "the token lacks the scope work",
            Self::View => "the token lacks the scope view",
            Self::Payload => "the token lacks the scope payload",
            Self::Operate => "the token lacks the scope operate",
            Self::Admin => "the token lacks the scope admin",
            Self::Metrics => "the token lacks the scope metrics",
            Self::Store => "the token lacks the scope store",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that names no scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no scope; there are produce, work, view, payload, operate, admin, metrics and store")]
pub struct UnknownScope(String);

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        let found = Self::ALL.into_iter().find(|scope| scope.name() == text);
        found.ok_or_else(|| UnknownScope(text.to_owned()))
    }
}

/// A set of scopes.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Scopes(u8);

impl Scopes {
    /// Every scope but [`Scope::Store`], which is given by name alone.
    pub fn all_but_store() -> Self {
        Scope::ALL.into_iter().filter(|scope| *scope != Scope::Store).collect()
    }

    /// Whether the set contains this scope.
    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// Whether the set allows nothing.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The scopes of the set, in the order of [`Scope::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.into_iter().filter(move |scope| self.contains(*scope))
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |bits, scope| bits | scope.bit()))
    }
}

impl fmt::Debug for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{Scope, Scopes};

    #[test]
    fn every_scope_is_found_by_its_name_and_is_in_no_other_set() {
        for scope in Scope::ALL {
            assert_eq!(scope.name().parse(), Ok(scope));
            assert_eq!(scope.lacking(), format!("the token lacks the scope {scope}"));
            let alone: Scopes = [scope].into_iter().collect();
            assert_eq!(alone.iter().collect::<Vec<_>>(), [scope]);
        }
        assert!("Work".parse::<Scope>().is_err() && "".parse::<Scope>().is_err());
        assert!(!Scopes::all_but_store().contains(Scope::Store));
    }
}
