//! What a doctor finds through the contract.

mod of_queues;
mod of_stores;
mod ward;
