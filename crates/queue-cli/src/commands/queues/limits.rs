//! `queue limits`: how many jobs of a partition run at once, and how large its share is.

use crate::{
    effect::Effect,
    exit::{CliError, Exit},
    output::{self, Column, Format},
    parse::{self, Running},
    session::{Jobs, Missing, Session},
};
use clap::{Args, Subcommand};
use queue::{
    queue_core::{Limit, LimitScope, Partition},
    view::{LimitView, LimitsView, scope_word},
};
use serde_json::json;

#[derive(Debug, Args)]
#[command(after_help = "\
A limit counts leases, in the store, so all workers keep to it, and a change works at once. A lowered limit ends no lease. Other \
limits of the queue stay as they are. Exits with 2 on a store without partitions.")]
pub(crate) struct LimitsArgs {
    #[command(subcommand)]
    command: LimitsCommand,
}

#[derive(Debug, Subcommand)]
enum LimitsCommand {
    /// List the limits of the queue
    Ls,
    /// Set a limit; of its two numbers the one that is not given stays as it is in force
    #[command(after_help = "`--partition KEY --running 0` pauses one partition: its jobs that run go on.")]
    Set(SetArgs),
    /// Take a limit away
    Rm(ScopeArgs),
}

#[derive(Debug, Args)]
struct SetArgs {
    #[command(flatten)]
    scope: ScopeArgs,
    /// So many jobs of a partition run at once; 0 pauses it, and `unlimited` is no limit
    #[arg(
        long,
        value_name = "N",
        value_parser = parse::running,
        required_unless_present = "weight",
        conflicts_with = "unpartitioned"
    )]
    running: Option<Running>,
    /// A partition gets so many jobs for one of a partition of weight 1, from 1 to 1000
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=i64::from(Limit::WEIGHT_MAX)))]
    weight: Option<u16>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct ScopeArgs {
    /// The limit of each partition by itself that has none of its own
    #[arg(long)]
    each: bool,
    /// The limit of this partition, also before its first job
    #[arg(long, value_name = "KEY")]
    partition: Option<Partition>,
    /// The weight of the jobs without a partition
    #[arg(long)]
    unpartitioned: bool,
}

const COLUMNS: [Column; 4] =
    [Column::whole("OF"), Column::text("PARTITION"), Column::whole("RUNNING"), Column::whole("WEIGHT")];

impl LimitsArgs {
    pub(crate) fn effect(&self) -> Effect {
        Effect::change_if(!matches!(self.command, LimitsCommand::Ls))
    }
}

pub(crate) async fn run(args: LimitsArgs, session: &Session) -> Result<Exit, CliError> {
    match args.command {
        LimitsCommand::Ls => list(session).await,
        LimitsCommand::Set(args) => set(&args, session).await,
        LimitsCommand::Rm(scope) => remove(&scope, session).await,
    }
}

async fn list(session: &Session) -> Result<Exit, CliError> {
    let read = async |jobs: &Jobs| Ok(jobs.limits_set().await?);
    let limits = session.with_jobs_or_service(Missing::Refuse, read).await?;
    let view = LimitsView::of(&limits);
    match session.out.format() {
        Format::Json => session.out.object(&json!(view))?,
        Format::Human => {
            let row = |(of, key, limit): (&str, Option<&str>, LimitView)| {
                let key = key.unwrap_or("-").to_owned();
                vec![of.to_owned(), key, limit.running_words(), limit.weight_words()]
            };
            session.out.text(output::table(COLUMNS, view.rows().map(row)))?;
        }
    }
    Ok(Exit::Ok)
}

async fn set(args: &SetArgs, session: &Session) -> Result<Exit, CliError> {
    let set = async |jobs: &Jobs| {
        let limit = args.limit(jobs).await?;
        jobs.limits().limit(args.scope.scope(), limit).set().await?;
        Ok(limit)
    };
    let limit = session.with_jobs_or_service(Missing::Refuse, set).await?;
    let view = LimitView::from(limit);
    let words = || {
        let (running, weight) = (view.running_words(), view.weight_words());
        format!("{}: {running} at once, weight {weight}", args.scope.words())
    };
    answer(session, &args.scope, "set", words, Some(view))
}

async fn remove(scope: &ScopeArgs, session: &Session) -> Result<Exit, CliError> {
    let remove = async |jobs: &Jobs| Ok(jobs.limits().without(scope.scope()).set().await?);
    session.with_jobs_or_service(Missing::Refuse, remove).await?;
    answer(session, scope, "removed", || format!("{}: no limit of its own", scope.words()), None)
}

fn answer(
    session: &Session,
    scope: &ScopeArgs,
    answer: &str,
    words: impl FnOnce() -> String,
    limit: Option<LimitView>,
) -> Result<Exit, CliError> {
    let object = || {
        let (of, partition) = (scope_word(&scope.scope()), scope.partition.as_ref().map(Partition::as_str));
        json!({"queue": session.name.as_str(), "of": of, "partition": partition, "answer": answer, "limit": limit})
    };
    session.out.answer(words, object)?;
    Ok(Exit::Ok)
}

impl SetArgs {
    /// The limit with what is not given as it is in force now, which only then is read.
    async fn limit(&self, jobs: &Jobs) -> Result<Limit, CliError> {
        let whole = |running: Running, weight| Limit { running: running.number(), weight };
        match (self.running, self.weight) {
            (Some(running), Some(weight)) => Ok(whole(running, weight)),
            (None, Some(weight)) if self.scope.unpartitioned => Ok(Limit { running: None, weight }),
            (running, weight) => {
                let before = self.scope.in_force(&jobs.limits_set().await?);
                let running = running.map_or(before.running, Running::number);
                Ok(Limit { running, weight: weight.unwrap_or(before.weight) })
            }
        }
    }
}

impl ScopeArgs {
    fn scope(&self) -> LimitScope {
        match &self.partition {
            Some(partition) => LimitScope::Partition(partition.clone()),
            None if self.each => LimitScope::EachPartition,
            None => LimitScope::Unpartitioned,
        }
    }

    /// The limit that holds now: its own, or else for a partition that of each.
    fn in_force(&self, limits: &[(LimitScope, Limit)]) -> Limit {
        let of =
            |scope: &LimitScope| limits.iter().find(|(found, _)| found == scope).map(|(_, limit)| *limit);
        let of_each = || self.partition.as_ref().and_then(|_| of(&LimitScope::EachPartition));
        of(&self.scope()).or_else(of_each).unwrap_or_default()
    }

    fn words(&self) -> String {
        match &self.partition {
            Some(partition) => format!("partition {partition}"),
            None if self.each => "each partition".to_owned(),
            None => "jobs without a partition".to_owned(),
        }
    }
}
