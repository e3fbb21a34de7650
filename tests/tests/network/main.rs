//! Stores over a network, as an application uses them: with the rights that the pages name, and
//! over encrypted connections.

mod administrator;
mod declarers;
mod encrypted;
mod grants;
mod page;
mod rights;
mod served;
mod server;
mod standstill;
mod tour;
