//! The calls of a case that have no answer yet, and how a message names them.

use parking_lot::{Mutex, MutexGuard};
use std::{collections::BTreeMap, sync::Arc};

/// A message shows at most this many open calls.
const SHOWN_MAX: usize = 5;

tokio::task_local! {
    static OF_THIS_CASE: OpenCalls;
}

/// The calls of one case that have no answer yet, over all of its handles and streams. Clones share
/// them.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenCalls(Arc<Mutex<Calls>>);

#[derive(Debug, Default)]
struct Calls {
    open: BTreeMap<u64, String>,
    begun: u64,
    answered: u64,
    last_answered: Option<String>,
    /// The seed of the present run of a random case.
    seed: Option<u64>,
}

/// One open call; dropping it closes the call.
#[derive(Debug)]
pub(super) struct OpenCall {
    calls: OpenCalls,
    number: u64,
}

impl OpenCalls {
    /// Runs a case with these calls as its own, so that [`note_seed`](Self::note_seed) finds them.
    pub(crate) async fn scope<T>(self, case: impl Future<Output = T>) -> T {
        OF_THIS_CASE.scope(self, case).await
    }

    /// Notes the seed that the present case runs. Outside a case this does nothing.
    pub(crate) fn note_seed(seed: u64) {
        // The differential comparison can also be called outside a case, where nothing tracks
        // calls.
        OF_THIS_CASE.try_with(|calls| calls.lock().seed = Some(seed)).unwrap_or_default();
    }

    /// The calls of the present case; outside a case there are none.
    pub(crate) fn of_this_case() -> Self {
        OF_THIS_CASE.try_with(Self::clone).unwrap_or_default()
    }

    /// How many have been answered.
    pub(super) fn answered(&self) -> u64 {
        self.lock().answered
    }

    pub(super) fn begin(&self, what: String) -> OpenCall {
        let mut calls = self.lock();
        calls.begun += 1;
        let number = calls.begun;
        calls.open.insert(number, what);
        OpenCall { calls: self.clone(), number }
    }

    /// The open calls, as the end of a message.
    pub(crate) fn describe(&self) -> String {
        let calls = self.lock();
        let shown: Vec<&str> = calls.open.values().take(SHOWN_MAX).map(String::as_str).collect();
        let waits_for = if shown.is_empty() {
            "no call to the store is open, so the case itself hangs".to_owned()
        } else {
            format!("it waits for {}", shown.join(", and for "))
        };
        let more = calls.open.len() - shown.len();
        let more = (more > 0).then(|| format!("for {more} more calls"));
        let last = calls.last_answered.as_ref().map(|last| format!("{last} came last"));
        let seed = calls.seed.map(|seed| format!("the seed is {seed}"));
        let parts: Vec<String> = [Some(waits_for), more, last, seed].into_iter().flatten().collect();
        parts.join("; ")
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.0.lock()
    }
}

impl OpenCall {
    /// Closes the call with its answer, which is then the latest.
    pub(super) fn answered(self) {
        let mut calls = self.calls.lock();
        calls.last_answered = calls.open.remove(&self.number);
        calls.answered += 1;
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        self.calls.lock().open.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_calls_are_named_and_the_last_answer_beside_them() {
        let calls = OpenCalls::default();
        assert_eq!(calls.describe(), "no call to the store is open, so the case itself hangs");
        calls.begin("`enqueue`".to_owned()).answered();
        let _claim = calls.begin("`claim`".to_owned());
        drop(calls.begin("`get`".to_owned()));
        assert_eq!(calls.describe(), "it waits for `claim`; `enqueue` came last");
    }

    #[test]
    fn of_many_open_calls_some_are_named_and_the_others_counted() {
        let calls = OpenCalls::default();
        let _open: Vec<_> = (0..7).map(|n| calls.begin(n.to_string())).collect();
        assert!(calls.describe().ends_with("and for 4; for 2 more calls"), "{}", calls.describe());
    }
}
