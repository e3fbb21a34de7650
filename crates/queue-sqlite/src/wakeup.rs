//! Wake-ups by other processes: the operating system reports writes to the log, polling is the backstop, and a look at
//! the last commits says whether they were ours, and which queues they wrote.

use crate::{connect::connect_reader, error::Fault, recent::Recent, row::foreign, sql, writer::Shared};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use queue_core::{
    QueueName, Result,
    watcher::{Look, Signal, Wake, Watcher},
};
use rusqlite::Connection;
use std::{ffi::OsString, path::Path, sync::Arc, time::Duration};
use tokio::sync::oneshot;

/// Starts a thread that tells the hub when somebody else wrote.
pub(crate) async fn start(shared: Arc<Shared>) -> Result<Watcher> {
    let main = move |signal, started| run(&shared, &signal, started);
    Watcher::start("subscribe", "queue-sqlite-watcher", main).await
}

fn run(shared: &Shared, signal: &Arc<Signal>, started: oneshot::Sender<Result<()>>) {
    let fault = |fault: Fault| fault.of("subscribe");
    let touches = watch_log(&shared.options.path, signal);
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

/// Looks soon after each touch, then at doubling intervals up to the poll interval: a log is written before the commit
/// in it can be seen, and how long the flush between the two takes is for the disk to say.
fn look_on(shared: &Shared, signal: &Signal, connection: &Connection, mut seen: i64) {
    let mut pause = shared.options.poll_interval;
    loop {
        pause = match signal.wait_for_touch(pause) {
            Wake::Stopped => return,
            // The spacing below is wait enough.
            Wake::Touched => Duration::ZERO,
            Wake::TimedOut => shared.options.poll_interval.min(Look::Nothing.spacing().max(pause * 2)),
        };
        let mut looked = Look::Unheard;
        if shared.hub.has_subscribers() {
            // A failed look is one hint less; the next one follows soon.
            (seen, looked) = look(shared, connection, seen).unwrap_or((seen, Look::Nothing));
        }
        if signal.wait_out(looked.spacing()) == Wake::Stopped {
            return;
        }
    }
}

/// Tells subscribers what others committed after the commit `seen`. Returns the last commit, and who was told.
fn look(shared: &Shared, connection: &Connection, seen: i64) -> rusqlite::Result<(i64, Look)> {
    let (commits, recent) = last_commits(connection)?;
    if commits == seen {
        return Ok((seen, Look::Nothing));
    }
    // Fewer than there were: somebody has loaded a backup into the file.
    let known =
        if commits < seen { None } else { recent.since(seen, |commit| shared.own_commits.has(commit)) };
    let Some(queues) = known else {
        shared.hub.missed();
        return Ok((commits, Look::Told));
    };
    let mut looked = if queues.is_empty() { Look::Nothing } else { Look::Unheard };
    for (queue, news) in queues {
        // A name is not remembered: a backup may give the number to another queue.
        if shared.hub.tell(&queue_name(connection, queue)?, news) {
            looked = Look::Told;
        }
    }
    Ok((commits, looked))
}

/// The number of the last commit, and what the last ones wrote.
fn last_commits(connection: &Connection) -> rusqlite::Result<(i64, Recent)> {
    let mut statement = connection.prepare_cached(sql::LOAD_STORE)?;
    statement.query_row([], |row| Ok((row.get(2)?, Recent::read(row.get_ref(3)?.as_blob()?))))
}

fn queue_name(connection: &Connection, queue: i64) -> rusqlite::Result<QueueName> {
    let mut statement = connection.prepare_cached(sql::QUEUE_NAME)?;
    let name: String = statement.query_row([queue], |row| row.get(0))?;
    QueueName::new(name).map_err(|_| foreign(0, "a queue has a name that is none"))
}

/// Asks the operating system for writes to the log. Where it cannot, polling remains.
fn watch_log(path: &Path, signal: &Arc<Signal>) -> Option<RecommendedWatcher> {
    // SQLite puts the log beside the file itself, not beside a link to it.
    let path = path.canonicalize().ok()?;
    let mut log: OsString = path.file_name()?.to_owned();
    log.push("-wal");
    let signal = signal.clone();
    let touched = move |event: notify::Result<Event>| {
        let is_log = |event: &Event| event.paths.iter().any(|path| path.file_name() == Some(&log));
        if event.is_ok_and(|event| (event.kind.is_modify() || event.kind.is_create()) && is_log(&event)) {
            signal.touch_until_taken();
        }
    };
    let mut watcher = notify::recommended_watcher(touched).ok()?;
    watcher.watch(path.parent()?, RecursiveMode::NonRecursive).ok()?;
    Some(watcher)
}
