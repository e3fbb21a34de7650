//! A store that is damaged ends the worker, since waiting does not repair it.

use queue::worker::WorkerEvent;
use queue::{Error, ErrorKind};
use std::sync::{Arc, OnceLock};
use tokio_util::sync::CancellationToken;

/// The first claim that the store refused since its data is damaged.
///
/// Claims count alone: one record that cannot be read may fail other calls, while the worker runs
/// all other jobs.
#[derive(Clone, Debug, Default)]
pub(super) struct DamageWatch {
    error: Arc<OnceLock<Error>>,
    found: CancellationToken,
}

impl DamageWatch {
    /// Whether the event is about that, and so need not be shown: the worker ends with the error.
    pub(super) fn notes(&self, event: &WorkerEvent) -> bool {
        let WorkerEvent::Error(error) = event else { return false };
        let is_damage = error.kind() == ErrorKind::Corrupt && error.operation() == "claim";
        if is_damage {
            // Later ones say the same.
            let _first = self.error.set(error.clone());
            self.found.cancel();
        }
        is_damage
    }

    pub(super) async fn found(&self) {
        self.found.cancelled().await;
    }

    pub(super) fn error(&self) -> Option<Error> {
        self.error.get().cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_on_damaged_data_is_damage_and_other_errors_are_not() {
        let watch = DamageWatch::default();
        for (kind, operation) in
            [(ErrorKind::Corrupt, "list"), (ErrorKind::Unavailable, "claim"), (ErrorKind::Conflict, "claim")]
        {
            assert!(!watch.notes(&WorkerEvent::Error(Error::new(kind, operation, "no"))));
        }
        assert!(watch.error().is_none());
        assert!(watch.notes(&WorkerEvent::Error(Error::new(ErrorKind::Corrupt, "claim", "damaged"))));
        assert_eq!(watch.error().map(|error| error.kind()), Some(ErrorKind::Corrupt));
    }
}
