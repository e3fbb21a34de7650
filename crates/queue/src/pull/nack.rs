//! A failed attempt in pull mode.

use crate::{InvalidOption, client::checked_span};
use queue_core::{
    Failure, LeaseToken,
    lifecycle::{Cause, Event},
};
use std::time::Duration;

/// A failed attempt. A [`Failure`] converts into it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Nack {
    failure: Failure,
    cause: Cause,
    delay: Option<Duration>,
}

impl Nack {
    /// A failure after which another attempt may help.
    pub fn new(failure: Failure) -> Self {
        Self { failure, cause: Cause::Retryable, delay: None }
    }

    /// Makes the failure final: no further attempt can help, so the job becomes Failed, with any
    /// budget left.
    pub fn terminal(mut self) -> Self {
        self.cause = Cause::Terminal;
        self
    }

    /// Sets the wait before the next attempt, in place of the policy's; at most 100 years.
    pub fn retry_in(mut self, delay: Duration) -> Self {
        self.delay = Some(delay);
        self
    }

    pub(super) fn event(self, token: LeaseToken) -> Result<Event, InvalidOption> {
        let delay = self.delay.map(|delay| checked_span("a delay", delay)).transpose()?;
        Ok(Event::Fail {
            token,
            failure: self.failure,
            cause: self.cause,
            delay,
            retention: None,
            then: Vec::new(),
        })
    }
}

impl From<Failure> for Nack {
    fn from(failure: Failure) -> Self {
        Self::new(failure)
    }
}
