//! The subjects of the memory store's engine: enqueue, claim and apply, beside a backlog.

use crate::{
    counted::{STEPS, Work, counted_section},
    job::{NOW, claim as claim_jobs, complete, engine_with, jobs, queue},
};
use queue_memory::Engine;
use std::hint::black_box;

/// Jobs that stand in the queue besides.
const BACKLOG: usize = 10_000;

/// One job a call.
pub(crate) fn enqueue(work: Work) -> anyhow::Result<()> {
    let mut engine = engine_with(BACKLOG)?;
    let new = jobs(BACKLOG, work.steps().len())?;
    counted_section(new, |job| {
        black_box(engine.enqueue(&queue(), vec![vec![job]], NOW));
        forget(&mut engine);
    });
    Ok(())
}

/// One job a call.
pub(crate) fn claim(work: Work) -> anyhow::Result<()> {
    let mut engine = engine_with(BACKLOG)?;
    counted_section(work.steps(), |_| {
        black_box(claim_jobs(&mut engine, 1));
        forget(&mut engine);
    });
    Ok(())
}

/// One completion a call.
pub(crate) fn apply(work: Work) -> anyhow::Result<()> {
    let mut engine = engine_with(BACKLOG)?;
    let leased = claim_jobs(&mut engine, 2 * STEPS);
    forget(&mut engine);
    let settles = leased.iter().take(work.steps().len()).map(complete).collect::<Result<_, _>>()?;
    counted_section(settles, |settle| {
        black_box(engine.apply(vec![settle], NOW));
        forget(&mut engine);
    });
    Ok(())
}

/// As the store does after each call.
fn forget(engine: &mut Engine) {
    engine.commit();
    black_box(engine.take_notices());
}
