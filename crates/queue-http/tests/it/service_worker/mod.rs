//! The worker of the library over a service on loopback.

mod access;
mod followers;
mod handlers;
mod leases;
mod served;
mod trouble;
