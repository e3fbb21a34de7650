//! A tick again and again: at once while there is work, ever more rarely while there is none.

mod builder;
mod paced_loop;
mod pacing;
mod round;
mod tick;
mod tick_fn;

pub use builder::PacedLoopBuilder;
pub use paced_loop::{PacedLoop, TickFailure};
pub use round::Round;
pub use tick::{Pace, PacedTick};
pub use tick_fn::{TickFn, tick_fn};
