//! The subject that encodes a transaction for the journal of the files store.

use crate::{
    counted::{STEPS, Work, counted_section},
    job::{NOW, claim, complete, engine_with, jobs, queue},
};
use queue_core::lifecycle::Transition;
use queue_fs::encode;
use std::hint::black_box;

/// Jobs of one transaction: of each three there is a new job, a claim and a completion.
const TRANSACTION: usize = 300;

/// Encodes a transaction as often as it takes to have as many changes as there are steps.
pub(crate) fn run(work: Work) -> anyhow::Result<()> {
    let mut engine = engine_with(TRANSACTION)?;
    engine.commit();
    let settles: Vec<Transition> =
        claim(&mut engine, TRANSACTION / 3).iter().map(complete).collect::<Result<_, _>>()?;
    engine.commit();
    engine.begin();
    engine.enqueue(&queue(), vec![jobs(TRANSACTION, TRANSACTION / 3)?], NOW);
    engine.apply(settles, NOW);
    claim(&mut engine, TRANSACTION / 3);
    // Ten times as many as there are: a planted slowdown must find its ninth.
    let times = work.steps().len() * 10 / STEPS;
    counted_section(vec![(); times], |()| {
        black_box(encode(&engine).len());
    });
    Ok(())
}
