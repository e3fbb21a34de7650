//! The layers as data: one row per crate. A new crate starts with a new row here.

/// What one crate may know.
pub(super) struct Row {
    pub(super) name: &'static str,
    /// Workspace crates that it may ship with.
    pub(super) allowed: Allowed,
    /// Workspace crates that its tests may use on top of those.
    pub(super) tests: &'static [&'static str],
    /// Third-party crates that it must not name.
    pub(super) banned: &'static [&'static [&'static str]],
}

pub(super) enum Allowed {
    Only(&'static [&'static str]),
    /// Tools and top-level tests: they may use every crate, and no crate may use them.
    Anything,
}

pub(super) const TABLE: &[Row] = &[
    row("queue-core", &[], &[], &[RUNTIMES, FORMATS, DRIVERS, &["tokio"]]),
    row("queue-store", &["queue-core"], &[], &[RUNTIMES, DRIVERS]),
    row("queue-serde", &["queue-core"], &[], &[RUNTIMES, DRIVERS]),
    row("queue-schedule", &["queue-core"], &[], &[RUNTIMES, DRIVERS, &["tokio"]]),
    row("queue-view", &["queue-core", "queue-schedule"], &[], &[RUNTIMES, DRIVERS, &["tokio"]]),
    row("queue-memory", STORES, &["queue-testkit"], &[DRIVERS]),
    row("queue-fs", &["queue-core", "queue-memory", "queue-store"], &["queue-testkit"], &[DRIVERS]),
    row("queue-kv", STORES, &["queue-testkit"], &[DRIVERS]),
    row("queue-sqlite", STORES, &["queue-testkit"], &[]),
    row("queue-postgres", STORES, &["queue-testkit", "queue-worker"], &[]),
    row("queue-redis", STORES, &["queue-testkit", "queue-worker"], &[]),
    // Its tests run the suite through a server, over three stores.
    row("queue-remote", STORES, &["queue-testkit", "queue-memory", "queue-sqlite", "queue-postgres"], &[]),
    row("queue-testkit", &["queue-core"], &["queue-memory", "queue-store"], &[DRIVERS]),
    row(
        "queue-worker",
        &["queue-core", "queue-serde", "queue-schedule", "queue-view"],
        &["queue-memory", "queue-testkit"],
        &[DRIVERS],
    ),
    row("queue-service", &["queue-core", "queue-remote", "queue-view", "queue-worker"], &[], &[DRIVERS]),
    row(
        "queue-http",
        &["queue-core", "queue-schedule", "queue-view", "queue-worker", "queue-jobs"],
        &["queue-memory", "queue-sqlite", "queue-testkit"],
        &[DRIVERS],
    ),
    // Its programs and tests are the programs and tests of an application.
    row(
        "queue-telemetry",
        &["queue-core", "queue-worker"],
        &["queue-jobs", "queue-memory", "queue-testkit"],
        &[DRIVERS],
    ),
    row("queue-jobs", FACADE, &[], &[DRIVERS]),
    row(
        "queue-web",
        &["queue-core", "queue-schedule", "queue-view", "queue-worker", "queue-jobs", "queue-http"],
        &["queue-memory", "queue-testkit"],
        &[DRIVERS],
    ),
    row(
        "queue-cli",
        &["queue-jobs", "queue-http", "queue-remote", "queue-telemetry", "queue-web"],
        &[],
        &[DRIVERS],
    ),
    // A driver as a stranger would write it, proven by the suite.
    row("kv-store-example", &["queue-core", "queue-kv", "queue-cli", "queue-jobs"], &["queue-testkit"], &[]),
    // Programs as users write them, so they see the facade alone.
    row("queue-faces", &["queue-jobs"], &[], &[DRIVERS]),
    row("demo", &["queue-jobs"], &[], &[DRIVERS]),
    row("nightly-report", &["queue-jobs"], &[], &[DRIVERS]),
    row("import", &["queue-jobs"], &[], &[DRIVERS]),
    row("tenants", &["queue-jobs"], &[], &[DRIVERS]),
    row("log-of-a-job", &["queue-jobs"], &[], &[DRIVERS]),
    // The same, and the driver of the application's own transactions.
    row("queue-guide", &[], &["queue-jobs", "queue-telemetry"], &[]),
    top("queue-e2e"),
    top("queue-benches"),
    top("queue-guard"),
    top("xtask"),
];

/// What a store is made of.
const STORES: &[&str] = &["queue-core", "queue-store"];

const FACADE: &[&str] = &[
    "queue-core",
    "queue-store",
    "queue-serde",
    "queue-schedule",
    "queue-view",
    "queue-worker",
    "queue-testkit",
    "queue-memory",
    "queue-fs",
    "queue-sqlite",
    "queue-postgres",
    "queue-redis",
    "queue-remote",
    "queue-service",
];
const RUNTIMES: &[&str] = &["async-std", "smol", "async-executor", "actix-rt"];
/// JSON is none of them: what follows a final failure is written in it, under every codec of the
/// application (ADR 34).
const FORMATS: &[&str] = &["rmp-serde", "bincode", "postcard", "ciborium"];
const DRIVERS: &[&str] =
    &["rusqlite", "libsqlite3-sys", "sqlx", "tokio-postgres", "deadpool-postgres", "redis", "deadpool-redis"];

const fn row(
    name: &'static str,
    allowed: &'static [&'static str],
    tests: &'static [&'static str],
    banned: &'static [&'static [&'static str]],
) -> Row {
    Row { name, allowed: Allowed::Only(allowed), tests, banned }
}

const fn top(name: &'static str) -> Row {
    Row { name, allowed: Allowed::Anything, tests: &[], banned: &[] }
}
