//! How the parts of this crate start tasks.

use std::{fmt::Debug, pin::Pin};
use tokio::runtime::{Handle, Id};

/// How a part of the library starts a task, so that a test or a simulator can run the tasks itself.
pub trait Spawn: Debug + Send + Sync + 'static {
    /// Runs the future to its end, independently of the caller. It may be called while a future is
    /// dropped, so it must not panic where nothing can run the future: it drops the future then.
    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>);
}

impl<T: Spawn + ?Sized> Spawn for &'static T {
    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        (**self).spawn(task);
    }
}

/// Starts tasks on the Tokio runtime of the caller, whichever that is at the time: what a store
/// passes to [`Coalesced::new`](crate::Coalesced::new).
///
/// A task is dropped where there is no runtime, as when a future is dropped after its own runtime
/// has ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct CurrentRuntime;

impl Spawn for CurrentRuntime {
    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        if let Ok(runtime) = Handle::try_current() {
            drop(runtime.spawn(task));
        }
    }
}

/// The runtime of the caller, if there is one.
pub(crate) fn current_runtime() -> Option<Id> {
    Handle::try_current().ok().map(|runtime| runtime.id())
}
