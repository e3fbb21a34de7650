//! The limits of the service, each with a name.

use queue_view::JSON_DEPTH_MAX;
use serde::Serialize;
use utoipa::ToSchema;

/// What the service accepts. The store has limits of its own below these.
///
/// ```
/// let limits = queue_http::ServiceLimits::default();
/// assert_eq!(limits.jobs_per_call_max, 1_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[non_exhaustive]
pub struct ServiceLimits {
    /// The largest body of a request, in bytes. Default 8 MiB.
    pub body_bytes_max: usize,
    /// The most jobs, items or ids of one call. Default 1,000.
    pub jobs_per_call_max: usize,
    /// How deep data in JSON, such as a payload, may be nested in a request: at most and by default
    /// 64, as in answers. The objects around the data do not count.
    pub json_depth_max: usize,
    /// The longest wait of a claim or of a call for an outcome, in milliseconds. Default 60,000.
    pub wait_ms_max: u64,
    /// The shortest lease, in milliseconds. Default 1,000.
    pub lease_ms_min: u64,
    /// The longest lease, in milliseconds. Default 3,600,000.
    pub lease_ms_max: u64,
    /// The most bytes of payloads in the answer to a claim, but at least one job. Default 16 MiB.
    pub claim_bytes_max: usize,
    /// The most streams of events at the same time. Default 64.
    pub event_streams_max: usize,
}

impl ServiceLimits {
    /// How deep data in JSON may be nested: no deeper than answers have it.
    pub(crate) fn data_depth_max(&self) -> usize {
        self.json_depth_max.min(JSON_DEPTH_MAX)
    }
}

impl Default for ServiceLimits {
    fn default() -> Self {
        Self {
            body_bytes_max: 8 << 20,
            jobs_per_call_max: 1_000,
            json_depth_max: JSON_DEPTH_MAX,
            wait_ms_max: 60_000,
            lease_ms_min: 1_000,
            lease_ms_max: 3_600_000,
            claim_bytes_max: 16 << 20,
            event_streams_max: 64,
        }
    }
}
