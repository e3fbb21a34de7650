//! The batches of one queue or of all: how far each is, and how it ended.

use super::{QueueChoice, ReadScope};
use crate::{
    answer::{self, Answer},
    charts::meter,
    problem::Result,
    read::QueueList,
    visit::{Frame, Visit},
    words::{StateWord, batch_word},
};
use askama::Template;
use queue::{
    Queue, Raw, UnreadableJob,
    batches::{BatchStatus, BatchesPage as BatchesPageRead},
};
use queue_core::{Cursor, JobMeta, QueueName, Timestamp};
use queue_view::{
    BatchView, QueuesToRead,
    words::{Moment, moment, number},
};
use std::{cmp::Reverse, sync::Arc, time::Duration};

/// The batches of a page.
const LIMIT: usize = 50;
const AGE: Duration = Duration::from_millis(950);
/// The batches of all queues cost two reads of each of them.
const AGE_OF_ALL: Duration = Duration::from_secs(3);

#[derive(Template)]
#[template(path = "batches.html")]
struct BatchesPage {
    frame: Frame,
    /// There is a queue.
    is_there: bool,
    /// The one queue; all queues if absent.
    queue: Option<String>,
    queues: Vec<QueueChoice>,
    rows: Vec<BatchRow>,
    /// There are more than a page over all queues shows.
    is_cut: bool,
    queues_left_out: usize,
    newer: Option<String>,
    older: Option<String>,
}

/// The batches that were read.
#[derive(Default)]
struct FoundBatches {
    page: BatchesPageRead,
    /// A queue has more of them.
    has_more: bool,
    /// How many queues were not read.
    left_out: usize,
    now: Timestamp,
}

struct BatchRow {
    queue: String,
    queue_href: String,
    name: String,
    /// Its page; absent for a batch that cannot be read here.
    href: Option<String>,
    state: StateWord,
    meter: String,
    progress: String,
    counts: Vec<(&'static str, String)>,
    opened: Moment,
    ended: Option<Moment>,
    error: Option<String>,
}

/// `GET /batches`
pub(crate) async fn batches(visit: Visit) -> Result<Answer> {
    let one = async |queue: &QueueName| read(&visit, queue).await;
    let ReadScope { queue, queues, found } =
        visit.read_scope(one, async |list| read_all(&visit, list).await).await?;
    let FoundBatches { page, has_more, left_out, now } = &*found;
    let read_here = page.batches.iter().map(|status| row(&visit, status, *now));
    let unreadable = page.unreadable.iter().map(|unreadable| unreadable_row(&visit, unreadable, *now));
    let of_queue = |after: Option<&str>| {
        let queue = queue.as_ref().map(|queue| ("queue", queue.as_str()));
        let pairs: Vec<_> = queue.into_iter().chain(after.map(|after| ("after", after))).collect();
        visit.link("batches", &pairs)
    };
    answer::page(&BatchesPage {
        is_there: queues.is_some(),
        rows: read_here.chain(unreadable).collect(),
        is_cut: *has_more && queue.is_none(),
        queues_left_out: *left_out,
        newer: visit.query.get("after").filter(|_| queue.is_some()).map(|_| of_queue(None)),
        older: page.next.as_ref().map(|Cursor(next)| of_queue(Some(next))),
        queue: queue.as_ref().map(ToString::to_string),
        queues: queues.unwrap_or_default(),
        frame: visit.live_frame("Batches", queue.as_ref().map(QueueName::as_str)),
    })
}

async fn read(visit: &Visit, queue: &QueueName) -> Result<Arc<FoundBatches>> {
    let client = visit.client(queue)?;
    let after = visit.query.get("after").map(|after| Cursor(after.to_owned()));
    let key = visit.key("batches", &format!("{queue}\u{0}{after:?}"));
    let read = async move {
        let page = client.batches().list(after, LIMIT).await?;
        Ok(FoundBatches { has_more: page.next.is_some(), page, left_out: 0, now: client.store_time().await? })
    };
    visit.app.snapshots.get(key, AGE, read).await
}

/// The newest batches of a hundred queues that have a job.
async fn read_all(visit: &Visit, list: Arc<QueueList>) -> Result<Arc<FoundBatches>> {
    let storage = visit.storage().clone();
    let read = async move {
        let QueuesToRead { names, left_out, now } =
            QueuesToRead::of(&list.queues, |queue| queue.counts.total() > 0);
        let mut found = FoundBatches { left_out, now, ..FoundBatches::default() };
        for name in names {
            let client: Queue<Raw, Raw> = Queue::new(storage.clone(), name)?;
            let page = client.batches().list(None, LIMIT).await?;
            found.page.batches.extend(page.batches);
            found.page.unreadable.extend(page.unreadable);
            found.has_more |= page.next.is_some();
        }
        let newest = |job: &JobMeta| Reverse(job.created_at);
        let FoundBatches { page, has_more, .. } = &mut found;
        page.batches.sort_by_key(|status| newest(&status.meta));
        page.unreadable.sort_by_key(|unreadable| newest(unreadable.meta()));
        *has_more |= page.batches.len().max(page.unreadable.len()) > LIMIT;
        page.batches.truncate(LIMIT);
        page.unreadable.truncate(LIMIT);
        Ok(found)
    };
    visit.app.snapshots.get(visit.key("all batches", &visit.patterns()), AGE_OF_ALL, read).await
}

fn row(visit: &Visit, status: &BatchStatus, now: Timestamp) -> BatchRow {
    let batch = status.view();
    let queue = status.meta.queue.as_str();
    BatchRow {
        queue: queue.to_owned(),
        queue_href: visit.link("batches", &[("queue", queue)]),
        href: Some(visit.link("batch", &[("queue", queue), ("name", &batch.batch)])),
        state: batch_word(&batch),
        meter: progress_meter(&batch),
        progress: batch.progress(),
        counts: counts(&batch).map(|(label, count)| (label, number(count))).into(),
        opened: moment(status.meta.created_at, now),
        ended: status.ended_at.map(|at| moment(at, now)),
        error: None,
        name: batch.batch,
    }
}

/// A batch that this server cannot read, and another program may.
fn unreadable_row(visit: &Visit, unreadable: &UnreadableJob, now: Timestamp) -> BatchRow {
    let queue = unreadable.meta().queue.as_str();
    let unknown = || "–".to_owned();
    BatchRow {
        queue: queue.to_owned(),
        queue_href: visit.link("batches", &[("queue", queue)]),
        name: unreadable.name().to_owned(),
        href: None,
        state: StateWord { class: "warn", sign: "!", word: "unreadable here" },
        meter: String::new(),
        progress: unknown(),
        counts: COUNTED.map(|label| (label, unknown())).into(),
        opened: moment(unreadable.meta().created_at, now),
        ended: None,
        error: Some(unreadable.error().message().to_owned()),
    }
}

/// What of a batch is counted.
const COUNTED: [&str; 5] = ["Added", "Completed", "Failed", "Cancelled", "Waiting"];

/// The counts of a batch under their names.
pub(super) fn counts(batch: &BatchView) -> [(&'static str, u64); 5] {
    let [added, completed, failed, cancelled, waiting] = COUNTED;
    [
        (added, batch.added),
        (completed, batch.completed),
        (failed, batch.failed),
        (cancelled, batch.cancelled),
        (waiting, batch.waiting),
    ]
}

/// How many of the members have ended, as a bar.
pub(super) fn progress_meter(batch: &BatchView) -> String {
    meter(batch.ended(), batch.added, "c-done")
}
