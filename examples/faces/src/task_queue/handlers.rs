//! The typed handlers of a task queue, one for each type of task.

use super::Task;
use queue::{
    Result,
    worker::{Context, JobError, Router},
};

/// One handler for each type of task, with the application's state.
#[derive(Debug)]
pub struct Handlers<S = ()>(pub(super) Router<S>);

impl<S: Send + Sync + 'static> Handlers<S> {
    /// No handlers yet.
    pub fn new(state: S) -> Self {
        Self(Router::new(state))
    }

    /// Adds the handler of a type of task. The compiler checks that it takes that task and answers
    /// its output.
    ///
    /// # Errors
    /// `Invalid` if the kind has a handler already or is no valid name.
    pub fn on<T, F, Fut>(self, handler: F) -> Result<Self>
    where
        T: Task,
        F: Fn(T, Context<S>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T::Output, JobError>> + Send + 'static,
    {
        self.0.handle(T::KIND, handler).map(Self)
    }
}
