//! The command `queue partitions`: its arguments, and the table that it prints.

use crate::{
    commands::watch::WatchArgs,
    exit::{CliError, Exit},
    output::{self, Column, Format, Output},
    parse,
    session::{Jobs, Missing, Session},
};
use clap::Args;
use queue::{
    queue_core::Partition,
    view::{PARTITIONS_LOOKED_AT_MAX, PartitionOrder, PartitionView, Partitions, PartitionsToRead},
};
use serde_json::json;
use std::num::NonZeroUsize;

#[derive(Debug, Args)]
#[command(after_help = "\
A partition is listed while a job of it waits or runs, or it has a limit of its own. Waiting jobs are counted up to 1000. \
`queue list --partition KEY` lists the jobs of one, and `queue limits` sets limits. Exits with 2 on a store without partitions.")]
pub(crate) struct PartitionsArgs {
    /// The order; all but `key` look at 10,000 partitions
    #[arg(
        long,
        value_name = "ORDER",
        default_value_t,
        value_parser = parse::one_of::<PartitionOrder>(PartitionOrder::ALL.map(PartitionOrder::as_str))
    )]
    sort: PartitionOrder,
    /// Begin behind this key
    #[arg(long, value_name = "KEY")]
    after: Option<Partition>,
    /// List at most this many
    #[arg(long, value_name = "N", default_value = "50", value_parser = parse::number_from_one)]
    limit: NonZeroUsize,
    #[command(flatten)]
    watch: WatchArgs,
}

const COLUMNS: [Column; 6] = [
    Column::text("PARTITION"),
    Column::whole("LEASES"),
    Column::whole("FULL").plain(""),
    Column::whole("WEIGHT").plain("1"),
    Column::whole("WAITING"),
    Column::whole("OLDEST DUE").plain(""),
];

pub(crate) async fn run(args: PartitionsArgs, session: &Session) -> Result<Exit, CliError> {
    session
        .with_jobs_or_service(Missing::Refuse, async |jobs| {
            let look = async |out| list(&args, jobs, out).await;
            args.watch.run(session.out, look).await
        })
        .await
}

async fn list(args: &PartitionsArgs, jobs: &Jobs, out: Output) -> Result<(), CliError> {
    let wanted = PartitionsToRead {
        order: args.sort,
        after: args.after.clone(),
        limit: args.limit.get(),
        looked_at_max: PARTITIONS_LOOKED_AT_MAX,
    };
    let found = wanted.read(&**jobs.storage(), jobs.name()).await?;
    let mut views = found.partitions.iter().map(|status| PartitionView::of(status, found.now));
    match out.format() {
        Format::Json => views.try_for_each(|view| out.object(&json!(view)))?,
        Format::Human => {
            out.text(output::table(COLUMNS, views.map(|view| row(&view))))?;
            note_more(args, &found);
        }
    }
    Ok(())
}

fn row(view: &PartitionView<'_>) -> Vec<String> {
    vec![
        view.key().to_owned(),
        view.leases_words(),
        if view.is_full() { "full" } else { "" }.to_owned(),
        view.limit().weight_words(),
        view.waiting_words(),
        view.oldest_due_words(),
    ]
}

fn note_more(args: &PartitionsArgs, found: &Partitions) {
    let last = found.partitions.last().filter(|_| found.has_more);
    match last {
        None => {}
        Some(_) if found.is_cut => output::note(format!(
            "the queue has more than {PARTITIONS_LOOKED_AT_MAX} partitions, of which only so many were looked at"
        )),
        Some(last) if args.sort == PartitionOrder::Key => {
            output::note(format!("there are more partitions: raise --limit, or --after {}", last.partition));
        }
        Some(_) => output::note("there are more partitions: raise --limit"),
    }
}
