//! The programs of the pages in `docs` that teach: each is compiled, and run unless it needs a
//! server or never ends.
//!
//! `weave.rs` adds what the compiler needs and no reader does. They use the crate `queue` and what
//! an application has beside it.
//!
//! Absent on purpose: code. What a page shows stands in the page alone.

/// One line for each page.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/GETTING-STARTED.md"))]
    struct GettingStarted;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/LEADERSHIP.md"))]
    struct Leadership;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/PERMITS.md"))]
    struct Permits;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/WAITING.md"))]
    struct Waits;

    #[doc = include_str!(concat!(env!("OUT_DIR"), "/faces/fifo.md"))]
    struct Fifo;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/faces/work-queue.md"))]
    struct WorkQueue;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/faces/visibility.md"))]
    struct Visibility;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/faces/request-response.md"))]
    struct RequestResponse;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/faces/task-queue.md"))]
    struct TaskQueue;

    #[doc = include_str!(concat!(env!("OUT_DIR"), "/observability/README.md"))]
    struct Observability;

    #[doc = include_str!(concat!(env!("OUT_DIR"), "/stores/memory.md"))]
    struct Memory;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/stores/files.md"))]
    struct Files;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/stores/sqlite.md"))]
    struct Sqlite;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/stores/postgres.md"))]
    struct Postgres;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/stores/redis.md"))]
    struct Redis;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/stores/remote.md"))]
    struct Remote;

    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/retry.md"))]
    struct Retry;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/delay.md"))]
    struct Delay;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/schedule.md"))]
    struct Schedule;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/priority.md"))]
    struct Priority;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/dedup.md"))]
    struct Dedup;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/unique.md"))]
    struct Unique;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/batches.md"))]
    struct Batches;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/results.md"))]
    struct Results;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/seeing.md"))]
    struct Seeing;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/telemetry.md"))]
    struct Telemetry;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/logging.md"))]
    struct Logging;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/tracing.md"))]
    struct Tracing;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/bulk.md"))]
    struct Bulk;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/cancel.md"))]
    struct Cancel;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/remote-workers.md"))]
    struct RemoteWorkers;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/waiting.md"))]
    struct Waiting;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/transactions.md"))]
    struct Transactions;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/own-store.md"))]
    struct OwnStore;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/own-source-and-sink.md"))]
    struct OwnSourceAndSink;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/hooks.md"))]
    struct Hooks;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/testing.md"))]
    struct Testing;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/doctor.md"))]
    struct FindOutWhatIsWrong;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/operating.md"))]
    struct Operating;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/night.md"))]
    struct Night;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/upgrading.md"))]
    struct Upgrading;
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/tasks/moving.md"))]
    struct Moving;
}
