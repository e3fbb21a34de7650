//! A handler that passes each task to the handler of its kind.

use super::{Task, TaskError};
use async_trait::async_trait;
use queue::{Error, Kind, Result, worker::runtime::Handler};
use std::{collections::BTreeMap, fmt, sync::Arc};

/// Handlers by the kind of task, as one handler.
#[derive(Clone, Default)]
pub struct Mux(BTreeMap<Kind, Arc<TaskHandler>>);

type TaskHandler = dyn Handler<Task, Output = (), Error = TaskError>;

impl Mux {
    /// A mux without handlers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the handler of a kind.
    ///
    /// # Errors
    /// `Invalid` for a kind that is empty or no valid name, and for one that has a handler already.
    pub fn on<H>(mut self, kind: &str, handler: H) -> Result<Self>
    where
        H: Handler<Task, Output = (), Error = TaskError>,
    {
        let kind = Kind::new(kind)?;
        if self.0.contains_key(&kind) {
            return Err(Error::invalid("mux", format!("the kind {kind:?} has a handler already")));
        }
        self.0.insert(kind, Arc::new(handler));
        Ok(self)
    }
}

#[async_trait]
impl Handler<Task> for Mux {
    type Output = ();
    type Error = TaskError;

    /// A task of a kind without a handler becomes a dead letter, so that an operator sees it.
    async fn handle(&self, task: Task) -> Result<(), TaskError> {
        match self.0.get(&task.meta().kind) {
            Some(handler) => handler.handle(task).await,
            None => Err(TaskError::Terminal(format!("no handler for the kind {:?}", task.meta().kind))),
        }
    }
}

impl fmt::Debug for Mux {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Mux").field(&self.0.keys()).finish()
    }
}
