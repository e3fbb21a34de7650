//! Gates and end signals (ADR 81): who raises a gate, what its holder's steps do to it, and how
//! what came to it is folded into its row.

mod fold;
mod raise;
mod read;
mod ripe;
mod round;
mod steps;
mod store;

pub(crate) use fold::{PostgresFoldGates, PostgresLookAtGates};
pub(super) use raise::Judged;
pub(super) use read::add_end_signals;
pub(super) use ripe::fold_between;
pub(crate) use ripe::{fold_after, fold_all, fold_crowds, held_until};
pub(super) use round::{judge_round, store_round};
pub(super) use steps::{close_or_seal, look, read_again, send};
