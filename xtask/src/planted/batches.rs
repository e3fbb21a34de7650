//! Mistakes about batches: in what a producer sends, at a wake-up of the batch, and in its cancel.
//!
//! A store whose gates count wrongly is a defect of stores, and is planted there.

use super::mistake::{Mistake, Test};

const LIFE: &str = "crates/queue-worker/src/batches/batch_life.rs";
const SPEC: &str = "crates/queue-worker/src/batches/spec.rs";
const MEMBER: &str = "crates/queue-worker/src/batches/member.rs";
const COUNTS: &str = "crates/queue-worker/src/batches/counts.rs";
const WAKE: &str = "crates/queue-worker/src/batches/coordinator.rs";
const HALT: &str = "crates/queue-worker/src/batches/halt.rs";
const OPEN: &str = "crates/queue/src/batches/builder.rs";
const ADD: &str = "crates/queue/src/batches/add.rs";
const STOP: &str = "crates/queue/src/batches/batch.rs";

/// All cases of one file on the store in memory.
const fn cases(name: &'static str) -> Test {
    Test { package: "queue-jobs", target: "batches", name }
}

pub(super) const MISTAKES: &[Mistake] = &[
    Mistake {
        name: "a batch that is opened again in another way is taken for the same one",
        file: OPEN,
        right: "found.spec != BatchSpec::from_bytes(&job.payload.bytes)?",
        wrong: "found.spec.timeout_ms != BatchSpec::from_bytes(&job.payload.bytes)?.timeout_ms",
        caught_by: cases("refused::on_memory"),
    },
    Mistake {
        name: "a sealed batch takes members from outside",
        file: ADD,
        right: "Some(BatchError::Sealed { name: self.name().clone() }.into())",
        wrong: "None",
        caught_by: cases("refused::on_memory"),
    },
    Mistake {
        name: "an empty batch waits for a member",
        file: SPEC,
        right: "NewGate { needs: 0, is_sealed: false, timeout: Some(self.timeout()) }",
        wrong: "NewGate { needs: 1, is_sealed: false, timeout: Some(self.timeout()) }",
        caught_by: cases("ends::on_memory"),
    },
    Mistake {
        name: "a batch is removed with its members, so that a repeated producer opens it again",
        file: SPEC,
        right: "self.keep_ms.saturating_add(KEPT_LONGER.as_millis())",
        wrong: "self.keep_ms",
        caught_by: cases("ends::on_memory"),
    },
    Mistake {
        name: "a callback is enqueued before the settle that ends the batch",
        file: WAKE,
        right: "then.push(job)",
        wrong: "drop(self.store.enqueue(&self.job.meta.queue, vec![vec![job]]).await?)",
        caught_by: cases("repeats::on_memory"),
    },
    Mistake {
        name: "a callback has the id that the one of an earlier batch of the name had",
        file: LIFE,
        right: "format!(\"batch:{self}/{}\", moment.as_str())",
        wrong: "format!(\"batch:{}/{}\", self.name, moment.as_str())",
        caught_by: cases("stops::on_memory"),
    },
    Mistake {
        name: "each failure wakes the batch",
        file: WAKE,
        right: "self.spec.is_urgent() && progress.first_failure_ms.is_none() && progress.end.is_none()",
        wrong: "self.spec.is_urgent()",
        caught_by: cases("ends::on_memory"),
    },
    Mistake {
        name: "the records of members are limited at the first failure, while the batch goes on",
        file: WAKE,
        right: "self.callbacks(&end, moments).await?",
        wrong: "{ let mut then = self.callbacks(&end, moments).await?; then.push(self.sweep().await?); then }",
        caught_by: cases("ends::on_memory"),
    },
    Mistake {
        name: "a batch with a cancelled member is a success",
        file: WAKE,
        right: "end.outcome()",
        wrong: "if end.counts.failed == 0 && !end.timed_out && !end.was_cancelled { CallbackMoment::Success } else { CallbackMoment::Failure }",
        caught_by: cases("ends::on_memory"),
    },
    Mistake {
        name: "the time-out counts from each wake-up",
        file: WAKE,
        right: "self.job.meta.created_at + self.spec.timeout()",
        wrong: "self.now + self.spec.timeout()",
        caught_by: cases("stops::on_memory"),
    },
    Mistake {
        name: "a time-out cancels members that it was to leave",
        file: WAKE,
        right: "self.spec.on_timeout == super::OnTimeout::Cancel",
        wrong: "true",
        caught_by: cases("stops::on_memory"),
    },
    Mistake {
        name: "a time-out leaves the batch open for further members",
        file: WAKE,
        right: "self.suspended(progress, true, None, then)",
        wrong: "self.suspended(progress, false, None, then)",
        caught_by: cases("stops::on_memory"),
    },
    Mistake {
        name: "a member from inside is not raised, so that it is counted in the place of another",
        file: MEMBER,
        right: "EndSignal { raises: true, tolerant: false, ..signal.clone() }",
        wrong: "EndSignal { raises: false, tolerant: false, ..signal.clone() }",
        caught_by: cases("ends::on_memory"),
    },
    Mistake {
        name: "a member raises whichever batch has the name",
        file: LIFE,
        right: "EndSignal { life: Some(self.seq), raises: true, urgent, ..signal }",
        wrong: "EndSignal { life: None, raises: true, urgent, ..signal }",
        caught_by: cases("stops::on_memory"),
    },
    Mistake {
        name: "the job that cancels a batch is counted as a member",
        file: COUNTS,
        right: "gate.needs.saturating_sub(raised)",
        wrong: "gate.needs",
        caught_by: cases("stops::on_memory"),
    },
    Mistake {
        name: "a batch that is cancelled takes members until a worker has looked",
        file: STOP,
        right: "self.seal().await?",
        wrong: "()",
        caught_by: cases("stops::on_memory"),
    },
    Mistake {
        name: "a cancel ends before the members",
        file: HALT,
        right: "unfinished == 0",
        wrong: "unfinished < u64::MAX",
        caught_by: cases("stops::on_memory"),
    },
    Mistake {
        name: "a cancel misses what a member adds meanwhile",
        file: HALT,
        right: "if needs > before.needs { 0 } else { before.idle.saturating_add(1) }",
        wrong: "{ if before.rounds > 0 { return Ok(completed(job)); } 0 }",
        caught_by: cases("stops::on_memory"),
    },
];
