//! The store and the queue that the arguments and the environment name, and how a command opens and
//! closes them.

use crate::{
    exit::{CliError, Exit, is_absent},
    globals::Globals,
    opener::Opener,
    output::Output,
    service_address::ServiceAddress,
};
use queue::{
    Change, Error, JobId, Queue, QueueName, Raw, RemoteOptions, State, Storage,
    queue_core::{Durability, Reach, Timestamp},
    queue_remote::StoreForbidden,
    service::ServiceStore,
};
use serde_json::json;
use std::{env, error::Error as _, sync::Arc, time::Duration};

/// The default store.
const STORE: &str = "sqlite:queue.db";
/// The default queue.
const QUEUE: &str = "default";

/// Jobs as bytes of any content type.
pub(crate) type Jobs = Queue<Raw, Raw>;

/// The store and queue that a command works on, and its output.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) out: Output,
    /// The store; the remote one behind the service if that was named.
    pub(crate) url: String,
    pub(crate) server: Option<ServiceAddress>,
    pub(crate) name: QueueName,
    pub(crate) opener: Opener,
}

/// What to do about a missing store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// Create it: the command adds jobs, or exists to create the store.
    Create,
    /// Refuse, where the store can tell: a mistyped path must not look like an empty queue, and no
    /// worker should wait there.
    Refuse,
    /// As above, for the one command that can create a store.
    RefuseToServe,
}

impl Missing {
    /// The URL to open.
    fn url(self, url: &str) -> String {
        match self {
            Self::Create => url.to_owned(),
            Self::Refuse | Self::RefuseToServe => refusing(url),
        }
    }

    /// How to make the store that is missing.
    const fn advice(self) -> Option<&'static str> {
        match self {
            Self::Create => None,
            Self::Refuse => {
                Some("`queue enqueue` makes a store with its first job, `queue migrate` an empty one")
            }
            Self::RefuseToServe => Some("`queue serve --create` makes an empty one"),
        }
    }
}

impl Session {
    pub(crate) fn new(globals: &Globals) -> Result<Self, CliError> {
        let name = match &globals.queue {
            Some(name) => name.clone(),
            None => QueueName::new(env_or("QUEUE_NAME", QUEUE)?)
                .map_err(|error| CliError::from(error).context("QUEUE_NAME"))?,
        };
        let server = ServiceAddress::of(globals)?;
        let url = match (&server, &globals.store) {
            (Some(server), _) => server.store_url(),
            (None, Some(store)) => store.clone(),
            (None, None) => env_or("QUEUE_STORE", STORE)?,
        };
        Ok(Self { out: globals.output(), url, server, name, opener: globals.opener.clone() })
    }

    /// Opens the queue, runs the command on it, and closes the store in every case.
    pub(crate) async fn with_jobs<T>(
        &self,
        missing: Missing,
        command: impl AsyncFnOnce(&Jobs) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        self.with_opened(self.open(missing).await?, command).await
    }

    /// The same for a command that needs no more than calls of `/v1`: with `--server` and a token
    /// without the scope `store`, the service takes the place of the store.
    pub(crate) async fn with_jobs_or_service<T>(
        &self,
        missing: Missing,
        command: impl AsyncFnOnce(&Jobs) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        let storage = match self.opener.open(&missing.url(&self.url)).await {
            Ok(storage) => durable(storage)?,
            Err(error) => match forbidden(&error).filter(|_| self.server.is_some()) {
                None => return Err(of_opening(error, missing, &self.url)),
                Some(reason) => Arc::new(ServiceStore::open(RemoteOptions::new(&self.url)?, reason).await?),
            },
        };
        self.with_opened(storage, command).await
    }

    /// Runs the command on the queue of a store that is open, and closes it in every case.
    pub(crate) async fn with_opened<T>(
        &self,
        storage: Arc<dyn Storage>,
        command: impl AsyncFnOnce(&Jobs) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        let jobs = Queue::new(storage.clone(), &self.name)?;
        let ended = command(&jobs).await;
        let closed = storage.close().await;
        let value = ended?;
        closed?;
        Ok(value)
    }

    /// Reports the outcome of a change to a job: its words and its answer if it was done, or the
    /// reason why the job's state does not allow it.
    pub(crate) fn tell_change(
        &self,
        id: &JobId,
        change: Change,
        answer: &str,
        words: impl FnOnce() -> String,
        not_allowed: impl FnOnce(State) -> String,
    ) -> Result<Exit, CliError> {
        match change {
            Change::Done => {
                self.out.answer(words, || json!({"id": id.as_str(), "answer": answer}))?;
                Ok(Exit::Ok)
            }
            Change::NotAllowed(state) => Err(CliError::new(Exit::Negative, not_allowed(state))),
            Change::Missing => Err(self.no_such_job(id)),
            other => Err(CliError::unforeseen(other)),
        }
    }

    pub(crate) fn no_such_job(&self, id: &JobId) -> CliError {
        CliError::new(Exit::NotFound, format!("there is no job {id:?} in the queue {:?}", self.name))
    }

    /// Opens a handle on the store, which the caller closes.
    pub(crate) async fn open(&self, missing: Missing) -> Result<Arc<dyn Storage>, CliError> {
        durable(self.open_any(missing).await?)
    }

    /// The same for a store that others use through this process, and that may end with it.
    pub(crate) async fn open_any(&self, missing: Missing) -> Result<Arc<dyn Storage>, CliError> {
        self.opener.open(&missing.url(&self.url)).await.map_err(|error| of_opening(error, missing, &self.url))
    }

    /// The store, if it is there or can tell only by being opened.
    pub(crate) async fn find(&self) -> Result<Option<Arc<dyn Storage>>, CliError> {
        match self.opener.open(&refusing(&self.url)).await {
            Ok(storage) => durable(storage).map(Some),
            Err(error) if is_absent(&error) && !is_of_server(&self.url) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// The same store, if another program could find there what this one stores.
fn durable(storage: Arc<dyn Storage>) -> Result<Arc<dyn Storage>, CliError> {
    let capabilities = storage.capabilities();
    // A database that only one process can open still keeps its jobs; memory does not.
    if capabilities.reach == Reach::Process && capabilities.durability == Durability::None {
        let name = capabilities.name;
        return Err(CliError::invalid(format!(
            "the store {name:?} exists inside one program only, so what this command stores there is gone when it ends; name a store that outlives it, such as sqlite:queue.db"
        )));
    }
    Ok(storage)
}

/// Why a server that knows the caller does not let it use the store.
fn forbidden(error: &Error) -> Option<String> {
    let forbidden = error.source()?.downcast_ref::<StoreForbidden>()?;
    Some(forbidden.reason.clone())
}

/// A path without a store may be mistyped, or the first job is still to come.
fn of_opening(error: queue::Error, missing: Missing, url: &str) -> CliError {
    match missing.advice() {
        Some(advice) if is_absent(&error) && !is_of_server(url) => {
            CliError::invalid(format!("{}; {advice}", error.message())).of_store_to_come()
        }
        _ if forbidden(&error).is_some_and(|reason| reason.ends_with("the scope store")) => {
            let context = "from a shell this needs the scope store; the dashboard takes operate for changes";
            CliError::from(error).context(context)
        }
        _ => error.into(),
    }
}

/// Whether the command cannot make the store where it is missing.
fn is_of_server(url: &str) -> bool {
    url.split_once(':').is_some_and(|(scheme, _)| scheme.to_ascii_lowercase().starts_with("postgres"))
}

/// The same URL with creation ruled out, unless the URL itself says what to do.
fn refusing(url: &str) -> String {
    let schemes = ["sqlite:", "file:"];
    let is_file = schemes
        .iter()
        .any(|scheme| url.get(..scheme.len()).is_some_and(|given| given.eq_ignore_ascii_case(scheme)));
    match url.split_once('?') {
        _ if !is_file => url.to_owned(),
        None => format!("{url}?create=never"),
        Some((_, query)) if query.contains("create=") => url.to_owned(),
        Some(_) => format!("{url}&create=never"),
    }
}

/// The time so long before another.
pub(crate) fn before(now: Timestamp, length: Duration) -> Timestamp {
    let length = i64::try_from(length.as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_millis(now.as_millis().saturating_sub(length))
}

pub(crate) fn env_or(variable: &str, default: &str) -> Result<String, CliError> {
    match env::var(variable) {
        Ok(value) if !value.is_empty() => Ok(value),
        Ok(_) | Err(env::VarError::NotPresent) => Ok(default.to_owned()),
        Err(env::VarError::NotUnicode(_)) => Err(CliError::invalid(format!("{variable} is not UTF-8"))),
    }
}

#[cfg(test)]
mod tests {
    use super::refusing;

    #[test]
    fn only_files_without_an_opinion_are_refused_when_missing() {
        for (given, opened) in [
            ("sqlite:a.db", "sqlite:a.db?create=never"),
            ("SQLite:///a.db?synchronous=normal", "SQLite:///a.db?synchronous=normal&create=never"),
            ("sqlite:a.db?create=missing", "sqlite:a.db?create=missing"),
            ("file:a", "file:a?create=never"),
            ("memory:", "memory:"),
            ("é", "é"),
        ] {
            assert_eq!(refusing(given), opened);
        }
    }
}
