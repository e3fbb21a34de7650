//! What a schedule does when it is woken: single cases, and random sequences of wake-ups compared
//! with the plain definition of the policies.

mod ahead;
mod clock_changes;
mod given;
mod grace;
mod new_rules;
mod properties;
mod shifts;
mod wakes;
