//! Gates and end signals as the server has them.

mod plain;
mod refused;
mod stored;
