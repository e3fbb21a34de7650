//! One of something for each runtime that uses a handle.

use crate::tasks::current_runtime;
use crate::{CurrentRuntime, Spawn};
use parking_lot::Mutex;
use std::{
    fmt,
    sync::{Arc, Weak},
};
use tokio::{runtime::Id, sync::oneshot};

/// What a handle has on one runtime.
pub trait RuntimePart: Send + Sync + 'static {
    /// Called once, when the runtime has ended: nothing that was started on it will answer. Whoever
    /// still holds the part learns so what dropping it cannot say.
    fn end(&self) {}
}

/// One part for each Tokio runtime that uses a handle: its connections, or the task that listens.
/// Sockets, timers and tasks belong to one runtime, and others must not wait for them, since
/// nothing moves them while that runtime stands still.
///
/// A part is made when its runtime first asks for it, and dropped when the runtime ends, which a
/// task notices that rests on the runtime until then. A caller outside of any runtime has a part
/// too, which no end of a runtime drops.
pub struct PerRuntime<T>(Arc<Mutex<Vec<PartOfRuntime<T>>>>);

struct PartOfRuntime<T> {
    runtime: Option<Id>,
    part: Arc<T>,
    /// Dropped with the entry, which ends the task that waits for the end of the runtime.
    _in_use: oneshot::Sender<()>,
}

impl<T: RuntimePart> PerRuntime<T> {
    /// The part of the runtime of the caller, which `make` makes if there is none. No call of this
    /// comes from within `make`.
    pub fn here(&self, make: impl FnOnce() -> T) -> Arc<T> {
        let runtime = current_runtime();
        let mut parts = self.0.lock();
        if let Some(known) = parts.iter().find(|known| known.runtime == runtime) {
            return known.part.clone();
        }
        let (in_use, unused) = oneshot::channel();
        let part = Arc::new(make());
        parts.push(PartOfRuntime { runtime, part: part.clone(), _in_use: in_use });
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
        let runtime = current_runtime();
        let parts = self.0.lock();
        parts.iter().find(|known| known.runtime == runtime).map(|known| known.part.clone())
    }

    /// All parts, in the order in which they were made.
    pub fn all(&self) -> Vec<Arc<T>> {
        self.0.lock().iter().map(|each| each.part.clone()).collect()
    }

    /// Calls this with each part. What it does must be short, and must not come back here.
    pub fn for_each(&self, act: impl FnMut(&Arc<T>)) {
        self.0.lock().iter().map(|each| &each.part).for_each(act);
    }

    /// Takes all parts out. A runtime that asks later has another made.
    pub fn take_all(&self) -> Vec<Arc<T>> {
        std::mem::take(&mut *self.0.lock()).into_iter().map(|each| each.part).collect()
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

impl<T> Default for PerRuntime<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> fmt::Debug for PerRuntime<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PerRuntime").finish_non_exhaustive()
    }
}

/// Held by a task that goes with its runtime.
struct RuntimeGuard<T: RuntimePart> {
    parts: Weak<Mutex<Vec<PartOfRuntime<T>>>>,
    part: Weak<T>,
}

impl<T: RuntimePart> Drop for RuntimeGuard<T> {
    fn drop(&mut self) {
        let Some(parts) = self.parts.upgrade() else { return };
        let is_own = |each: &mut PartOfRuntime<T>| Weak::as_ptr(&self.part) == Arc::as_ptr(&each.part);
        let ended: Vec<_> = parts.lock().extract_if(.., is_own).collect();
        for each in ended {
            each.part.end();
        }
    }
}
