//! The answers that show schedules: the table of all of them, and the details of one.

use super::{next, no_such};
use crate::{
    exit::{CliError, Exit},
    output::{self, Column, Format},
    session::{Jobs, Missing, Session},
};
use queue::{
    UnreadableJob,
    schedules::{Missed, Overlap, ScheduleStatus, SchedulesPage, Tick},
    view::{UnreadableScheduleView, option_facts},
};
use serde_json::json;

/// The state of a schedule that this program cannot read, and another may.
const UNREADABLE: &str = "unreadable";

pub(in crate::commands) const COLUMNS: [Column; 6] = [
    Column::text("NAME"),
    Column::text("FIRES"),
    Column::text("KIND").plain("default"),
    Column::whole("STATE"),
    Column::whole("NEXT"),
    Column::whole("LAST RUN"),
];

pub(super) async fn all(session: &Session) -> Result<Exit, CliError> {
    let read = async |jobs: &Jobs| Ok(jobs.schedules().list().await?);
    let found = session.with_jobs(Missing::Refuse, read).await?;
    match session.out.format() {
        Format::Json => {
            let unreadable = found.unreadable.iter().map(|job| json!(UnreadableScheduleView::from(job)));
            let mut all = found.schedules.iter().map(|status| json!(status.view())).chain(unreadable);
            all.try_for_each(|one| session.out.object(&one))?;
        }
        Format::Human => session.out.text(output::table(COLUMNS, rows(&found)))?,
    }
    Ok(Exit::Ok)
}

pub(super) async fn one(name: &str, session: &Session) -> Result<Exit, CliError> {
    let read = async |jobs: &Jobs| Ok(jobs.schedules().get(name).await?);
    let status = session.with_jobs(Missing::Refuse, read).await?.ok_or_else(|| no_such(name, session))?;
    match session.out.format() {
        Format::Json => session.out.object(&json!(status.whole_view(true)))?,
        Format::Human => session.out.text(output::pairs(words(&status)))?,
    }
    Ok(Exit::Ok)
}

/// The schedules of the listing; those that cannot be read here come last.
fn rows(found: &SchedulesPage) -> impl Iterator<Item = Vec<String>> {
    found.schedules.iter().map(row).chain(found.unreadable.iter().map(unreadable_row))
}

/// A schedule that cannot be read here; in place of when it fires stands why.
pub(in crate::commands) fn unreadable_row(unreadable: &UnreadableJob) -> Vec<String> {
    let why = unreadable.error().message().to_owned();
    [unreadable.name().to_owned(), why, "-".to_owned(), UNREADABLE.to_owned(), "-".to_owned(), "-".to_owned()]
        .into()
}

/// A schedule in the listing.
pub(in crate::commands) fn row(status: &ScheduleStatus) -> Vec<String> {
    vec![
        status.name().to_owned(),
        status.spec().timing.to_string(),
        status.spec().job.kind().to_owned(),
        status.state_word().to_owned(),
        told(status, status.next(1).first().copied()),
        told(status, status.last_run()),
    ]
}

fn words(status: &ScheduleStatus) -> Vec<(&'static str, String)> {
    let spec = status.spec();
    let mut pairs = vec![
        ("name", spec.name.clone()),
        ("fires", spec.timing.to_string()),
        ("state", status.state_word().to_owned()),
        ("kind", spec.job.kind().to_owned()),
        ("payload", spec.job.payload_shown().into_owned()),
    ];
    pairs.extend(option_facts(spec.job.as_job(), true).into_iter().map(|fact| (fact.label, fact.value)));
    pairs.extend([
        ("missed", missed(spec.missed)),
        ("overlap", overlap(spec.overlap).to_owned()),
        ("jitter", format!("{:?}", spec.jitter.as_duration())),
        ("spread", format!("{:?}", spec.spread.as_duration())),
        ("declared", if spec.declared { "by a program" } else { "by hand" }.to_owned()),
        ("last run", told(status, status.last_run())),
    ]);
    if let Some(error) = &status.meta().last_error {
        pairs.push(("last error", error.to_string()));
    }
    pairs.extend(status.next(3).into_iter().map(|tick| ("next", told(status, Some(tick)))));
    pairs
}

fn told(status: &ScheduleStatus, tick: Option<Tick>) -> String {
    tick.map_or_else(|| "-".to_owned(), |tick| next::local(&status.spec().timing, tick))
}

fn missed(missed: Missed) -> String {
    match missed {
        Missed::Skip { grace: None } => "skip".to_owned(),
        Missed::Skip { grace: Some(grace) } => {
            format!("skip ticks late by more than {:?}", grace.as_duration())
        }
        Missed::Latest => "run the latest".to_owned(),
        Missed::All { max } => format!("run all, at most {max}"),
        other => format!("{other:?}"),
    }
}

fn overlap(overlap: Overlap) -> &'static str {
    match overlap {
        Overlap::Skip => "skip",
        Overlap::CancelPrevious => "cancel the previous job",
        _ => "allow",
    }
}
