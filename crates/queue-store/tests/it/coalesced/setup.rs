//! A coalesced recorder on the test's runtime, and calls to make on it.

use crate::coalesced::recorder::Recorder;
use queue_core::{
    ContentType, Enqueued, JobId, JobMeta, Kind, LeaseToken, Limits, NewJob, Payload, QueueName, Result, Seq,
    Span, Stamped, State, Timestamp,
    lifecycle::{Event, Policy, Transition, decide},
};
use queue_store::{Coalesced, Spawn};
use std::{
    future::{Future, poll_fn},
    pin::Pin,
    sync::{Arc, Mutex},
    task::Poll,
};
use tokio::{runtime::Handle, task::JoinHandle};

/// More turns than any task needs to come to rest.
const TURNS: usize = 100;

/// A call in progress.
pub(crate) type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<Stamped<T>>> + Send + 'a>>;

/// Starts tasks on the present runtime and keeps their handles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tasks(Arc<Mutex<Vec<JoinHandle<()>>>>);

impl Spawn for Tasks {
    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        self.0.lock().expect("no test panics with it").push(Handle::current().spawn(task));
    }
}

impl Tasks {
    /// Every task started so far.
    pub(crate) fn take(&self) -> Vec<JoinHandle<()>> {
        std::mem::take(&mut *self.0.lock().expect("no test panics with it"))
    }
}

pub(crate) fn coalesced(limits: Limits) -> (Recorder, Coalesced<Recorder>) {
    let store = Recorder::gated(limits);
    (store.clone(), Coalesced::new(Arc::new(store), Tasks::default()))
}

pub(crate) fn job(id: &str) -> NewJob {
    let payload = Payload::new("x", ContentType::from_static("text/plain"));
    NewJob::new(JobId::new(id).expect("a test names valid ids"), Kind::unnamed(), payload)
}

/// One group of jobs for the queue, not yet begun.
pub(crate) fn enqueue<'a>(
    store: &'a Coalesced<Recorder>,
    queue: &'static str,
    ids: &[&str],
) -> Pending<'a, Vec<Vec<Enqueued>>> {
    let group = ids.iter().map(|id| job(id)).collect();
    Box::pin(async move { store.enqueue(&QueueName::from_static(queue), vec![group]).await })
}

/// A transition of a job that the test holds.
pub(crate) fn transition(id: &str, event: impl FnOnce(LeaseToken) -> Event) -> Transition {
    let meta = JobMeta::begin(QueueName::from_static("q"), &job(id), Seq::new(1), Timestamp::from_millis(0));
    let held = JobMeta { state: State::Processing, ..meta };
    decide(&held, event(LeaseToken::from_bytes([1; 16])), &Policy::default()).expect("the job is held")
}

pub(crate) fn release(id: &str) -> Transition {
    transition(id, Event::release)
}

pub(crate) fn heartbeat(id: &str) -> Transition {
    transition(id, |token| Event::Extend { token, by: Span::from_secs(30), progress: None })
}

/// Lets a call begin, or join its line, which it does at its first poll.
pub(crate) async fn join<T>(call: &mut Pending<'_, T>) {
    let ready = poll_fn(|context| Poll::Ready(call.as_mut().poll(context).is_ready())).await;
    assert!(!ready, "the gate is shut, so nothing can be answered yet");
}

/// Lets every other task of this single-threaded runtime run until it waits.
pub(crate) async fn every_task_rests() {
    for _ in 0..TURNS {
        tokio::task::yield_now().await;
    }
}

/// Begins a call that keeps the enqueues of its queue busy until the gate opens.
pub(crate) async fn busy<'a>(
    recorder: &Recorder,
    store: &'a Coalesced<Recorder>,
) -> Pending<'a, Vec<Vec<Enqueued>>> {
    let mut first = enqueue(store, "q", &["first"]);
    join(&mut first).await;
    recorder.entered().await;
    first
}
