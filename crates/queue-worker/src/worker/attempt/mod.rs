//! Attempts: which claimed job starts when, the hooks around its handler, and its time limit.
//!
//! In come held jobs, from `claim`, in claim order. Out goes a
//! [`Settlement`](super::settle::Settlement) for each, to `settle`, which is next. `dispatcher`
//! starts runners, `ready_jobs` is where jobs wait for one, `start_decision` decides whether the
//! first of them starts, `pause_watch` learns that they are paused, `execution` makes the attempt,
//! and `handler_run` calls the handler.

mod dispatcher;
mod execution;
mod forecast;
mod handler_run;
mod hooks;
mod pause_watch;
mod ready_jobs;
mod reserved;
mod start_decision;

pub(super) use dispatcher::Dispatcher;
pub(super) use handler_run::{HandlerRun, NoOutcome};
pub(super) use hooks::HookStack;
pub(super) use pause_watch::watch_pauses;
