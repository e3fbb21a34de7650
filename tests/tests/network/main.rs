//! Stores over a network, as an application uses them: with the rights that the pages name, and
//! over encrypted connections.

mod administrator;
mod declarers;
mod encrypted;
mod frozen;
mod grants;
mod page;
mod part;
mod repeated;
mod rights;
mod served;
mod server;
mod shown;
mod standstill;
mod tour;
