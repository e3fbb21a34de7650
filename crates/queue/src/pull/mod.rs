//! Pull mode: jobs taken one at a time by a program that runs no worker.

mod answers;
mod claim;
mod delivery;
mod dequeue;
mod nack;

pub use answers::{Extended, Settled};
pub use delivery::Delivery;
pub use nack::Nack;
