//! What workers counted: how it is read, and its JSON.

mod reading;
mod view;

pub use reading::{SeriesReading, WorkReading};
pub use view::{KindCountsView, SlotCountsView, WorkCountsView, WorkView};
