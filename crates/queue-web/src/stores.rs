//! The stores that a dashboard shows.

use queue_core::Storage;
use queue_http::Readiness;
use std::{fmt, sync::Arc};

/// The name of a store that needs none, since it is the only one.
const ONLY: &str = "store";

/// The stores that a dashboard shows, by name. The first one is shown to those who name none.
#[derive(Clone, Debug)]
pub struct WatchedStores(Vec<WatchedStore>);

/// One store.
#[derive(Clone)]
pub(crate) struct WatchedStore {
    pub(crate) name: Arc<str>,
    pub(crate) storage: Arc<dyn Storage>,
    /// The check whether the store takes jobs, if there is one.
    pub(crate) readiness: Option<Readiness>,
}

impl WatchedStores {
    /// One store under a name.
    pub fn named(name: impl Into<String>, storage: Arc<dyn Storage>) -> Self {
        Self(vec![WatchedStore { name: name.into().into(), storage, readiness: None }])
    }

    /// Adds a store. A store with a name that is taken already is unreachable.
    #[must_use]
    pub fn and(mut self, name: impl Into<String>, storage: Arc<dyn Storage>) -> Self {
        self.0.push(WatchedStore { name: name.into().into(), storage, readiness: None });
        self
    }

    /// Shows of the store that was added last whether it takes jobs, as this says. Without it the
    /// dashboard writes nothing to find out.
    #[must_use]
    pub fn readiness(mut self, readiness: Readiness) -> Self {
        if let Some(last) = self.0.last_mut() {
            last.readiness = Some(readiness);
        }
        self
    }

    pub(crate) fn first(&self) -> &WatchedStore {
        self.0.first().expect("it is made with one store, and none is taken away")
    }

    pub(crate) fn find(&self, name: &str) -> Option<&WatchedStore> {
        self.0.iter().find(|store| &*store.name == name)
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &WatchedStore> {
        self.0.iter()
    }
}

impl From<Arc<dyn Storage>> for WatchedStores {
    fn from(storage: Arc<dyn Storage>) -> Self {
        Self::named(ONLY, storage)
    }
}

impl fmt::Debug for WatchedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WatchedStore").field(&self.name).finish()
    }
}
