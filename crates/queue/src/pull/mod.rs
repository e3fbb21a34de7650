//! Pull mode: a program without a worker takes jobs one at a time.

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
