//! A policy whose functions cannot bring down the worker.

use crate::runtime::guarded;
use queue_core::{RetryPolicy, lifecycle::Policy};

/// Guards the program's own functions of a policy. They run inside the settler and the rescue,
/// which must not panic.
pub(in crate::worker) fn guarded_policy(policy: Policy) -> Policy {
    let retry = guarded_retry(policy.retry.clone());
    let stall = guarded_retry(policy.stall.clone());
    policy.retry(retry).stall(stall)
}

/// Where the function panics, the job waits for as long as by default.
fn guarded_retry(retry: RetryPolicy) -> RetryPolicy {
    let RetryPolicy::Custom(delay) = retry else { return retry };
    RetryPolicy::custom(move |n| {
        guarded("retry function of a policy", || delay(n))
            .unwrap_or_else(|| RetryPolicy::default().delay(n, 0))
    })
}
