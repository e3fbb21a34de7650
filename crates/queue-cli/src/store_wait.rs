//! `--wait`: a command that is started before its store.

use crate::{
    exit::{CliError, Exit},
    output::Format,
    parse,
    seldom_warning::SeldomWarning,
    signals::StopSignals,
};
use clap::Args;
use queue::{
    RetryPolicy,
    worker::runtime::retry::{self, Backoff, Retry},
};
use std::time::Duration;

/// The first pause between two tries; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The longest pause between two tries.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Whether to wait for a store that is not there yet, and for how long.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct StoreWaitArgs {
    /// Wait for a store that is not there yet, such as a server that does not answer, a database or
    /// a file: at most this long, or without a length for ever
    #[arg(
        long,
        value_name = "TIME",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "forever",
        value_parser = parse::longest
    )]
    wait: Option<Duration>,
}

impl StoreWaitArgs {
    /// Whether the wait ends by itself.
    pub(crate) fn is_bounded(self) -> bool {
        self.wait.is_some_and(|longest| longest < Duration::MAX)
    }

    /// Opens a store, with `--wait` again and again while it [may come](CliError::may_come). `None`
    /// after a request to stop.
    pub(crate) async fn open<T, F>(
        self,
        format: Format,
        signals: &mut StopSignals,
        open: impl Fn() -> F,
    ) -> Result<Option<T>, CliError>
    where
        F: Future<Output = Result<T, CliError>>,
    {
        let retry = self.retry(format);
        tokio::select! {
            opened = retry::run(&retry, |_| open()) => match opened {
                Ok(store) => Ok(Some(store)),
                Err(failed) => Err(failed.last.unwrap_or_else(no_answer)),
            },
            () = signals.next() => Ok(None),
        }
    }

    fn retry(self, format: Format) -> Retry<CliError> {
        let pauses = Backoff::new(RetryPolicy::exponential(FIRST_PAUSE).cap(LONGEST_PAUSE));
        let pauses = if self.wait.is_some() { pauses } else { pauses.attempts_max(1) };
        let warning = SeldomWarning::default();
        Retry::new(pauses)
            .budget(self.wait.unwrap_or(Duration::MAX))
            .is_terminal(|error: &CliError| !error.may_come())
            .observe(move |failed| {
                if failed.wait.is_some() {
                    warning.warn(format, format!("waiting for the store: {}", failed.error.message()));
                }
            })
    }
}

/// For a first try that took longer than the whole time.
fn no_answer() -> CliError {
    CliError::new(Exit::Unavailable, "the store did not answer within the time of --wait")
}

#[cfg(test)]
mod tests {
    use super::*;
    use queue::{Error, ErrorKind};
    use std::cell::Cell;
    use tokio::time::Instant;

    fn error(kind: ErrorKind) -> CliError {
        Error::new(kind, "open", "it is away").into()
    }

    /// How often a store is tried that fails so, and how the last try ended.
    async fn tried(wait: Option<Duration>, kind: ErrorKind) -> (u32, Result<Option<()>, CliError>) {
        let (mut signals, tries) = (StopSignals::listen().unwrap(), Cell::new(0));
        let open = async || {
            tries.set(tries.get() + 1);
            Err(error(kind))
        };
        let opened = StoreWaitArgs { wait }.open(Format::Human, &mut signals, open).await;
        (tries.get(), opened)
    }

    #[tokio::test(start_paused = true)]
    async fn without_the_option_a_store_that_is_away_is_tried_once() {
        let (tries, opened) = tried(None, ErrorKind::Unavailable).await;
        assert_eq!((tries, opened.unwrap_err().message()), (1, "it is away"));
    }

    #[tokio::test(start_paused = true)]
    async fn what_waiting_cannot_mend_ends_at_once() {
        for kind in [ErrorKind::Invalid, ErrorKind::Corrupt, ErrorKind::Unsupported, ErrorKind::Internal] {
            let (tries, opened) = tried(Some(Duration::MAX), kind).await;
            assert_eq!((tries, opened.is_err()), (1, true), "{kind:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_bound_ends_the_wait_with_the_last_error_after_pauses_that_grow() {
        let begun = Instant::now();
        let bound = Duration::from_mins(10);
        let (tries, opened) = tried(Some(bound), ErrorKind::Unavailable).await;
        assert_eq!(opened.unwrap_err().message(), "it is away");
        assert_eq!(begun.elapsed(), bound);
        assert!((20..40).contains(&tries), "{tries}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_store_that_comes_is_opened() {
        let (mut signals, tries) = (StopSignals::listen().unwrap(), Cell::new(0));
        let open = async || {
            tries.set(tries.get() + 1);
            if tries.get() < 5 { Err(error(ErrorKind::Unavailable)) } else { Ok(7) }
        };
        let args = StoreWaitArgs { wait: Some(Duration::MAX) };
        assert_eq!(args.open(Format::Human, &mut signals, open).await.unwrap(), Some(7));
    }
}
