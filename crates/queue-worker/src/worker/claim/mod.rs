//! Claims jobs: how the free slots of a worker are shared among its queues, when each queue is
//! asked, and what happens with the answers.
//!
//! In come signals: a slot is free, a hint, the next due job of a queue, a token of a rate limit.
//! Out go held jobs, to the dispatcher of `attempt`, which is next. `fetcher` is the loop;
//! `queue_claims` says whether a queue is worth asking, `dealer` shares the slots, `claim_call`
//! makes one claim, and `lost_claim_search` looks for jobs of a claim whose answer was lost.
//!
//! A claim that is in flight when the worker stops cannot be called back: the store may lease jobs
//! for it at any moment, a job that this worker gave back just before among them. Such jobs are
//! given back as the others are, uncharged.

mod answers;
mod claim_call;
mod dealer;
mod fetcher;
mod final_check;
mod flight;
mod lost_claim_search;
mod queue_call;
mod queue_claims;

pub(super) use fetcher::Fetcher;
