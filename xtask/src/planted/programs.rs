//! The test programs that catch mistakes about schedules.

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
