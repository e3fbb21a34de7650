//! A store behind a server: every verb of [`Storage`](queue_core::Storage) over HTTP/1.1, for
//! programs of this library that cannot reach the store itself.
//!
//! A SQLite file or a directory serves one host, and a database has one password; with a server
//! between, workers and clients on other hosts use either with a token. [`RemoteStorage`] is a
//! store like the others. [`StoreService`] (feature `server`) answers its calls over any store.
//!
//! | to understand | read |
//! |---|---|
//! | what travels | `wire/mod.rs`: every type lists its fields once |
//! | which calls there are | `contract/verbs.rs` |
//! | how a call is sent, and what its failure means | `client/call.rs`, `client/error.rs` |
//! | how hints arrive | `hints/mod.rs` |
//! | how a call is answered | `server/dispatch.rs` |
//!
//! # One build on both sides
//! Nothing is promised between versions. Each request and each answer names a number that is
//! computed from the forms of all types on the wire and the version of the library; a side that
//! meets another number refuses, before it reads anything, with a [`ContractMismatch`]. Programs in
//! other languages, and those that are deployed on their own, use the protocol of `queue serve`.
//!
//! # What a server must be trusted with, and a client
//! A program that may call the service can do everything that the store can: settle jobs of other
//! holders, remove records, import. It is as good as the password of the database.
//!
//! Absent on purpose: transactions of an application, which need its connection to the database;
//! and any knowledge of who may call.

mod client;
mod contract;
mod contract_mismatch;
mod endpoint;
mod handle;
mod hints;
mod options;
#[cfg(feature = "server")]
mod server;
mod spawn;
mod storage;
mod tls;
mod wire;

pub use client::{ServiceAnswer, ServiceClient, StoreForbidden};
pub use contract_mismatch::ContractMismatch;
pub use options::RemoteOptions;
#[cfg(feature = "server")]
pub use server::{AnswerBody, StoreService};
pub use storage::RemoteStorage;
