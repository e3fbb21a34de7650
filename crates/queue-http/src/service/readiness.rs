//! Whether the store can be used now, by a job that is stored and removed again.

use futures_util::future::{BoxFuture, FutureExt, Shared};
use parking_lot::Mutex;
use queue_core::{
    ContentType, Error, ErrorKind, JobId, Kind, NewJob, OnWaiting, Payload, QueueName, Result, Span, Storage,
    StorageExt,
    lifecycle::{Event, Policy},
};
use std::{fmt, sync::Arc, time::Duration};
use tokio::time::{Instant, timeout};

/// The queue of the job. It stays listed by stores that were asked, without jobs.
const QUEUE: &str = "queue.probe";
/// The probe job of a crashed server must not come due; the next probe removes it.
const DELAY: Span = Span::from_secs(365 * 86_400);

/// Whether the store of a service takes jobs now.
///
/// A store that reads may refuse every write, as on a full disk, and some stores keep room for
/// settles there. So a look stores a job and removes it. Looks are shared: as long as an answer is
/// young enough, no caller costs the store anything.
#[derive(Clone)]
pub struct Readiness(Arc<Looks>);

struct Looks {
    storage: Arc<dyn Storage>,
    last: Mutex<Option<(Instant, Look)>>,
}

type Look = Shared<BoxFuture<'static, Result<()>>>;

impl Readiness {
    /// How long the store has to answer.
    pub const LOOK_MAX: Duration = Duration::from_secs(5);

    /// Of this store.
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self(Arc::new(Looks { storage, last: Mutex::new(None) }))
    }

    /// Whether the store took a job, as a look says that began at most `age` ago. A call that comes
    /// while a look is in flight joins it.
    ///
    /// # Errors
    /// What the store answers to an enqueue, and `Unavailable` if it does not answer within
    /// [`LOOK_MAX`](Self::LOOK_MAX). `Closed` is for good: the handle has to be opened again.
    ///
    /// A dropped future may leave the job until the next look.
    pub async fn check(&self, age: Duration) -> Result<()> {
        let look = self.look(age);
        look.await
    }

    fn look(&self, age: Duration) -> Look {
        let now = Instant::now();
        let mut last = self.0.last.lock();
        if let Some((begun, look)) = &*last {
            // Nothing drives a look whose callers have all gone.
            let most = if look.peek().is_some() { age } else { Self::LOOK_MAX };
            if now.duration_since(*begun) < most {
                return look.clone();
            }
        }
        let look = bounded(self.0.storage.clone()).boxed().shared();
        *last = Some((now, look.clone()));
        look
    }
}

async fn bounded(storage: Arc<dyn Storage>) -> Result<()> {
    let late = |_| Error::new(ErrorKind::Unavailable, "ready", "the store does not answer in time");
    timeout(Readiness::LOOK_MAX, store_and_remove(&*storage)).await.map_err(late)?
}

async fn store_and_remove(storage: &dyn Storage) -> Result<()> {
    let queue = QueueName::from_static(QUEUE);
    let id = JobId::from_static("ready");
    let payload = Payload::new("", ContentType::from_static("application/octet-stream"));
    // One that another server or a crash has left there is replaced, so that this writes.
    let job = NewJob::new(id.clone(), Kind::from_static(QUEUE), payload)
        .with_delay(DELAY)
        .with_on_waiting(OnWaiting::Replace { max_wait: None });
    storage.enqueue(&queue, vec![vec![job]]).await?;
    storage.change(&queue, &id, Event::Delete, &Policy::default()).await.map(drop)
}

impl fmt::Debug for Readiness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Readiness").field("store", &self.0.storage).finish_non_exhaustive()
    }
}
