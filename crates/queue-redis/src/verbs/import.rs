//! `import`: stores whole records of another store.

use super::{enqueue::after, runs};
use crate::{
    attempts::write_attempts,
    body::{write_body, write_payload},
    client::Access,
    gate::write_signals,
    handle::{HandleState, ScriptAnswer, arg},
    imported::write,
    known_queues::KnownQueue,
    reply::corrupt,
    row::{self, split},
    script,
};
use queue_core::{EndSignal, ImportRequest, Imported, Moment, NewJob, Result, Seq, Stamped, WholeJob};

impl HandleState {
    /// Stores in scripts of bounded size; dropping the future between two of them leaves the first
    /// ones stored.
    pub(crate) async fn import(&self, request: ImportRequest) -> Result<Stamped<Vec<Imported>>> {
        self.client.check_open("import")?;
        request.check(&self.limits)?;
        let queue = self.queues.get(&request.queue);
        let number = self.number("import", &queue).await?;
        let mut moment = Moment::default();
        let mut answers = Vec::with_capacity(request.jobs.len());
        let mut runs = runs(request.jobs, |job| (1, job.large_bytes()));
        // Also without jobs the numbers are raised.
        if runs.is_empty() {
            runs.push(Vec::new());
        }
        for run in runs {
            let sent = self.import_run(&queue, number, request.after, &run).await;
            let (at, some) = sent.map_err(|error| after(&answers, error))?;
            moment = at;
            answers.extend(some);
        }
        Ok(Stamped::at(moment, answers))
    }

    async fn import_run(
        &self,
        queue: &KnownQueue,
        number: u64,
        after: Seq,
        jobs: &[WholeJob],
    ) -> Result<(Moment, Vec<Imported>)> {
        let mut args = vec![arg(number), arg(split(after).0), arg(jobs.len())];
        for job in jobs {
            let new = NewJob::of(&job.meta, &job.body);
            args.push(write(job, &new));
            args.push(write_body(&new));
            args.push(job.body.result.as_ref().map(write_payload).unwrap_or_default());
            args.push(job.body.error_details.as_deref().unwrap_or_default().to_vec());
            args.push(write_attempts(&job.attempts));
            args.push(write_signals(&by_id(&job.body.end_signals), number));
        }
        let answer = self.call("import", &script::IMPORT, queue, Access::Writes, args).await?;
        let ScriptAnswer { moment, number, mut rest } = answer;
        let mut answers = Vec::with_capacity(jobs.len());
        for _ in jobs {
            let (kind, count) = (rest.count()?, rest.count()?);
            let seq = row::seq(count, number);
            answers.push(match kind {
                0 => Imported::Stored { seq },
                1 => Imported::Taken { seq },
                2 => Imported::Purged,
                _ => return Err(corrupt("import")),
            });
        }
        Ok((moment, answers))
    }
}

/// Lives have other numbers here.
fn by_id(signals: &[EndSignal]) -> Vec<EndSignal> {
    signals.iter().map(|signal| EndSignal { life: None, ..signal.clone() }).collect()
}
