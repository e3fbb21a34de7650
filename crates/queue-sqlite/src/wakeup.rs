//! Wake-ups by other processes: the operating system reports writes to the log, polling is the
//! backstop, and the notes of the last commits say which handle wrote which queues.

use crate::{
    connect::connect_reader, error::SqliteFault, recent_commits::RecentCommits, row::foreign, sql,
    writer::SqliteHandle,
};
use queue_core::{QueueName, Result};
use queue_store::watcher::{DirectoryWatch, LazyWatcher, Look, Signal, Wake};
use rusqlite::Connection;
use std::{ffi::OsString, io, path::Path, sync::Arc, time::Duration};
use tokio::sync::oneshot;
use tracing::warn;

/// Starts a thread that sends hints to the hub when another handle wrote, unless there is one.
pub(crate) async fn start(watcher: &LazyWatcher, shared: Arc<SqliteHandle>) -> Result<()> {
    let main = move |signal, started| run(&shared, &signal, started);
    watcher.start("subscribe", "queue-sqlite-watcher", main).await
}

fn run(shared: &SqliteHandle, signal: &Arc<Signal>, started: oneshot::Sender<Result<()>>) {
    let fault = |fault: SqliteFault| fault.of("subscribe");
    let touches = watch_log(&shared.options.path, signal)
        .inspect_err(|error| warn!(%error, "writes of other processes are found by polling alone"));
    let begun = connect_reader(&shared.options).and_then(|connection| {
        let (commits, _) = last_commits(&connection)?;
        Ok((connection, commits))
    });
    // The path may lead to another file since the writer opened it.
    let is_there = shared.files.check_now(shared.clock.ticks());
    let begun = is_there.and(begun.map_err(|error| shared.fault(error)));
    match begun {
        Ok((connection, seen)) => {
            if started.send(Ok(())).is_ok() {
                look_on(shared, signal, &connection, seen);
            }
        }
        Err(error) => drop(started.send(Err(fault(error)))),
    }
    drop(touches);
}

/// Looks at the commits soon after each touch, then at doubling intervals up to the poll interval:
/// the log is written before the commit becomes visible, and the flush between the two takes an
/// unknown time.
fn look_on(shared: &SqliteHandle, signal: &Signal, connection: &Connection, mut seen: i64) {
    let mut pause = shared.options.poll_interval;
    loop {
        pause = match signal.wait_for_touch(pause) {
            Wake::Stopped => return,
            // The spacing below is pause enough.
            Wake::Touched => Duration::ZERO,
            Wake::TimedOut => shared.options.poll_interval.min(Look::NothingNew.spacing().max(pause * 2)),
        };
        let mut looked = Look::NoSubscriber;
        if shared.hub.has_subscribers() {
            // A failed look loses one hint; the next look follows soon.
            (seen, looked) = look(shared, connection, seen).unwrap_or((seen, Look::NothingNew));
        }
        if signal.wait_out(looked.spacing()) == Wake::Stopped {
            return;
        }
    }
}

/// Sends subscribers the hints of what others committed after the commit `seen`. Returns the last
/// commit, and what the look came to.
fn look(shared: &SqliteHandle, connection: &Connection, seen: i64) -> rusqlite::Result<(i64, Look)> {
    let (commits, recent) = last_commits(connection)?;
    if commits == seen {
        return Ok((seen, Look::NothingNew));
    }
    // The number fell: a backup was loaded into the file.
    let known =
        if commits < seen { None } else { recent.since(seen, |commit| shared.own_commits.has(commit)) };
    let Some(queues) = known else {
        shared.hub.missed();
        return Ok((commits, Look::Notified));
    };
    // The longer pause must not outlast the notes: a gap in them wakes every subscriber.
    let are_notes_short = commits - seen > RecentCommits::SAFE_LAG;
    let mut looked = if queues.is_empty() || are_notes_short { Look::NothingNew } else { Look::NoSubscriber };
    for (queue, news) in queues {
        // Names are not cached: a backup may give the number to another queue.
        if shared.hub.tell(&queue_name(connection, queue)?, news) {
            looked = Look::Notified;
        }
    }
    Ok((commits, looked))
}

/// The number of the last commit, and the notes of the last ones.
fn last_commits(connection: &Connection) -> rusqlite::Result<(i64, RecentCommits)> {
    let mut statement = connection.prepare_cached(sql::LOAD_STORE)?;
    statement.query_row([], |row| Ok((row.get(2)?, RecentCommits::read(row.get_ref(3)?.as_blob()?))))
}

fn queue_name(connection: &Connection, queue: i64) -> rusqlite::Result<QueueName> {
    let mut statement = connection.prepare_cached(sql::QUEUE_NAME)?;
    let name: String = statement.query_row([queue], |row| row.get(0))?;
    QueueName::new(name).map_err(|_| foreign(0, "a queue has a name that is none"))
}

/// Whether the operating system would report writes beside this file.
pub(crate) fn can_watch(path: &Path) -> bool {
    watch_log(path, &Arc::default()).is_ok()
}

/// Asks the operating system for writes to the log. Where it cannot, polling remains.
fn watch_log(path: &Path, signal: &Arc<Signal>) -> io::Result<DirectoryWatch> {
    // SQLite puts the log beside the file itself, not beside a link to it.
    let path = path.canonicalize()?;
    let (Some(directory), Some(file)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::NotADirectory.into());
    };
    let mut log: OsString = file.to_owned();
    log.push("-wal");
    DirectoryWatch::start(directory, &log, signal)
}

#[cfg(test)]
mod tests {
    use super::{Look, connect_reader, last_commits, look};
    use crate::{
        SqliteOptions, SqliteStorage, clock::SqliteClock, files::FileGuard, own_commits::OwnCommits,
        recent_commits::RecentCommits, writer::SqliteHandle,
    };
    use queue_core::{ContentType, Interest, JobId, Kind, NewJob, Payload, QueueName, Storage};
    use queue_store::Hub;
    use std::sync::Arc;

    async fn enqueue(store: &SqliteStorage, queue: &QueueName, id: &str) {
        let payload = Payload::new("", ContentType::from_static("text/plain"));
        let job = NewJob::new(JobId::new(id).expect("valid"), Kind::unnamed(), payload);
        store.enqueue(queue, vec![vec![job]]).await.expect("it enqueues");
    }

    #[tokio::test]
    async fn a_look_says_whether_foreign_writes_concern_a_subscriber_here() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let options = SqliteOptions::new(directory.path().join("jobs.db")).checked().expect("they are valid");
        let other = SqliteStorage::open(options.clone()).await.expect("it opens");
        let hub = Arc::new(Hub::default());
        let clock = SqliteClock::new(options.clock.clone(), options.clock_bound);
        let files = FileGuard::default();
        let own_commits = OwnCommits::default();
        let handle = SqliteHandle { options, clock, hub: hub.clone(), files, own_commits };
        let connection = connect_reader(&handle.options).expect("it opens");
        let (mut seen, _) = last_commits(&connection).expect("it reads");
        let mut looked = || {
            let (commits, looked) = look(&handle, &connection, seen).expect("it reads");
            seen = commits;
            looked
        };
        let [heard, unheard] = ["heard", "unheard"].map(QueueName::from_static);
        let _hints = hub.subscribe(&heard, Interest::Wake);
        assert_eq!(looked(), Look::NothingNew);
        enqueue(&other, &unheard, "a").await;
        assert_eq!(looked(), Look::NoSubscriber);
        enqueue(&other, &heard, "b").await;
        assert_eq!(looked(), Look::Notified);
        // So many commits at once call for the next look before the notes are full.
        for n in 0..=RecentCommits::SAFE_LAG {
            enqueue(&other, &unheard, &n.to_string()).await;
        }
        assert_eq!(looked(), Look::NothingNew);
    }
}
