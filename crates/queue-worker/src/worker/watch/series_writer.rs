//! Writes what a run counted to the store.

use super::series_recorder::PendingEntry;
use crate::worker::run::{WorkerRun, fresh_id};
use queue_core::{Result, SeriesEntry, WorkerId, series::SlotLength};
use std::{
    future::pending,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::time::{Instant, sleep, sleep_until};

/// Workers write at different moments behind the end of a minute, up to this one.
const SPREAD: Duration = Duration::from_secs(10);
/// How long a refused entry waits for the next try.
const RETRY_AFTER: Duration = Duration::from_secs(60);

/// Writes each minute and each hour once it is over, and the rest at the end of the run. What the
/// store refuses goes with the next write; jobs do not notice.
pub(in crate::worker) async fn write_series(run: Arc<WorkerRun>) {
    if !run.series.is_on() {
        return;
    }
    let writer = SeriesWriter::new(&run);
    let written = async {
        loop {
            let due_at = run.series.due_at();
            let due = async {
                match due_at {
                    Some(due_at) => sleep_until(due_at + writer.delay).await,
                    None => pending().await,
                }
            };
            tokio::select! {
                biased;
                () = due => {}
                () = run.series.begun() => continue,
            }
            if !writer.write(run.series.take_due(Instant::now())).await {
                sleep(RETRY_AFTER).await;
            }
        }
    };
    tokio::select! {
        biased;
        () = run.shutdown.idle.cancelled() => {}
        () = written => {}
    }
    writer.write(run.series.take_all()).await;
}

struct SeriesWriter<'a> {
    run: &'a WorkerRun,
    /// A name that no other run has, also where the program chose the name of the worker. It is
    /// made for the first entry.
    name: OnceLock<WorkerId>,
    delay: Duration,
}

impl<'a> SeriesWriter<'a> {
    fn new(run: &'a WorkerRun) -> Self {
        let mut hasher = DefaultHasher::new();
        run.name.id.hash(&mut hasher);
        let spread = u64::try_from(SPREAD.as_millis()).unwrap_or(u64::MAX);
        Self { run, name: OnceLock::new(), delay: Duration::from_millis(hasher.finish() % spread) }
    }

    fn name(&self) -> &WorkerId {
        let name = &self.run.name;
        self.name.get_or_init(|| if name.is_chosen { fresh_id(&*self.run.rng) } else { name.id.clone() })
    }

    /// Writes entries in order, and gives back those that are left when the store refuses one.
    async fn write(&self, entries: Vec<PendingEntry>) -> bool {
        let mut left = entries.into_iter();
        while let Some(entry) = left.next() {
            if let Err(error) = self.write_one(&entry).await {
                self.run.report_error(error);
                self.run.series.give_back([entry].into_iter().chain(left).collect());
                return false;
            }
        }
        true
    }

    async fn write_one(&self, entry: &PendingEntry) -> Result<()> {
        let PendingEntry { length, slot, bytes } = entry;
        let entry = SeriesEntry {
            series: length.series(),
            slot: *slot,
            writer: self.name().clone(),
            bytes: bytes.clone().into(),
        };
        self.run.storage.write_series(entry, SlotLength::ttl(*length)).await
    }
}
