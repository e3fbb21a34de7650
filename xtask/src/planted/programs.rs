//! The test programs that catch mistakes.

use super::mistake::Test;

pub(super) const fn due(name: &'static str) -> Test {
    Test { package: "queue-schedule", target: "due", name }
}

pub(super) const fn spec(name: &'static str) -> Test {
    Test { package: "queue-schedule", target: "spec", name }
}

pub(super) const fn worker(name: &'static str) -> Test {
    Test { package: "queue-worker", target: "worker", name }
}

pub(super) const fn client(name: &'static str) -> Test {
    Test { package: "queue-jobs", target: "it", name }
}

/// A program of another package.
pub(super) const fn suite(package: &'static str, target: &'static str, name: &'static str) -> Test {
    Test { package, target, name }
}
