//! The work of each process until it dies.

use crate::{shared_clock::SharedClock, storage};
use queue::{JobOptions, Keep, Queue, schedules::Tick, worker::JobError};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write,
    path::Path,
    sync::Arc,
    time::Duration,
};
use tokio::time::sleep;

/// Short, so that a dead process's jobs are soon taken over.
pub(crate) const LEASE: Duration = Duration::from_secs(2);
/// The pause of a process that found nothing due.
const REST: Duration = Duration::from_millis(5);

/// Ticks leave no record, so a tick that is enqueued twice is handled twice, in two lives.
pub(crate) fn options() -> JobOptions {
    JobOptions::new().keep(Keep::Nothing).unlimited_attempts().unlimited_stalls()
}

/// Works for ever.
pub(crate) async fn run(store: &str, place: &Path, steps: u64) {
    let clock = storage::is_on_files(store).then(|| Arc::new(SharedClock::open(place)));
    let storage = storage::open(store, place, clock).await;
    let storage = storage::dying(storage, steps);
    let queue: Queue<Tick> = Queue::new(storage, storage::queue_name(place)).expect("a valid name");
    let log = Arc::new(fs::File::options().append(true).create(true).open(place.join("log")).expect("a log"));
    let worker = queue
        .work_with(move |_: Tick, job| {
            let line = format!("{} {}\n", job.meta().id, job.meta().seq.get());
            let logged = (&*log).write_all(line.as_bytes());
            async move { Ok::<_, JobError>(logged?) }
        })
        .lease(LEASE)
        .until_idle()
        .build()
        .expect("valid");
    loop {
        // The clock is not that of this process, so the process cannot know how long to sleep.
        let report = worker.run().await;
        assert!(report.error.is_none(), "{report:?}");
        sleep(REST).await;
    }
}

/// The lives that were handled, by id.
pub(crate) fn seen(place: &Path) -> BTreeMap<String, BTreeSet<u64>> {
    let mut seen: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    // No process may have got far enough to create the file.
    let log = fs::read_to_string(place.join("log")).unwrap_or_default();
    for line in log.lines() {
        let (id, seq) = line.split_once(' ').expect("an id and a number");
        seen.entry(id.to_owned()).or_default().insert(seq.parse().expect("a number"));
    }
    seen
}
