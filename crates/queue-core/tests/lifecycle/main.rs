//! The state machine compared with a table: every state, every event, every way in which the record
//! may have changed in between, and the moments around each boundary of time.
//!
//! The expectation comes from `oracle`, which is written from the documented table alone and shares
//! no code with the library's own decision.

mod admission;
mod axes;
mod claims;
mod gates;
mod guards;
mod oracle;
mod overflow;
mod table;
mod terms;
mod world;
