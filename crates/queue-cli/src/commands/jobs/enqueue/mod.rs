//! `queue enqueue`: stores one job, or one for each line of a file.

mod batches;
mod ids;
mod lines;
pub(in crate::commands) mod one;
mod options;
mod progress;

use crate::{
    commands::jobs::job_args,
    exit::{CliError, Exit},
    parse,
    session::{Jobs, Missing, Session},
};
use clap::Args;
use ids::{IdRule, LineIds};
use options::EnqueueJobArgs;
use queue::{Enqueued, Id, IdSource, JobId, JobOptions, Kind, Raw, TimeOrderedIds, batches::Batch};
use std::{ffi::OsString, path::PathBuf, time::Duration};

#[derive(Debug, Args)]
#[command(after_help = "\
An id that is taken is not enqueued again: that is no error, and the answer says so, also whether the job that has the
id has another payload.
With --lines, the end of each line (LF or CR LF) is cut off and empty lines are skipped. Lines are stored as they come,
many at a time; each such batch is stored whole or not at all, and what was stored before an error stays.
The same input again stores nothing twice: unless --ids says otherwise, the id of a line is its number and a digest of
the file's path, the kind, the line and all lines before it. So a line that occurs twice makes two jobs, appended lines
are stored alone, and an interrupted run can be repeated. An id is free again when --ttl ends. --ids fresh turns this
off.")]
pub(crate) struct EnqueueArgs {
    #[command(flatten)]
    jobs: NewJobs,
    /// Wait for the result and write it to standard output, as `queue wait` does
    #[arg(long, conflicts_with_all = ["lines", "debounce"])]
    wait: bool,
    /// With --wait: the longest time to wait
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse::duration, allow_hyphen_values = true)]
    timeout: Duration,
}

/// The jobs of a call: one, or one for each line of a file.
#[derive(Debug, Args)]
pub(in crate::commands) struct NewJobs {
    /// The payload, used unchanged; `-` reads it from standard input
    #[arg(required_unless_present = "lines")]
    payload: Option<OsString>,
    /// One job for each line of this file; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["payload", "id"])]
    lines: Option<PathBuf>,
    /// The id, which is also the key against duplicates: 1 to 255 bytes without control characters
    #[arg(long, conflicts_with = "ids")]
    id: Option<JobId>,
    /// How to make an id when none is given [default: fresh, or line with --lines]
    #[arg(long, value_name = "RULE", value_enum)]
    ids: Option<IdRule>,
    #[command(flatten)]
    job: EnqueueJobArgs,
}

/// The jobs of a call, of which all was checked that needs no store.
pub(in crate::commands) struct CheckedJobs {
    kind: Option<Kind>,
    what: What,
}

enum What {
    One(one::Request),
    Lines(lines::Input, lines::LineJob),
}

/// Where jobs go: to a queue, by themselves or as members of a batch.
pub(in crate::commands) struct Target {
    pub(in crate::commands) jobs: Jobs,
    pub(in crate::commands) batch: Option<Batch<Raw, Raw>>,
}

pub(crate) async fn run(args: EnqueueArgs, session: &Session) -> Result<Exit, CliError> {
    let EnqueueArgs { jobs: new, wait, timeout } = args;
    let new = new.check()?;
    let run = async |jobs: &Jobs| {
        let jobs = new.of_kind(jobs);
        match new.what {
            What::One(request) if wait => one::wait(request, &jobs, timeout, session).await,
            what => what.store(&Target { jobs, batch: None }, session).await,
        }
    };
    session.with_jobs_or_service(Missing::Create, run).await
}

impl NewJobs {
    /// Whether a call says how long its jobs are kept.
    pub(in crate::commands) fn has_ttl(&self) -> bool {
        self.job.job.has_ttl()
    }

    /// Checks everything that needs no store, before one is opened.
    pub(in crate::commands) fn check(self) -> Result<CheckedJobs, CliError> {
        let Self { payload, lines, id, ids, job } = self;
        let options = job.options()?;
        let kind = job.job.kind().cloned();
        if let Some(path) = &lines {
            let input = lines::open(path)?;
            let ids = LineIds::new(ids.unwrap_or(IdRule::Line), input.source(), kind.as_ref());
            let line = lines::LineJob { ids, options, args: job.job };
            return Ok(CheckedJobs { kind, what: What::Lines(input, line) });
        }
        let payload = job.job.payload(one::bytes(payload.unwrap_or_default())?)?;
        let id = match (id, ids.unwrap_or(IdRule::Fresh)) {
            (Some(id), _) => id.into(),
            // The id is made here, so that the answer can name it even if the call fails.
            (None, IdRule::Fresh) => TimeOrderedIds::default().next_id().into(),
            (None, rule) => rule.id(&payload.bytes)?,
        };
        Ok(CheckedJobs { kind, what: What::One(one::Request { id, payload, options }) })
    }
}

impl CheckedJobs {
    /// The queue for jobs of their kind.
    pub(in crate::commands) fn of_kind(&self, jobs: &Jobs) -> Jobs {
        job_args::of_kind(self.kind.as_ref(), jobs)
    }

    pub(in crate::commands) async fn store(
        self,
        target: &Target,
        session: &Session,
    ) -> Result<Exit, CliError> {
        self.what.store(target, session).await
    }
}

impl What {
    async fn store(self, target: &Target, session: &Session) -> Result<Exit, CliError> {
        match self {
            Self::One(request) => one::run(request, target, session).await,
            Self::Lines(input, line) => lines::run(input, line, target, session).await,
        }
    }
}

impl Target {
    async fn enqueue(&self, id: Id, payload: Raw, options: JobOptions) -> queue::Result<Enqueued<Raw>> {
        match &self.batch {
            None => self.jobs.enqueue_with(id, payload, options).await,
            Some(batch) => batch.add_with(id, payload, options).await,
        }
    }

    /// Stores lines, whole or not at all.
    async fn enqueue_many(
        &self,
        lines: Vec<(Id, Raw)>,
        options: JobOptions,
    ) -> queue::Result<Vec<Enqueued<Raw>>> {
        match &self.batch {
            None => self.jobs.enqueue_many(lines, options).await,
            Some(batch) => batch.add_all_with(lines, options).await,
        }
    }
}
