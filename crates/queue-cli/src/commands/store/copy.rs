//! The command `queue copy`: brings the jobs of one store to another, of any kind.

use super::copy_bar::CopyBar;
use crate::{
    effect::Effect,
    exit::{CliError, Exit},
    globals::Globals,
    output::{self, Column, Format, Text, plural},
    parse,
    session::{Missing, Session},
};
use clap::Args;
use queue::{CopyReport, HeldJobs, JobTally, MemoryStorage, QueueCopy, State, Storage, StoreCopy};
use serde_json::{Map, Value, json};
use std::{sync::Arc, time::Duration};

/// Digits of a digest that are shown to people.
const DIGITS: usize = 12;

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[command(after_help = "\
Copies all queues, or the one of --queue, and leaves the jobs in FROM. Pauses the queues in both stores, and leaves them \
paused: once the copy is verified, `queue resume --all-queues` lets workers begin on TO. What was interrupted is finished by the same \
command. This moves a store; for a backup of SQLite use `sqlite3 FILE \"VACUUM INTO 'copy.db'\"`, which pauses nothing. At the end every record is read again from both stores and compared; exits with 1 if any differs.")]
pub(crate) struct CopyArgs {
    /// The store to read, such as sqlite:queue.db
    #[arg(value_name = "FROM")]
    from: String,
    /// The store to fill; a file is made if there is none
    #[arg(value_name = "TO")]
    to: String,
    /// Read everything, write nothing, and say what would be copied
    #[arg(long)]
    dry_run: bool,
    /// Wait this long for running jobs to end, instead of refusing to begin
    #[arg(long, value_name = "DURATION", value_parser = parse::duration)]
    wait: Option<Duration>,
    /// Copy running jobs as waiting ones: only if their workers have ended for good
    #[arg(long, conflicts_with = "wait")]
    give_back: bool,
    /// Add to queues of TO that have other jobs or are not paused
    #[arg(long)]
    add: bool,
    /// Copy again what a finished copy brought from FROM to TO: jobs that were done and removed in
    /// TO since come back, and run again. Without it a terminal is asked, and a script is refused
    #[arg(long)]
    again: bool,
    /// Let the numbers of jobs go back; outside resources must forget their fences (seq, epoch)
    #[arg(long)]
    renumber: bool,
}

pub(crate) async fn run(args: CopyArgs, globals: &Globals) -> Result<Exit, CliError> {
    if globals.store.is_some() {
        return Err(CliError::invalid("`queue copy` takes both stores behind its name, and no --store"));
    }
    let source = Session { url: args.from.clone(), ..Session::new(globals)? };
    let from = source.open(Missing::Refuse).await.map_err(|error| error.context("FROM"))?;
    let ended = copy_from(&from, &args, globals).await;
    let closed = from.close().await;
    let report = ended?;
    closed?;
    tell(&report, &source, &args, globals)?;
    let is_fine =
        report.queues.iter().all(|queue| queue.late == 0 && queue.differing == 0 && queue.foreign == 0);
    Ok(if is_fine { Exit::Ok } else { Exit::Negative })
}

async fn copy_from(
    from: &Arc<dyn Storage>,
    args: &CopyArgs,
    globals: &Globals,
) -> Result<CopyReport, CliError> {
    let to = target(args, globals).await.map_err(|error| error.context("TO"))?;
    let mut copy = StoreCopy::new(from.clone(), to.clone()).held(args.held());
    // The environment names the queue of other commands.
    if let Some(queue) = &globals.queue {
        copy = copy.queue(queue.clone());
    }
    copy = if args.add { copy.adding() } else { copy };
    if !args.dry_run && !args.again {
        copy = confirmed(copy).await?;
    }
    copy = if args.again { copy.again() } else { copy };
    copy = if args.renumber { copy.renumbering() } else { copy };
    copy = if args.dry_run { copy.dry_run() } else { copy };
    let bar = CopyBar::new();
    let ended = copy.run(&mut |progress| bar.show(progress)).await;
    drop(bar);
    let closed = to.close().await;
    let report = ended?;
    closed?;
    Ok(report)
}

/// Asks a person whether to copy again what was copied before; a script has to say `--again`.
async fn confirmed(copy: StoreCopy) -> Result<StoreCopy, CliError> {
    let finished = copy.finished_before().await?;
    let Some(first) = finished.first() else { return Ok(copy) };
    let what = format!(
        "the copy of {} such as {:?} from FROM to TO is finished; copied again, jobs that were done and removed in TO \
         since come back and run again",
        plural(finished.len() as u64, "queue", "queues"),
        first.queue
    );
    if !output::can_ask() {
        return Err(CliError::invalid(format!("{what}; nothing was written; add --again if you mean it")));
    }
    if output::is_yes(&what)? {
        Ok(copy.again())
    } else {
        Err(CliError::new(Exit::Negative, "nothing was copied"))
    }
}

/// The store to fill. A dry run makes none, and compares with an empty one.
async fn target(args: &CopyArgs, globals: &Globals) -> Result<Arc<dyn Storage>, CliError> {
    let session = Session { url: args.to.clone(), ..Session::new(globals)? };
    if !args.dry_run {
        return session.open(Missing::Create).await;
    }
    Ok(match session.find().await? {
        Some(storage) => storage,
        None => Arc::new(MemoryStorage::new()),
    })
}

impl CopyArgs {
    pub(crate) fn effect(&self) -> Effect {
        Effect::change_if(!self.dry_run)
    }

    fn held(&self) -> HeldJobs {
        match self.wait {
            _ if self.give_back => HeldJobs::GiveBack,
            Some(longest) => HeldJobs::Wait(longest),
            None => HeldJobs::Refuse,
        }
    }
}

fn tell(report: &CopyReport, session: &Session, args: &CopyArgs, globals: &Globals) -> Result<(), CliError> {
    if session.out.format() == Format::Json {
        for queue in &report.queues {
            session.out.object(&object(queue, report.is_dry_run))?;
        }
        return Ok(());
    }
    let table = output::table(COLUMNS, report.queues.iter().map(row));
    Ok(session.out.text(Text::from(table).and(outcome(report)).and(resumption(report, args, globals)))?)
}

const COLUMNS: [Column; 10] = [
    Column::text("QUEUE"),
    Column::whole("JOBS"),
    Column::whole("COPIED"),
    Column::whole("THERE BEFORE"),
    Column::whole("PAST PURGE").plain("0"),
    Column::whole("GIVEN BACK").plain("0"),
    Column::whole("LATE").plain("0"),
    Column::whole("DIFFERENT"),
    Column::whole("ONLY THERE").plain("0"),
    Column::whole("DIGEST").plain(""),
];

fn row(queue: &QueueCopy) -> Vec<String> {
    vec![
        queue.queue.to_string(),
        queue.source.total().to_string(),
        queue.stored.to_string(),
        queue.present.to_string(),
        queue.purged.to_string(),
        queue.held.to_string(),
        queue.late.to_string(),
        queue.differing.to_string(),
        queue.foreign.to_string(),
        queue.source.digest().chars().take(DIGITS).collect(),
    ]
}

fn outcome(report: &CopyReport) -> Text {
    let copied: u64 = report.queues.iter().map(|queue| queue.stored).sum();
    let count = plural(copied, "job", "jobs");
    if report.is_dry_run {
        return Text::from(format!("A copy would store {count}. Nothing was written."));
    }
    if report.is_verified() {
        return Text::from(format!(
            "Copied {count}. Every record is in the target as in the source. The queues are paused in both stores."
        ));
    }
    let differing = report.queues.iter().flat_map(|queue| {
        queue.differing_ids.iter().map(move |id| Text::from(format!("{} {id} is not the same", queue.queue)))
    });
    let lines: Text = differing.collect();
    let late: u64 = report.queues.iter().map(|queue| queue.late).sum();
    if late > 0 {
        let jobs = plural(late, "job", "jobs");
        let late = format!(
            "{jobs} reached the source during the copy, and are not in the target: let its producers go to the \
             target, and run the copy again."
        );
        if report.queues.iter().all(|queue| queue.differing == 0 && queue.foreign == 0) {
            return Text::from(format!("Copied {count}. {late}"));
        }
        return lines.and(format!("Copied {count}. The target is not the same as the source. {late}"));
    }
    lines.and(format!("Copied {count}. The target is not the same as the source."))
}

/// The commands that end the pauses of a copy.
fn resumption(report: &CopyReport, args: &CopyArgs, globals: &Globals) -> Text {
    if report.is_dry_run {
        return Text::default();
    }
    let which = match &globals.queue {
        Some(queue) => format!("--queue {}", shell_word(queue.as_str())),
        None => "--all-queues".to_owned(),
    };
    let resume = |store: &str| format!("queue resume {which} --store {}", shell_word(store));
    let lines = [
        format!("To work on the target:         {}", resume(&args.to)),
        format!("To go on with the source:      {}", resume(&args.from)),
    ];
    lines.into_iter().map(Text::from).collect()
}

/// A word of a shell's command line.
fn shell_word(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=@%+,".contains(&byte);
    if text.bytes().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

fn object(queue: &QueueCopy, is_dry_run: bool) -> Value {
    let ids: Vec<&str> = queue.differing_ids.iter().map(queue::JobId::as_str).collect();
    json!({
        "queue": queue.queue.as_str(),
        "dry_run": is_dry_run,
        "stored": queue.stored,
        "present": queue.present,
        "purged": queue.purged,
        "given_back": queue.held,
        "late": queue.late,
        "differing": queue.differing,
        "differing_ids": ids,
        "foreign": queue.foreign,
        "verified": queue.is_verified(),
        "source": tally(&queue.source),
        "target": tally(&queue.target),
    })
}

fn tally(tally: &JobTally) -> Value {
    let mut object: Map<String, Value> =
        State::ALL.iter().map(|state| (state.as_str().to_owned(), json!(tally.of(*state)))).collect();
    object.insert("total".to_owned(), json!(tally.total()));
    object.insert("digest".to_owned(), json!(tally.digest()));
    object.into()
}
