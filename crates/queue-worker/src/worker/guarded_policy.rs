use queue_core::{RetryPolicy, lifecycle::Policy};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The program's own functions of a policy run inside the settler and the rescue, which must not panic.
pub(super) fn guarded(policy: Policy) -> Policy {
    Policy { retry: guarded_retry(policy.retry), stall: guarded_retry(policy.stall), ..policy }
}

/// A function that panics means the default wait.
fn guarded_retry(retry: RetryPolicy) -> RetryPolicy {
    let RetryPolicy::Custom(delay) = retry else { return retry };
    RetryPolicy::custom(move |n| {
        catch_unwind(AssertUnwindSafe(|| delay(n))).unwrap_or_else(|_| {
            tracing::error!(failures = n, "the retry function panicked; the default wait stands in");
            RetryPolicy::default().delay(n, 0)
        })
    })
}
