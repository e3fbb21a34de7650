//! The names of queues and kinds in the store that a line names.

use crate::{
    args::Cli,
    exit::CliError,
    globals::Globals,
    opener::Opener,
    session::{Jobs, Missing, Session},
};
use clap::{CommandFactory, FromArgMatches};
use futures_util::{StreamExt, TryStreamExt};
use queue::{
    SlotLength,
    queue_core::{QueueFilter, StorageExt},
};
use std::{collections::BTreeSet, ffi::OsString, pin::pin, time::Duration};
use tokio::{runtime::Builder, time::timeout};

/// The longest wait for a store. A person waits for the answer with a finger on the key.
pub(super) const LONGEST: Duration = Duration::from_millis(700);
/// The most queues that are offered.
const QUEUES_MAX: usize = 500;
/// How many of the newest jobs of a queue are looked at for their kinds.
const JOBS_MAX: usize = 500;
/// For how long back the kinds of work count that is no longer among the newest jobs.
const BACK: Duration = Duration::from_hours(1);
/// What names may have besides letters and digits. A shell inserts a candidate as it is, so a name
/// that a shell would act on is left out.
const PLAIN: &str = "-_./:@+,%";

/// How the names are found.
pub(super) struct StoredNames {
    /// The words of the line before the cursor.
    words: Vec<OsString>,
    opener: Opener,
}

/// Whether no shell takes a part of the name for anything but text.
pub(super) fn is_plain(name: &str) -> bool {
    name.chars().all(|it| it.is_ascii_alphanumeric() || PLAIN.contains(it))
        && name.starts_with(|it: char| it.is_ascii_alphanumeric())
}

impl StoredNames {
    pub(super) fn new(words: Vec<OsString>, opener: Opener) -> Self {
        Self { words, opener }
    }

    pub(super) fn queues(&self) -> Vec<String> {
        self.read(async |jobs| {
            let of_applications = QueueFilter::all().without_reserved();
            let page = jobs.storage().first_queues_of(&of_applications, QUEUES_MAX).await?;
            Ok(page.queues.into_iter().map(|status| status.name.to_string()).collect())
        })
    }

    pub(super) fn kinds(&self) -> Vec<String> {
        self.read(async |jobs| {
            let mut kinds = BTreeSet::new();
            if let Ok(hour) = jobs.series(BACK, SlotLength::Minute).await {
                kinds.extend(hour.series.kinds(hour.slots).into_keys());
            }
            let mut newest = pin!(jobs.jobs().newest_first().all().take(JOBS_MAX));
            while let Some(status) = newest.try_next().await? {
                kinds.insert(status.meta.kind);
            }
            Ok(kinds.into_iter().filter(|kind| !kind.is_reserved()).map(|kind| kind.to_string()).collect())
        })
    }

    /// What the store answers in time, or nothing.
    fn read(&self, read: impl AsyncFnOnce(&Jobs) -> Result<Vec<String>, CliError>) -> Vec<String> {
        let Some(session) = self.session() else { return Vec::new() };
        let Ok(runtime) = Builder::new_multi_thread().worker_threads(1).enable_all().build() else {
            return Vec::new();
        };
        let answer = async { timeout(LONGEST, session.with_jobs_or_service(Missing::Refuse, read)).await };
        let answer = runtime.block_on(answer);
        // A call that hangs goes on in its thread until the process ends, which is now.
        runtime.shutdown_background();
        answer.ok().and_then(Result::ok).unwrap_or_default()
    }

    /// The store and the queue of the words so far, which are no whole command yet.
    fn session(&self) -> Option<Session> {
        let command = Cli::command().ignore_errors(true);
        let matches = command.try_get_matches_from(&self.words).ok()?;
        let mut globals = Globals::from_arg_matches(&matches).ok()?;
        globals.opener = self.opener.clone();
        Session::new(&globals).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{StoredNames, is_plain};
    use crate::opener::Opener;
    use std::{ffi::OsString, future::pending};

    fn names(words: &[&str], opener: Opener) -> StoredNames {
        StoredNames::new(words.iter().map(OsString::from).collect(), opener)
    }

    #[test]
    fn a_name_that_a_shell_would_act_on_is_not_offered() {
        for name in ["mail", "app:mail.v2", "a/b_c-d"] {
            assert!(is_plain(name), "{name}");
        }
        for name in ["", "$(reboot)", "a;b", "a b", "`x`", "-rf", "~root", "a\nb", "a'b", "é", "*"] {
            assert!(!is_plain(name), "{name}");
        }
    }

    #[test]
    fn the_store_and_the_queue_are_those_of_a_line_that_is_half_typed() {
        for words in [
            &["queue", "list", "--store", "sqlite:a.db", "--queue=mail", "--kind"][..],
            &["queue", "--queue", "mail", "enqueue", "--store=sqlite:a.db", "--no-such", "--kind"],
        ] {
            let session = names(words, Opener::default()).session().expect("it names a store");
            assert_eq!((session.url.as_str(), session.name.as_str()), ("sqlite:a.db", "mail"), "{words:?}");
        }
    }

    #[test]
    fn a_store_that_hangs_or_is_missing_has_no_names() {
        let hanging = Opener::new(|_| pending());
        assert!(names(&["queue", "--store", "jobs:"], hanging).queues().is_empty());
        let missing = names(&["queue", "--store", "sqlite:/no/such/file.db"], Opener::default());
        assert!(missing.queues().is_empty() && missing.kinds().is_empty());
    }
}
