//! What a server writes while it runs: its own log, without that of the crates below it.

use crate::output;
use clap::ValueEnum;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::{filter::Targets, fmt, layer::SubscriberExt, util::SubscriberInitExt};

/// What to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Level {
    /// Nothing
    Off,
    /// What is a bug, or damage
    Error,
    /// What the store did not do, too
    Warn,
    /// What changes, too
    Info,
    /// Why callers were not let in, too
    Debug,
}

/// Writes the log of our own crates to standard error from here on. Logs of drivers may name hosts
/// and accounts, and are left out.
pub(super) fn start(level: Level) {
    let level = match level {
        Level::Off => LevelFilter::OFF,
        Level::Error => LevelFilter::ERROR,
        Level::Warn => LevelFilter::WARN,
        Level::Info => LevelFilter::INFO,
        Level::Debug => LevelFilter::DEBUG,
    };
    let lines = fmt::layer().with_writer(output::LogLine::default).with_ansi(false);
    let registry =
        tracing_subscriber::registry().with(Targets::new().with_target("queue", level)).with(lines);
    // A program that runs the command may have a log of its own.
    drop(registry.try_init());
}
