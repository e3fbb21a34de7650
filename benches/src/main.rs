//! Measures the stores.
fn main() {}
