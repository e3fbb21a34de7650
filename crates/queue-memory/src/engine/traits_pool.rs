//! Sharing of the fields that jobs of one queue have in common.

use super::packed_job::Traits;
use std::sync::Arc;

/// How many are kept: most queues have a few kinds of jobs.
const REMEMBERED_MAX: usize = 16;

/// Traits of recent jobs of one queue, each shared by all jobs that have them.
#[derive(Debug, Default)]
pub(super) struct TraitsPool(Vec<Arc<Traits>>);

impl TraitsPool {
    /// The same, shared with others where there are any.
    pub(super) fn share(&mut self, traits: Traits) -> Arc<Traits> {
        if let Some(known) = self.0.iter().find(|known| ***known == traits) {
            return known.clone();
        }
        if self.0.len() == REMEMBERED_MAX {
            self.0.remove(0);
        }
        let new = Arc::new(traits);
        self.0.push(new.clone());
        new
    }
}
