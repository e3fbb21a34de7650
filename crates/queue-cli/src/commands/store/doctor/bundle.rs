//! The archive for bug reports. It has no field for a payload, a result, an error, an id or a tag;
//! names of queues and kinds are in it, and its first file says so.

use super::object;
use crate::exit::CliError;
use flate2::{Compression, write::GzEncoder};
use queue::{
    State, Storage,
    doctor::Diagnosis,
    queue_core::{Duty, QueueName, QueueStatus, QueuesQuery, WorkerInfo},
    view::AboutWorker,
};
use serde_json::{Value, json};
use std::{
    fs::{File, OpenOptions},
    io,
    path::Path,
};
use tar::{Builder, Header};

/// The most queues that the bundle describes.
const QUEUES_MAX: usize = 1_000;
/// What replaces a password in a text.
const HIDDEN: &str = "[hidden]";

const README: &str = "\
What `queue doctor --bundle` saw, for a bug report. Look through it before you send it.

about.json     the versions, the system, the kind of store and what it can do
findings.json  what was found
queues.json    the names of the queues, with their jobs by state
workers.json   what the workers are like: version, kinds, queues, slots

It has the names of queues and kinds. It has no payload, result, error, header or tag of a job, no id of a job or worker, no name of a
host, and no password.
";

/// Makes the file, which must not be there, for this user alone.
pub(super) fn create(path: &Path) -> Result<File, CliError> {
    let mut open = OpenOptions::new();
    open.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut open, 0o600);
    open.open(path).map_err(|error| CliError::invalid(format!("{}: {error}", path.display())))
}

/// Writes the archive.
pub(super) async fn write(
    file: File,
    diagnosis: &Diagnosis,
    storage: Option<&dyn Storage>,
    url: &str,
) -> Result<(), CliError> {
    let findings: Vec<Value> = diagnosis.findings.iter().map(|finding| object(finding, &[])).collect();
    let mut files = vec![
        ("README.txt", README.to_owned()),
        ("about.json", pretty(&about(storage))),
        ("findings.json", pretty(&Value::from(findings))),
    ];
    if let Some(storage) = storage {
        files.push(("queues.json", pretty(&queues(storage).await)));
        files.push(("workers.json", pretty(&workers(storage).await)));
    }
    let mut archive = Builder::new(GzEncoder::new(file, Compression::default()));
    for (name, text) in files {
        append(&mut archive, name, &without_password(&text, url))?;
    }
    archive.into_inner()?.finish()?.sync_all()?;
    Ok(())
}

fn append(archive: &mut Builder<impl io::Write>, name: &str, text: &str) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_size(text.len() as u64);
    header.set_mode(0o600);
    archive.append_data(&mut header, format!("queue-doctor/{name}"), text.as_bytes())
}

fn about(storage: Option<&dyn Storage>) -> Value {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "system": std::env::consts::OS,
        "processor": std::env::consts::ARCH,
        "store": storage.map(of_store),
    })
}

fn of_store(storage: &dyn Storage) -> Value {
    let can = storage.capabilities();
    json!({
        "name": can.name,
        "durability": format!("{:?}", can.durability),
        "reach": format!("{:?}", can.reach),
        "events": format!("{:?}", can.events),
        "limits": format!("{:?}", can.limits),
    })
}

async fn queues(storage: &dyn Storage) -> Value {
    match storage.queues(QueuesQuery::all(QUEUES_MAX)).await {
        Ok(page) => page.queues.iter().map(queue).collect(),
        Err(error) => json!({"error": error.to_string()}),
    }
}

fn queue(status: &QueueStatus) -> Value {
    let counts = &status.counts;
    let jobs = State::ALL.map(|state| (state.to_string(), json!(counts.of(state))));
    let oldest = counts.oldest_due.map(|due| counts.now.since(due).as_secs());
    json!({
        "name": status.name.as_str(),
        "paused": status.pause.is_on(),
        "paused_kinds": status.paused_kinds.len(),
        "scheduled": counts.scheduled,
        "gated": counts.gated,
        "oldest_due_age_s": oldest,
        "jobs": Value::Object(jobs.into_iter().collect()),
    })
}

async fn workers(storage: &dyn Storage) -> Value {
    match storage.workers().await {
        Ok(workers) => workers.iter().map(worker).collect(),
        Err(error) => json!({"error": error.to_string()}),
    }
}

/// Its id, its host and the jobs that it holds are left out.
fn worker(info: &WorkerInfo) -> Value {
    let about = AboutWorker::read(&info.about);
    json!({
        "queues": info.queues.iter().map(QueueName::as_str).collect::<Vec<_>>(),
        "concurrency": info.concurrency,
        "held": info.held,
        "draining": info.duty == Duty::Drain,
        "paused": info.duty == Duty::Pause,
        "version": about.as_ref().map(|about| &about.version),
        "kinds": about.as_ref().map(|about| &about.kinds),
    })
}

/// No text should have it; an error of a driver might.
fn without_password(text: &str, url: &str) -> String {
    match password(url) {
        Some(password) => text.replace(password, HIDDEN),
        None => text.to_owned(),
    }
}

/// The password of a URL such as `redis://user:password@host`.
fn password(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let (login, _) = rest.split(['/', '?']).next()?.rsplit_once('@')?;
    let (_, password) = login.split_once(':')?;
    (!password.is_empty()).then_some(password)
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_of_a_url_is_hidden_wherever_it_stands() {
        assert_eq!(password("postgres://app:s3cret@db/jobs?x=@"), Some("s3cret"));
        assert_eq!(password("redis://db:6379/0"), None);
        assert_eq!(password("sqlite:a:b@c.db"), None);
        assert_eq!(without_password("at app:s3cret@db", "redis://app:s3cret@db"), "at app:[hidden]@db");
    }

    #[test]
    fn a_file_that_is_there_is_not_written_over() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("bundle.tar.gz");
        drop(create(&path).unwrap());
        assert!(create(&path).is_err());
    }
}
