//! A comparison of source and target that does not use the library's.

use crate::{
    failed::{Failed, require},
    many::{QUEUE, Templates, number_of, payload_text, read_whole},
};
use queue::{
    JobId, State, Storage,
    queue_core::{QueueName, WholeJob},
};

/// About how many records are compared.
const SAMPLE: u64 = 2_000;

/// Compares the counts of all states, and a sample of the records: payloads and headers with what
/// their numbers say, the rest with the source. Returns how many records it compared.
pub(super) async fn compare(
    from: &dyn Storage,
    to: &dyn Storage,
    templates: &Templates,
    jobs: u64,
) -> Result<u64, Failed> {
    let queue = QueueName::from_static(QUEUE);
    let (source, target) = (from.counts(&queue).await?, to.counts(&queue).await?);
    let given_back = source.of(State::Processing);
    for state in State::ALL {
        let expected = match state {
            State::Processing => 0,
            State::Queued => source.of(state) + given_back,
            _ => source.of(state),
        };
        let found = target.of(state);
        require(found == expected, || format!("{found} jobs are {state:?} rather than {expected}"))?;
    }
    require(target.total() == jobs, || format!("{} jobs rather than {jobs}", target.total()))?;
    let mut numbers = Vec::new();
    // The step and the number of templates have no common divisor, so all states are met.
    let step = (jobs / SAMPLE).max(1);
    let step = step + u64::from(step.is_multiple_of(templates.0.len() as u64));
    for number in (0..jobs).step_by(usize::try_from(step)?) {
        let id = JobId::new(format!("job-{number:08}"))?;
        let (source, target) = (read_whole(from, &id).await?, read_whole(to, &id).await?);
        numbers.push((source.meta.seq, target.meta.seq));
        same(&source, &target).map_err(|what| format!("{id} has another {what}"))?;
    }
    // The source has numbered its batches in the order in which they came.
    numbers.sort_unstable();
    require(numbers.is_sorted_by(|one, next| one.1 < next.1), || "the order is another".to_owned())?;
    Ok(numbers.len() as u64)
}

/// What is not the same.
fn same(source: &WholeJob, target: &WholeJob) -> Result<(), &'static str> {
    let number = number_of(&target.meta.id).ok_or("id")?;
    let expected = format!("{:?}", payload_text(number));
    let checks = [
        ("payload", target.body.payload.bytes == expected.as_bytes()),
        ("header", target.body.headers.get("origin") == Some("soak")),
        ("tag", target.meta.tags == source.meta.tags),
        ("result", target.body.result == source.body.result),
        ("error", target.meta.last_error == source.meta.last_error),
        ("error text", target.body.error_details == source.body.error_details),
        ("list of attempts", target.attempts == source.attempts),
        ("creation time", target.meta.created_at == source.meta.created_at),
        ("due time", target.meta.run_at == source.meta.run_at || is_held(source)),
        ("state", target.meta.state == source.meta.state || given_back(source, target)),
        ("count of failures", target.meta.failures == source.meta.failures),
        ("count of claims", target.meta.epoch == source.meta.epoch),
        ("retention", target.meta.terms.retention == source.meta.terms.retention),
        ("priority", target.meta.priority == source.meta.priority),
        ("end", target.meta.finished_at == source.meta.finished_at),
    ];
    checks.into_iter().find(|(_, is_same)| !is_same).map_or(Ok(()), |(what, _)| Err(what))
}

fn is_held(source: &WholeJob) -> bool {
    source.meta.state == State::Processing
}

fn given_back(source: &WholeJob, target: &WholeJob) -> bool {
    is_held(source) && target.meta.state == State::Queued
}
