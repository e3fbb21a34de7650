//! What a schedule does when it is woken: cases by hand, and any sequence of wake-ups against the
//! plain words of the policies.

mod clock_changes;
mod given;
mod grace;
mod properties;
mod shifts;
mod wakes;
