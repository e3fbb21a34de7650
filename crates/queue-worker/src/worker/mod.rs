//! The worker over a store, in the order in which a job passes through it: the fetcher claims, the dispatcher starts
//! handlers, the settler stores what they answered; the heartbeat keeps leases alive and maintenance looks after jobs
//! that nobody holds.

mod about;
mod admission;
mod builder;
mod dispatcher;
mod event;
mod events;
mod execution;
mod execution_settings;
mod fetch;
mod forecast;
mod guarded_policy;
mod heartbeat;
mod held_job;
mod held_jobs;
pub(crate) mod hints;
mod hooks;
mod host_name;
mod job_end;
mod later;
mod lease;
mod line;
mod maintenance;
mod member;
mod observer;
mod options;
mod plan;
mod prefetch;
mod presence;
mod prune_tick;
mod rate;
mod report;
mod rescue_tick;
mod reserved;
mod run_name;
mod settle;
mod settlement;
mod shared;
mod supervisor;
mod time_limit;
mod told;
mod trace;
mod work_queue;
mod worker_run;

pub use about::{AboutWorker, CurrentJob, LeftOut, QueueWork};
pub use builder::WorkerBuilder;
pub use event::{HookStage, WorkerEvent};
pub use events::WorkerEvents;
pub use job_end::JobEnd;
pub use prune_tick::PruneTick;
pub use rate::RateLimit;
pub use report::Report;
pub use rescue_tick::RescueTick;
pub use work_queue::WorkQueue;
pub use worker_run::Worker;

pub(crate) use held_job::HeldJob;
pub(crate) use lease::Lease;
pub(crate) use run_name::fresh_id;
