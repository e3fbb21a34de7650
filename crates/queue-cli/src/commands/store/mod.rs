//! Commands about the store: its health, its files, its copies.

pub(crate) mod copy;
mod copy_bar;
pub(crate) mod doctor;
pub(crate) mod dump;
pub(crate) mod fsck;
pub(crate) mod migrate;
pub(crate) mod verify;
