//! Bringing the records of one queue to the target.

use super::{
    CopyPhase, CopyProgress, QueueCopy, StoreCopy, fences,
    reading::{JobReader, is_probe},
};
use queue_core::{ImportRequest, Imported, QueueName, Result, Seq, WholeJob};

/// The most jobs of one import.
const BATCH_MAX: usize = 500;
/// The most bytes of one import, but at least one job.
const BATCH_BYTES_MAX: usize = 8 << 20;

impl StoreCopy {
    /// Stores each record of the source that the target lacks.
    pub(super) async fn transfer(
        &self,
        queue: &QueueName,
        report: &mut QueueCopy,
        watch: &mut (dyn FnMut(&CopyProgress<'_>) + Send),
    ) -> Result<()> {
        let newest = if self.renumbers {
            fences::newest_seq(&*self.from, queue).await?
        } else {
            fences::last_seq(&*self.from, queue).await?
        };
        report.began_at = Some(newest);
        let mut after = if self.renumbers { Seq::new(0) } else { newest };
        // The numbers go up even where no job is left to have one.
        self.import(queue, after, Vec::new(), report).await?;
        let total = self.from.counts(queue).await?.total();
        let mut reader = JobReader::new(&*self.from, queue, self.gives_back());
        let mut done = 0;
        let mut read = reader.next().await?;
        while let Some(jobs) = read {
            done += jobs.len() as u64;
            // The next ones are read while these are stored.
            ((), read) = tokio::try_join!(self.store(queue, &mut after, jobs, report), reader.next())?;
            watch(&CopyProgress { queue, phase: CopyPhase::Copying, done, total: total.max(done) });
        }
        report.held = reader.held();
        Ok(())
    }

    /// Stores jobs in their order, with numbers above `after` and above the numbers of the source.
    async fn store(
        &self,
        queue: &QueueName,
        after: &mut Seq,
        jobs: Vec<WholeJob>,
        report: &mut QueueCopy,
    ) -> Result<()> {
        for batch in self.batches(jobs) {
            if !self.renumbers {
                // Producers of the source may have gone on.
                *after = batch.iter().map(|job| job.meta.seq).fold(*after, Seq::max);
            }
            self.import(queue, *after, batch, report).await?;
        }
        Ok(())
    }

    /// Splits jobs so that each part fits one call of the target.
    fn batches(&self, jobs: Vec<WholeJob>) -> Vec<Vec<WholeJob>> {
        let limits = self.to.capabilities().limits;
        let (jobs_max, bytes_max) =
            (BATCH_MAX.min(limits.batch_max), BATCH_BYTES_MAX.min(limits.call_bytes_max));
        let mut batches: Vec<Vec<WholeJob>> = Vec::new();
        let mut bytes = 0;
        for job in jobs.into_iter().filter(|job| !is_probe(&job.meta)) {
            let more = job.large_bytes();
            let room = batches.last_mut().filter(|last| last.len() < jobs_max && bytes + more <= bytes_max);
            if let Some(last) = room {
                last.push(job);
                bytes += more;
            } else {
                batches.push(vec![job]);
                bytes = more;
            }
        }
        batches
    }

    async fn import(
        &self,
        queue: &QueueName,
        after: Seq,
        jobs: Vec<WholeJob>,
        report: &mut QueueCopy,
    ) -> Result<()> {
        let request = ImportRequest { queue: queue.clone(), after, jobs };
        for answer in self.to.import(request).await?.value {
            match answer {
                Imported::Stored { .. } => report.stored += 1,
                Imported::Taken { .. } => report.present += 1,
                Imported::Purged => report.purged += 1,
            }
        }
        Ok(())
    }
}
