//! How many jobs go into one call.

use queue_core::NewJob;

/// The bytes of payloads at which a batch of [`Queue::enqueue_many`] is sent, so that no
/// transaction of a store grows without bound.
const BATCH_BYTES_MAX: usize = 16 << 20;

/// Cuts jobs into batches of at most `jobs_max`, each closed by the job that takes it over
/// [`BATCH_BYTES_MAX`].
pub(super) fn batches(jobs: Vec<NewJob>, jobs_max: usize) -> Vec<Vec<NewJob>> {
    let mut batches = Vec::new();
    let mut batch = Vec::new();
    let mut bytes = 0;
    for job in jobs {
        bytes += job.payload.bytes.len();
        batch.push(job);
        if is_full(batch.len(), bytes, jobs_max) {
            batches.push(std::mem::take(&mut batch));
            bytes = 0;
        }
    }
    if !batch.is_empty() {
        batches.push(batch);
    }
    batches
}

/// Whether a batch of so many jobs and bytes of payload is to be sent.
pub(crate) fn is_full(jobs: usize, bytes: usize, jobs_max: usize) -> bool {
    jobs >= jobs_max || bytes >= BATCH_BYTES_MAX
}

#[cfg(test)]
mod tests {
    use super::*;
    use queue_core::{ContentType, JobId, Kind, Payload};

    fn jobs(sizes: &[usize]) -> Vec<NewJob> {
        let payload = |size| Payload::new(vec![0; size], ContentType::from_static("x"));
        sizes
            .iter()
            .map(|size| NewJob::new(JobId::from_static("a"), Kind::unnamed(), payload(*size)))
            .collect()
    }

    fn cut(sizes: &[usize], jobs_max: usize) -> Vec<usize> {
        batches(jobs(sizes), jobs_max).iter().map(Vec::len).collect()
    }

    #[test]
    fn batches_are_cut_by_jobs_and_by_bytes() {
        assert_eq!(cut(&[], 2), Vec::<usize>::new());
        assert_eq!(cut(&[1, 1], 2), [2]);
        assert_eq!(cut(&[1, 1, 1], 2), [2, 1]);
        assert_eq!(cut(&[BATCH_BYTES_MAX, 1, BATCH_BYTES_MAX - 1, 1], 9), [1, 2, 1]);
    }
}
