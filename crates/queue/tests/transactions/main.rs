//! Jobs and completions in the application's transactions, while its process is killed: data and
//! jobs agree row by row (I18).
//!
//! The test runs itself as the process to be killed. `QUEUE_TEST_TRANSACTIONS=10000` makes as many
//! transactions, half of which roll back.

mod killed;
mod postgres;
mod refused;
mod sqlite;
