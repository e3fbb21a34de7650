use super::stored_job::Traits;
use std::sync::Arc;

/// So many are remembered: most queues have a few kinds of jobs.
const REMEMBERED_MAX: usize = 16;

/// What jobs of one queue that came lately have in common, so that each of them need not have it for itself.
#[derive(Debug, Default)]
pub(super) struct Pool(Vec<Arc<Traits>>);

impl Pool {
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
