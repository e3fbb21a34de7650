//! Pull mode: jobs taken one at a time by a program that runs no worker.

mod answers;
mod claim;
mod claims;
mod delivery;
mod dequeue;
mod nack;
mod reserved;

pub(crate) use claims::Claims;

pub use answers::{Extended, Settled};
pub use delivery::Delivery;
pub use nack::Nack;
