//! Wall time, processor time and memory of a part of a run.

use queue_e2e::{cpu_time_with_children, resident_bytes};
use std::{fmt, process, time::Duration};
use tokio::time::Instant;

/// The beginning of a part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    begun: Instant,
    cpu: Duration,
}

/// What a part took. Processor time is that of this process and of those it has waited for, without
/// servers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    pub(crate) wall: Duration,
    cpu: Duration,
}

impl Usage {
    pub(crate) fn begin() -> Self {
        Self { begun: Instant::now(), cpu: cpu() }
    }

    pub(crate) fn taken(&self) -> Taken {
        Taken { wall: self.begun.elapsed(), cpu: cpu().saturating_sub(self.cpu) }
    }
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (wall, cpu) = (self.wall.as_secs_f64(), self.cpu.as_secs_f64());
        let resident = resident_bytes().unwrap_or_default() >> 20;
        write!(f, "{wall:.1} s, CPU {cpu:.1} s, {resident} MiB resident")
    }
}

fn cpu() -> Duration {
    cpu_time_with_children(process::id()).unwrap_or_default()
}
