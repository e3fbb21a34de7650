//! What is built from the verbs of any store.

mod choosing;
mod claiming;
mod deciding;
mod tiny_store;
