//! Says on standard error why an operation does not get on.

use crate::{output::Format, seldom_warning::SeldomWarning, session::Session};
use queue::{operations::OperationId, worker::WorkerEvent};
use std::sync::Arc;

/// The warnings of an operation that waits.
#[derive(Clone, Debug)]
pub(super) struct OperationWait {
    id: OperationId,
    format: Format,
    warning: Arc<SeldomWarning>,
}

impl OperationWait {
    pub(super) fn of(id: &OperationId, session: &Session) -> Self {
        Self { id: id.clone(), format: session.out.format(), warning: Arc::default() }
    }

    pub(super) fn tell(&self, why: &str) {
        let id = &self.id;
        self.warning.warn(
            self.format,
            format!(
                "the operation {id:?} waits: {why}; Ctrl-C ends this command, and `queue bulk run` goes on"
            ),
        );
    }

    /// For the worker that runs it.
    pub(super) fn observer(self) -> impl Fn(&WorkerEvent) + Send + Sync + 'static {
        move |event| {
            if let WorkerEvent::Error(error) = event {
                self.tell(error.message());
            }
        }
    }
}
