//! A wait for another token after the service refused one: the new one may reach its file after the
//! old one was revoked.

use crate::{ProblemKind, ServiceError};
use parking_lot::Mutex;
use std::{path::PathBuf, time::Duration};
use tokio::time::Instant;

/// How long a worker waits for another token in its file.
const LONGEST: Duration = Duration::from_secs(60);

/// Since when the service refuses the token of a file.
#[derive(Debug)]
pub(super) struct TokenWait {
    file: Option<PathBuf>,
    since: Mutex<Option<Instant>>,
}

impl TokenWait {
    pub(super) fn new(file: Option<PathBuf>) -> Self {
        Self { file, since: Mutex::default() }
    }

    /// The service has taken the token.
    pub(super) fn taken(&self) {
        *self.since.lock() = None;
    }

    /// The error of a call that is sent again: of a refused token, with the one that then stands in
    /// the file. A call that was cut off by the end of its token may have been carried out.
    ///
    /// # Errors
    /// One that waiting does not help against.
    pub(super) fn passing(&self, error: ServiceError) -> Result<ServiceError, ServiceError> {
        if error.kind().may_pass() {
            return Ok(error);
        }
        if error.kind() != ProblemKind::Unauthorized {
            return Err(error);
        }
        let Some(file) = &self.file else { return Err(error.with_message(UNKNOWN)) };
        let since = *self.since.lock().get_or_insert_with(Instant::now);
        let file = file.display();
        if since.elapsed() < LONGEST {
            Ok(error.with_message(format!("the token was refused; waiting for a new one in {file}")))
        } else {
            Err(error.with_message(format!("{UNKNOWN}, and {file} has no other")))
        }
    }
}

const UNKNOWN: &str = "the token is unknown or revoked";

#[cfg(test)]
mod tests {
    use super::*;

    fn refused() -> ServiceError {
        ServiceError::new(ProblemKind::Unauthorized, "no")
    }

    fn words(passing: Result<ServiceError, ServiceError>) -> (bool, String) {
        (passing.is_ok(), passing.unwrap_or_else(|error| error).message().to_owned())
    }

    #[tokio::test(start_paused = true)]
    async fn a_refused_token_of_a_file_is_waited_for_a_minute_from_the_last_call_that_went_well() {
        let wait = TokenWait::new(Some("/run/t".into()));
        let waits = (true, "the token was refused; waiting for a new one in /run/t".to_owned());
        for _ in 0..2 {
            assert_eq!(words(wait.passing(refused())), waits);
            tokio::time::advance(LONGEST / 2).await;
        }
        let (waits, message) = words(wait.passing(refused()));
        assert_eq!((waits, message.contains("unknown or revoked")), (false, true), "{message}");
        wait.taken();
        assert!(words(wait.passing(refused())).0);
    }

    #[test]
    fn other_refusals_and_tokens_without_a_file_are_final() {
        let forbidden = ServiceError::new(ProblemKind::Forbidden, "no");
        let wait = TokenWait::new(Some("/run/t".into()));
        assert_eq!(wait.passing(forbidden.clone()), Err(forbidden));
        assert_eq!(words(TokenWait::new(None).passing(refused())), (false, UNKNOWN.to_owned()));
    }
}
