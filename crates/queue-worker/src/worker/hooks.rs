use crate::{
    handler::{Before, Context, Executed, HOOK_MAX, Hook},
    runtime::{BoxError, caught, guarded},
    worker::{HookStage, WorkerEvent, shared::Shared},
};
use queue_core::Failure;
use std::{fmt, sync::Arc};
use tokio::time::sleep;

/// The hooks of a worker, outermost first.
#[derive(Clone, Default)]
pub(crate) struct Hooks(Vec<Arc<dyn Hook>>);

/// What the hooks before a handler decided.
pub(super) struct Passed<'a> {
    /// Those that let the job pass, in the order of adding.
    hooks: Vec<&'a dyn Hook>,
    /// What one of them answered in place of the handler.
    pub(super) answer: Option<super::dispatcher::Outcome>,
    were_any: bool,
}

impl Hooks {
    pub(super) fn add(&mut self, hook: impl Hook) {
        self.0.push(Arc::new(hook));
    }

    pub(super) async fn before(&self, shared: &Shared, job: &Context) -> Passed<'_> {
        let mut passed = Passed { hooks: Vec::new(), answer: None, were_any: !self.0.is_empty() };
        for hook in &self.0 {
            // Called within the future, so that what it panics with before the first await is caught too.
            let call = async { hook.before(job).await };
            match run(shared, &**hook, job, HookStage::Before, call).await {
                Some(Before::Run) => passed.hooks.push(&**hook),
                Some(Before::Answer(answer)) => {
                    passed.answer = Some(answer);
                    return passed;
                }
                None => {}
            }
        }
        passed
    }
}

impl Passed<'_> {
    /// The worker may have lost its patience meanwhile, and the job its lease.
    pub(super) fn took_time(&self) -> bool {
        self.were_any
    }

    pub(super) async fn after(self, shared: &Shared, job: &Context, mut executed: Executed) -> Executed {
        for hook in self.hooks.into_iter().rev() {
            let draft = executed.clone();
            let call = async { hook.after(job, draft).await };
            executed = run(shared, hook, job, HookStage::After, call).await.unwrap_or(executed);
        }
        executed
    }
}

/// Calls a hook; one that fails is reported.
async fn run<T>(
    shared: &Shared,
    hook: &dyn Hook,
    job: &Context,
    stage: HookStage,
    call: impl Future<Output = Result<T, BoxError>>,
) -> Option<T> {
    let called = caught(async {
        tokio::select! {
            biased;
            answer = call => answer.map_err(|error| Failure::new("Error", error.to_string())),
            () = sleep(HOOK_MAX) => Err(Failure::new("TimeLimit", format!("no answer within {HOOK_MAX:?}"))),
            () = shared.signals.abort.cancelled() => Err(Failure::new("Shutdown", "the worker ended meanwhile")),
        }
    });
    let failure = match called.await.map_err(|panic| Failure::new("Panic", panic)) {
        Ok(Ok(answer)) => return Some(answer),
        Ok(Err(failure)) | Err(failure) => failure,
    };
    let name = guarded("name of a hook", || hook.name().to_owned()).unwrap_or_default();
    tracing::warn!(hook = name, ?stage, job = %job.meta().id, %failure, "a hook failed");
    shared.emit(&WorkerEvent::HookFailed { job: job.meta().clone(), hook: name, stage, failure });
    None
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hooks({})", self.0.len())
    }
}
