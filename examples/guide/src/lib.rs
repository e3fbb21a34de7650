//! The programs of the pages in `docs` that teach: each is compiled, and run unless it needs a server or never ends.
//!
//! They use the crate `queue` and what an application has beside it. The pages on the faces are compiled with the faces.
//!
//! Absent on purpose: code. What a page shows stands in the page alone.

/// One line for each page.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../docs/GETTING-STARTED.md")]
    struct GettingStarted;

    #[doc = include_str!("../../../docs/stores/memory.md")]
    struct Memory;
    #[doc = include_str!("../../../docs/stores/files.md")]
    struct Files;
    #[doc = include_str!("../../../docs/stores/sqlite.md")]
    struct Sqlite;
    #[doc = include_str!("../../../docs/stores/postgres.md")]
    struct Postgres;
    #[doc = include_str!("../../../docs/stores/redis.md")]
    struct Redis;

    #[doc = include_str!("../../../docs/tasks/retry.md")]
    struct Retry;
    #[doc = include_str!("../../../docs/tasks/delay.md")]
    struct Delay;
    #[doc = include_str!("../../../docs/tasks/priority.md")]
    struct Priority;
    #[doc = include_str!("../../../docs/tasks/dedup.md")]
    struct Dedup;
    #[doc = include_str!("../../../docs/tasks/results.md")]
    struct Results;
    #[doc = include_str!("../../../docs/tasks/cancel.md")]
    struct Cancel;
    #[doc = include_str!("../../../docs/tasks/waiting.md")]
    struct Waiting;
    #[doc = include_str!("../../../docs/tasks/transactions.md")]
    struct Transactions;
    #[doc = include_str!("../../../docs/tasks/own-store.md")]
    struct OwnStore;
    #[doc = include_str!("../../../docs/tasks/own-source-and-sink.md")]
    struct OwnSourceAndSink;
    #[doc = include_str!("../../../docs/tasks/testing.md")]
    struct Testing;
    #[doc = include_str!("../../../docs/tasks/operating.md")]
    struct Operating;
}
