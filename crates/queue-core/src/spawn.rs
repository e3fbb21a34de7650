use std::{fmt::Debug, future::Future, pin::Pin};

/// How a part of the library starts a task, so that it depends on no runtime.
pub trait Spawn: Debug + Send + Sync + 'static {
    /// Runs the future to its end, independently of the caller. It may be called while a future is dropped, so it must not panic
    /// where there is nothing to run it on: then it drops it.
    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>);
}

impl<T: Spawn + ?Sized> Spawn for &'static T {
    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        (**self).spawn(task);
    }
}
