use crate::runtime::guarded;
use queue_core::{RetryPolicy, lifecycle::Policy};

/// The program's own functions of a policy run inside the settler and the rescue, which must not panic.
pub(super) fn guarded_policy(policy: Policy) -> Policy {
    let (retry, stall) = (guarded_retry(policy.retry.clone()), guarded_retry(policy.stall.clone()));
    policy.retry(retry).stall(stall)
}

/// A function that panics means the default wait.
fn guarded_retry(retry: RetryPolicy) -> RetryPolicy {
    let RetryPolicy::Custom(delay) = retry else { return retry };
    RetryPolicy::custom(move |n| {
        guarded("retry function of a policy", || delay(n))
            .unwrap_or_else(|| RetryPolicy::default().delay(n, 0))
    })
}
