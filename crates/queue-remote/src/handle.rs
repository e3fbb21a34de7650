//! The state of one handle, which its verbs and its streams share.

use crate::{
    client::{Caller, ListenedBody},
    contract::{Apply, Claim, Enqueue, Get, Listen, Open, Topic, Verb},
    options::RemoteOptions,
    wire::Opened,
};
use queue_core::{
    Applied, ClaimRequest, Claimed, Detail, Enqueued, Error, JobId, JobRecord, Limits, NewJob, QueueName,
    Result, Stamped, lifecycle::Transition,
};
use queue_store::BatchVerbs;
use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

/// How long the server may take to say what its store is.
const OPEN_TIMEOUT: Duration = Duration::from_secs(30);
/// What the way to the server and back takes, beside the call that the server makes.
const WAY: Duration = Duration::from_secs(5);
/// How long the cross-check of a store may take.
const VERIFY_TIMEOUT: Duration = Duration::from_secs(600);

#[derive(Debug)]
pub(crate) struct RemoteHandle {
    caller: Caller,
    pub(crate) opened: Opened,
    /// How long the server may be silent.
    pub(crate) silence: Duration,
    is_closed: AtomicBool,
}

impl RemoteHandle {
    pub(crate) async fn open(options: RemoteOptions) -> Result<Self> {
        let options = options.checked()?;
        let caller = Caller::new(&options).await?;
        let opened = caller.call::<Open>(&(), options.response_timeout.unwrap_or(OPEN_TIMEOUT)).await?;
        let silence = options.response_timeout.unwrap_or(opened.call_timeout.saturating_add(WAY));
        Ok(Self { caller, opened, silence, is_closed: AtomicBool::new(false) })
    }

    pub(crate) async fn call<V: Verb>(&self, request: &V::Request) -> Result<V::Answer> {
        self.check_open(V::NAME)?;
        self.caller.call::<V>(request, self.silence).await
    }

    /// A call that may read everything.
    pub(crate) async fn call_at_length<V: Verb>(&self, request: &V::Request) -> Result<V::Answer> {
        self.check_open(V::NAME)?;
        self.caller.call::<V>(request, self.silence.max(VERIFY_TIMEOUT)).await
    }

    pub(crate) async fn listen(&self, request: &(QueueName, Topic)) -> Result<ListenedBody> {
        self.check_open("subscribe")?;
        let listened = self.caller.listen::<Listen>(request, self.silence).await;
        listened.map_err(|error| error.during("subscribe"))
    }

    pub(crate) fn check_open(&self, operation: &'static str) -> Result<()> {
        if self.is_closed.load(Ordering::Acquire) { Err(Error::closed(operation)) } else { Ok(()) }
    }

    /// Later calls answer `Closed`.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
    }
}

impl BatchVerbs for RemoteHandle {
    fn limits(&self) -> Limits {
        self.opened.limits
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.call::<Enqueue>(&(queue.clone(), groups)).await
    }

    /// One after the other; claims are sent apart, so there is one at a time. The store behind the
    /// server merges those that reach it together.
    async fn claim(&self, requests: Vec<ClaimRequest>) -> Result<Vec<Claimed>> {
        let mut answers = Vec::with_capacity(1);
        if let Some(request) = requests.first() {
            answers.push(self.call::<Claim>(request).await?);
        }
        Ok(answers)
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.call::<Apply>(&batch).await
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        self.call::<Get>(&((queue.clone(), ids.to_vec()), what)).await
    }
}
