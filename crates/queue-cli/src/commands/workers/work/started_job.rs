//! A job that the command is started for, and how an attempt ends without a result.

use queue::worker::{Context, JobError};
use std::{fmt, time::Duration};

/// What a command learns about its job.
#[derive(Clone, Debug)]
pub(super) struct StartedJob {
    pub(super) id: String,
    pub(super) kind: String,
    /// Counted from one.
    pub(super) attempt: u32,
}

impl From<&Context> for StartedJob {
    fn from(context: &Context) -> Self {
        let meta = context.meta();
        Self { id: meta.id.to_string(), kind: meta.kind.to_string(), attempt: context.attempt() }
    }
}

/// How an attempt ends that has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AttemptEnd {
    Failed {
        name: String,
        message: String,
        is_terminal: bool,
    },
    Snoozed(Duration),
    /// The command was killed, which is not the job's fault.
    Killed,
}

impl AttemptEnd {
    pub(super) fn failed(name: impl Into<String>, message: impl fmt::Display) -> Self {
        Self::Failed { name: name.into(), message: message.to_string(), is_terminal: false }
    }

    pub(super) fn into_terminal(self) -> Self {
        match self {
            Self::Failed { name, message, .. } => Self::Failed { name, message, is_terminal: true },
            other => other,
        }
    }
}

impl From<AttemptEnd> for JobError {
    fn from(end: AttemptEnd) -> Self {
        match end {
            AttemptEnd::Failed { name, message, is_terminal } => {
                let failed = Self::named(name, message);
                if is_terminal { failed.as_terminal() } else { failed }
            }
            AttemptEnd::Snoozed(wait) => Self::snooze(wait),
            AttemptEnd::Killed => Self::release(),
        }
    }
}
