//! Tests that need several processes; they live in `tests/`.
