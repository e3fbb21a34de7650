//! One of something for each runtime that uses a handle.

use crate::tasks::current_runtime;
use crate::{CurrentRuntime, Spawn};
use parking_lot::Mutex;
use std::{
    fmt,
    sync::{Arc, Weak},
};
use tokio::{runtime::Id, sync::oneshot, task::JoinHandle};

/// What a handle has on one runtime.
pub trait RuntimePart: Send + Sync + 'static {
    /// Called once, when the runtime has ended: nothing that was started on it will answer. An
    /// owner that still holds the part learns of the end by this call, which a drop could not say.
    fn end(&self) {}
}

/// One part for each Tokio runtime that uses a handle: its connections, or the task that listens.
/// Sockets, timers and tasks belong to one runtime, and others must not wait for them, since
/// nothing moves them while that runtime stands still.
///
/// A part is made when its runtime first asks for it, and dropped when the runtime ends, which a
/// task notices that rests on the runtime until then. A caller outside of any runtime has a part
/// too, which no end of a runtime drops.
///
/// The lock is held to look a part up and to make one, and never while a part does anything: a part
/// that wakes a task may come back here.
pub struct PerRuntime<T>(Arc<Mutex<Parts<T>>>);

struct Parts<T> {
    known: Vec<PartOfRuntime<T>>,
    is_closed: bool,
}

struct PartOfRuntime<T> {
    runtime: Option<Id>,
    part: Arc<T>,
    /// Dropped with the entry, which ends the task that waits for the end of the runtime.
    _in_use: oneshot::Sender<()>,
}

impl<T: RuntimePart> PerRuntime<T> {
    /// The part of the runtime of the caller, which `make` makes if there is none. No call of this
    /// comes from within `make`. After [`close`](Self::close) each call makes a part that has
    /// [ended](RuntimePart::end) and that only its caller has.
    pub fn here(&self, make: impl FnOnce() -> T) -> Arc<T> {
        let runtime = current_runtime();
        let mut parts = self.0.lock();
        if let Some(known) = parts.of(runtime) {
            return known;
        }
        let part = Arc::new(make());
        if parts.is_closed {
            drop(parts);
            part.end();
            return part;
        }
        let (in_use, unused) = oneshot::channel();
        parts.known.push(PartOfRuntime { runtime, part: part.clone(), _in_use: in_use });
        // The lock goes first: a runtime that is ending drops the task at once, and the task's
        // guard, which takes the lock.
        drop(parts);
        if runtime.is_some() {
            self.watch(&part, unused);
        }
        part
    }

    /// The part of the runtime of the caller, if it has one.
    pub fn known_here(&self) -> Option<Arc<T>> {
        self.0.lock().of(current_runtime())
    }

    /// All parts, in the order in which they were made.
    pub fn all(&self) -> Vec<Arc<T>> {
        self.0.lock().known.iter().map(|each| each.part.clone()).collect()
    }

    /// Takes all parts out, for the caller to close. It waits at most for that of its own runtime
    /// ([`known_here`](Self::known_here)), since nothing moves another that stands still.
    pub fn close(&self) -> Vec<Arc<T>> {
        let mut parts = self.0.lock();
        parts.is_closed = true;
        let known = std::mem::take(&mut parts.known);
        drop(parts);
        known.into_iter().map(|each| each.part).collect()
    }

    /// Closes all parts, as `close` does with each, and waits until the tasks that it returns have
    /// ended. Only the tasks of the caller's own runtime are waited for, since nothing moves
    /// another runtime that stands still. Once the first poll is over, every part is closed;
    /// dropping the future then only ends the wait.
    pub async fn close_tasks<Tasks>(&self, close: impl Fn(&T) -> Tasks)
    where
        Tasks: IntoIterator<Item = JoinHandle<()>>,
    {
        let own = self.known_here();
        let is_own = |part: &Arc<T>| own.as_ref().is_some_and(|own| Arc::ptr_eq(own, part));
        let mut awaited = Vec::new();
        for part in self.close() {
            let tasks = close(&part);
            if is_own(&part) {
                awaited.extend(tasks);
            }
        }
        for task in awaited {
            // The task was aborted, so how it ended says nothing.
            drop(task.await);
        }
    }

    /// Starts the task that goes with its runtime. It ends too when its entry is dropped.
    fn watch(&self, part: &Arc<T>, unused: oneshot::Receiver<()>) {
        let guard = RuntimeGuard { parts: Arc::downgrade(&self.0), part: Arc::downgrade(part) };
        CurrentRuntime.spawn(Box::pin(async move {
            let _guard = guard;
            // The sender sends nothing: it is dropped.
            drop(unused.await);
        }));
    }
}

impl<T> Parts<T> {
    fn of(&self, runtime: Option<Id>) -> Option<Arc<T>> {
        self.known.iter().find(|known| known.runtime == runtime).map(|known| known.part.clone())
    }
}

impl<T> Default for PerRuntime<T> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Parts { known: Vec::new(), is_closed: false })))
    }
}

impl<T> fmt::Debug for PerRuntime<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PerRuntime").finish_non_exhaustive()
    }
}

/// Held by a task that goes with its runtime.
struct RuntimeGuard<T: RuntimePart> {
    parts: Weak<Mutex<Parts<T>>>,
    part: Weak<T>,
}

impl<T: RuntimePart> Drop for RuntimeGuard<T> {
    fn drop(&mut self) {
        let Some(parts) = self.parts.upgrade() else { return };
        let is_own = |each: &mut PartOfRuntime<T>| Weak::as_ptr(&self.part) == Arc::as_ptr(&each.part);
        let ended: Vec<_> = parts.lock().known.extract_if(.., is_own).collect();
        for each in ended {
            each.part.end();
        }
    }
}
