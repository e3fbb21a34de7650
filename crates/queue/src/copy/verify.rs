//! Reading both stores at the end, and comparing them.

use super::{
    CopyPhase, CopyProgress, QueueCopy, StoreCopy,
    reading::{JobReader, all_whole},
    tally::unnumbered,
    target,
};
use queue_core::{JobId, QueueName, Result, Timestamp, WholeJob};

impl StoreCopy {
    /// Compares each record of the source with that of the target, and looks for others there. In a
    /// dry run it says what a copy would do.
    pub(super) async fn verify(
        &self,
        queue: &QueueName,
        report: &mut QueueCopy,
        watch: &mut (dyn FnMut(&CopyProgress<'_>) + Send),
    ) -> Result<()> {
        let total = self.from.counts(queue).await?.total();
        let mut reader = JobReader::new(&*self.from, queue, self.gives_back());
        let mut done = 0;
        let mut read = reader.next().await?;
        while let Some(jobs) = read {
            done += jobs.len() as u64;
            let ids: Vec<JobId> = jobs.iter().map(|job| job.meta.id.clone()).collect();
            let ((found, now), next) = tokio::try_join!(all_whole(&*self.to, queue, &ids), reader.next())?;
            read = next;
            for (job, copy) in jobs.into_iter().zip(found) {
                self.compare(job, copy, now, report)?;
            }
            watch(&CopyProgress { queue, phase: CopyPhase::Verifying, done, total: total.max(done) });
        }
        if self.is_dry {
            report.held = reader.held();
        }
        if !self.adds {
            report.foreign = target::foreign(&*self.from, &*self.to, queue).await?.count;
        }
        Ok(())
    }

    fn compare(
        &self,
        job: WholeJob,
        copy: Option<WholeJob>,
        now: Timestamp,
        report: &mut QueueCopy,
    ) -> Result<()> {
        let seq = job.meta.seq;
        let job = unnumbered(job);
        let Some(copy) = copy.map(unnumbered) else {
            if job.meta.is_purged(now) {
                report.purged += u64::from(self.is_dry);
            } else if self.is_dry {
                job.check(&self.to.capabilities().limits)?;
                report.source.add(&job);
                report.stored += 1;
            } else {
                report.source.add(&job);
                report.differs(job.meta.id, seq);
            }
            return Ok(());
        };
        report.present += u64::from(self.is_dry);
        report.source.add(&job);
        report.target.add(&copy);
        if job != copy {
            report.differs(job.meta.id, seq);
        }
        Ok(())
    }
}
