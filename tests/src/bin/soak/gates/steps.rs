//! What each step of many jobs costs, one step after the other. Several callers may end jobs at
//! once.

use super::{
    check,
    jobs::{Members, queue},
};
use crate::{
    failed::{Failed, require},
    many::{FAILS, StorePlace, WAITS, server_busy},
};
use queue::{
    Storage, SystemRng,
    queue_core::{
        Applied, Changed, ClaimRequest, ClaimedJob, ContentType, Failure, Payload, Span, StorageExt,
        WorkerId,
        lifecycle::{Cause, Event, Policy, Transition, decide},
    },
};
use queue_e2e::cpu_time;
use std::{process, sync::Arc, time::Duration};
use tokio::{task::JoinSet, time::Instant};

/// No lease lapses meanwhile.
const LEASE: Span = Span::from_secs(36_000);

/// Measures the steps of all jobs. Answers how many jobs were done in a second.
pub(super) async fn measure(
    place: &StorePlace,
    members: &Members,
    batch: usize,
    callers: usize,
) -> Result<f64, Failed> {
    let storage = place.open().await?;
    members.open(&*storage).await?;
    let begun = Instant::now();
    let step = Step::begin(place);
    for at in (0..members.jobs).step_by(batch) {
        let end = members.jobs.min(at + batch as u64);
        members.add(&*storage, at..end).await?;
    }
    step.end("enqueue", members);
    members.seal(&*storage).await?;
    let step = Step::begin(place);
    let mut held = Vec::new();
    while (held.len() as u64) < members.jobs {
        let claimed = claim(&storage, batch).await?;
        require(!claimed.is_empty(), || format!("{} jobs are due, and no more", held.len()))?;
        held.extend(claimed);
    }
    step.end("claim", members);
    require(held.iter().all(|job| job.record.meta.kind.as_str() != WAITS), || "a gate opened early".into())?;
    let step = Step::begin(place);
    let mut at_once = JoinSet::new();
    let settles: Vec<Transition> = held.iter().map(end).collect();
    for settles in settles.chunks(settles.len().div_ceil(callers)) {
        at_once.spawn(settle(storage.clone(), settles.to_vec(), batch));
    }
    for settled in at_once.join_all().await {
        settled?;
    }
    step.end("settle", members);
    let wall = begun.elapsed();
    for job in claim(&storage, usize::try_from(members.gates)? + 1).await? {
        let ended = storage.settle(&job.record.meta, completed(&job), &Policy::default()).await?;
        require(matches!(ended, Changed::Done(_)), || format!("a gated job was not completed: {ended:?}"))?;
    }
    check::each_end_counts_once(&*storage, members).await?;
    storage.close().await?;
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    Ok(members.jobs as f64 / wall.as_secs_f64())
}

async fn claim(storage: &Arc<dyn Storage>, limit: usize) -> Result<Vec<ClaimedJob>, Failed> {
    let request = ClaimRequest::new(queue(), WorkerId::from_static("steps"), limit, LEASE, &SystemRng);
    Ok(storage.claim(request).await?.jobs)
}

/// Ends jobs, one call after the other.
async fn settle(storage: Arc<dyn Storage>, settles: Vec<Transition>, batch: usize) -> Result<(), Failed> {
    for settles in settles.chunks(batch) {
        let applied = storage.apply(settles.to_vec()).await?.value;
        let other = applied.into_iter().find(|answer| !matches!(answer, Applied::Done(_)));
        require(other.is_none(), || format!("a settle was answered {other:?}"))?;
    }
    Ok(())
}

fn completed(job: &ClaimedJob) -> Event {
    let result = Payload::new("null", ContentType::from_static("application/json"));
    Event::Complete { token: job.token, result, retention: None, then: Vec::new() }
}

fn end(job: &ClaimedJob) -> Transition {
    let event = match job.record.meta.kind.as_str() {
        FAILS => Event::Fail {
            token: job.token,
            failure: Failure::new("Failed", "as it should"),
            cause: Cause::Terminal,
            delay: None,
            retention: None,
            then: Vec::new(),
        },
        _ => completed(job),
    };
    decide(&job.record.meta, event, &Policy::default()).expect("it is held")
}

/// The beginning of a step.
struct Step<'a> {
    place: &'a StorePlace,
    begun: Instant,
    client: Duration,
    server: Duration,
}

impl<'a> Step<'a> {
    fn begin(place: &'a StorePlace) -> Self {
        let client = cpu_time(process::id()).unwrap_or_default();
        Self { place, begun: Instant::now(), client, server: server_busy(place.kind) }
    }

    fn end(self, name: &str, members: &Members) {
        #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
        let each = |span: Duration| span.as_secs_f64() * 1e6 / members.jobs as f64;
        let client = cpu_time(process::id()).unwrap_or_default().saturating_sub(self.client);
        let server = server_busy(self.place.kind).saturating_sub(self.server);
        println!(
            "    {name}: {:.1} us a job, CPU {:.1} us of the client and {:.1} us of the server",
            each(self.begun.elapsed()),
            each(client),
            each(server)
        );
    }
}
