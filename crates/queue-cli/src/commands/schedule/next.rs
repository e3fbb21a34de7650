//! The command `queue schedule next`: the coming ticks of a stored schedule, or of a pattern given
//! as arguments.

use super::{
    no_such,
    timing::{self, TimingArgs},
};
use crate::{
    exit::{CliError, Exit},
    globals::Globals,
    output::{self, Format, Output},
    parse,
    session::{Jobs, Missing, Session},
};
use clap::{ArgGroup, Args};
use queue::{
    Clock, SystemClock,
    schedules::{Tick, Timing, Zone},
};
use serde_json::json;
use std::{num::NonZeroUsize, time::SystemTime};

#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("when").conflicts_with("name")),
    after_help = "With a pattern in place of a name no store is opened: check what a pattern means before you add it, around a change \
of clocks too: `queue schedule next --cron '30 2 * * *' --zone Europe/Berlin --from 2026-03-28T00:00Z`."
)]
pub(super) struct NextArgs {
    /// The name of the schedule
    #[arg(required_unless_present = "when")]
    name: Option<String>,
    #[command(flatten)]
    timing: TimingArgs,
    /// How many ticks to show
    #[arg(short = 'n', long, value_name = "N", default_value = "10", value_parser = parse::number_from_one)]
    count: NonZeroUsize,
    /// Ticks after this moment [default: now]
    #[arg(long, value_name = "TIME", value_parser = parse::time_of_day)]
    from: Option<SystemTime>,
}

pub(super) async fn run(args: NextArgs, globals: &Globals) -> Result<Exit, CliError> {
    let count = args.count.get();
    let out = globals.output();
    let Some(name) = args.name.filter(|_| !args.timing.is_given()) else {
        let timing = args.timing.timing()?;
        let from = args.from.map_or_else(|| SystemClock.now(), timing::moment);
        let ticks: Vec<Tick> = timing.after(from).take(count).map(Tick::from).collect();
        return tell(out, &timing, &ticks);
    };
    let session = Session::new(globals)?;
    let read = async |jobs: &Jobs| Ok(jobs.schedules().get(&name).await?);
    let status = session.with_jobs(Missing::Refuse, read).await?.ok_or_else(|| no_such(&name, &session))?;
    let ticks = match args.from {
        Some(from) => status.spec().timing.after(timing::moment(from)).take(count).map(Tick::from).collect(),
        None => status.next(count),
    };
    if status.is_paused() && args.from.is_none() && out.format() == Format::Human {
        output::note(format!("the schedule {name:?} is paused"));
    }
    tell(out, &status.spec().timing, &ticks)
}

fn tell(out: Output, timing: &Timing, ticks: &[Tick]) -> Result<Exit, CliError> {
    match out.format() {
        Format::Json => {
            for tick in ticks {
                out.object(&json!({"tick": tick.to_string(), "local": local(timing, *tick)}))?;
            }
        }
        Format::Human => {
            let rows = ticks.iter().map(|tick| vec![local(timing, *tick), tick.to_string()]);
            out.text(output::table(["LOCAL", "UTC"], rows))?;
        }
    }
    Ok(Exit::Ok)
}

/// A tick in the zone of the schedule, or in UTC if it has none.
pub(super) fn local(timing: &Timing, tick: Tick) -> String {
    match timing {
        Timing::Cron { zone, .. } => zone.shown(tick),
        _ => Zone::utc().shown(tick),
    }
}
