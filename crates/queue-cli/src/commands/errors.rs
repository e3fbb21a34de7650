//! The command `queue errors`: groups failed and failing jobs by kind and error, and prints a table
//! of the groups.

use super::watch::WatchArgs;
use crate::{
    exit::{CliError, Exit},
    output::{self, Column, Format, Output, age, plural},
    session::{Jobs, Missing, Session},
};
use clap::Args;
use futures_util::TryStreamExt;
use queue::{
    JobMeta, Status,
    queue_core::{Timestamp, error_pattern},
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, pin::pin};

/// The most jobs of each of the two states that are read, the newest.
const LOOKED_AT_MAX: usize = 1_000;

#[derive(Debug, Args)]
#[command(after_help = "\
Reads the newest 1,000 failed jobs and as many failing ones. Messages count as equal if they differ only in numbers, \
hexadecimals, UUIDs and quoted text.")]
pub(crate) struct ErrorsArgs {
    #[command(flatten)]
    watch: WatchArgs,
}

/// What the failures of a group share.
pub(super) type Key = (String, String, String);

/// Failures of one kind with one error.
#[derive(Debug)]
pub(super) struct ErrorGroup {
    failed: u64,
    failing: u64,
    first: Timestamp,
    last: Timestamp,
    /// The id of the newest of them.
    pub(super) example: String,
}

pub(crate) async fn run(args: ErrorsArgs, session: &Session) -> Result<Exit, CliError> {
    session
        .with_jobs(Missing::Refuse, async |jobs| {
            let look = async |out| show(jobs, out).await;
            args.watch.run(session.out, look).await
        })
        .await
}

async fn show(jobs: &Jobs, out: Output) -> Result<(), CliError> {
    let ErrorGroups { groups, looked_at, now } = read(jobs, LOOKED_AT_MAX).await?;
    match out.format() {
        Format::Json => {
            groups.iter().try_for_each(|(key, group)| out.object(&object(key, group, looked_at)))?;
        }
        Format::Human => {
            let rows = groups.iter().map(|(key, group)| row(key, group, now));
            out.text(output::Text::from(output::table(COLUMNS, rows)).and_apart(words(looked_at)))?;
        }
    }
    Ok(())
}

/// What was found among the newest jobs, the largest group first.
#[derive(Debug)]
pub(super) struct ErrorGroups {
    pub(super) groups: Vec<(Key, ErrorGroup)>,
    pub(super) looked_at: u64,
    pub(super) now: Timestamp,
}

/// Groups so many of the newest failed jobs, and as many failing ones.
pub(super) async fn read(jobs: &Jobs, looked_at_max: usize) -> Result<ErrorGroups, CliError> {
    let mut groups = BTreeMap::new();
    let mut looked_at = 0;
    let mut now = Timestamp::default();
    for state in [jobs.jobs().failed(), jobs.jobs().failing()] {
        let mut newest = pin!(state.newest_first().limit(looked_at_max).all());
        while let Some(status) = newest.try_next().await? {
            looked_at += 1;
            now = now.max(status.now);
            add(&mut groups, &status);
        }
    }
    let mut groups: Vec<(Key, ErrorGroup)> = groups.into_iter().collect();
    groups.sort_by_key(|(_, group)| std::cmp::Reverse((group.failed + group.failing, group.last)));
    Ok(ErrorGroups { groups, looked_at, now })
}

/// How many jobs the groups were made of.
pub(super) fn words(looked_at: u64) -> String {
    format!("Looked at the newest {} that failed or are failing.", plural(looked_at, "job"))
}

fn add(groups: &mut BTreeMap<Key, ErrorGroup>, status: &Status) {
    let JobMeta { kind, id, last_error, .. } = &status.meta;
    let Some(error) = last_error else { return };
    let key = (kind.to_string(), error.name().to_owned(), error_pattern(error.message()));
    let at = status.meta.failed_at.unwrap_or_else(|| status.meta.entered_at());
    let begin = || ErrorGroup { failed: 0, failing: 0, first: at, last: at, example: id.to_string() };
    let group = groups.entry(key).or_insert_with(begin);
    if status.meta.state.is_terminal() {
        group.failed += 1;
    } else {
        group.failing += 1;
    }
    group.first = group.first.min(at);
    if at > group.last {
        (group.last, group.example) = (at, id.to_string());
    }
}

pub(super) const COLUMNS: [Column; 7] = [
    Column::whole("FAILED"),
    Column::whole("FAILING"),
    Column::text("KIND").plain("default"),
    Column::text("ERROR"),
    Column::whole("FIRST"),
    Column::whole("LAST"),
    Column::text("EXAMPLE"),
];

/// A group in the listing.
pub(super) fn row((kind, name, message): &Key, group: &ErrorGroup, now: Timestamp) -> Vec<String> {
    let ago = |at: Timestamp| format!("{} ago", age(now.since(at)));
    vec![
        group.failed.to_string(),
        group.failing.to_string(),
        kind.clone(),
        format!("{name}: {message}"),
        ago(group.first),
        ago(group.last),
        group.example.clone(),
    ]
}

fn object((kind, name, message): &Key, group: &ErrorGroup, looked_at: u64) -> Value {
    json!({
        "kind": kind,
        "error": {"name": name, "message": message},
        "failed": group.failed,
        "failing": group.failing,
        "first_at_ms": group.first.as_millis(),
        "last_at_ms": group.last.as_millis(),
        "example": group.example,
        "looked_at": looked_at,
    })
}
