//! Brings jobs: how the free slots of a worker are shared among its queues, when each queue is asked, and what becomes of
//! the answers.

mod ask;
mod call;
mod dealer;
mod ending;
mod fetcher;
mod flight;
mod lane;
mod lost;

pub(super) use fetcher::Fetcher;
