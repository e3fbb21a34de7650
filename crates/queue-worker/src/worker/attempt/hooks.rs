//! The hooks of a worker around each attempt.

use super::handler_run::HandlerResult;
use crate::{
    handler::{AttemptResult, Before, Context, HOOK_MAX, Hook},
    runtime::{BoxError, caught, guarded},
    worker::{
        run::WorkerRun,
        watch::{HookStage, WorkerEvent},
    },
};
use queue_core::Failure;
use std::{fmt, sync::Arc};
use tokio::time::sleep;

/// The hooks of a worker, outermost first.
#[derive(Clone, Default)]
pub(in crate::worker) struct HookStack(Vec<Arc<dyn Hook>>);

/// The hooks of one attempt, once those before the handler were called.
pub(super) struct HookPass<'a> {
    /// Those that let the job pass, in the order of adding.
    hooks: Vec<&'a dyn Hook>,
    /// What one of them answered in place of the handler.
    pub(super) answer: Option<HandlerResult>,
    were_any: bool,
}

impl HookStack {
    pub(in crate::worker) fn add(&mut self, hook: impl Hook) {
        self.0.push(Arc::new(hook));
    }

    /// Calls each hook before the handler, until one answers in its place.
    pub(super) async fn before(&self, run: &WorkerRun, job: &Context) -> HookPass<'_> {
        let mut pass = HookPass { hooks: Vec::new(), answer: None, were_any: !self.0.is_empty() };
        for hook in &self.0 {
            // Called within the future, so that a panic before the first await is caught too.
            let call = async { hook.before(job).await };
            match call_hook(run, &**hook, job, HookStage::Before, call).await {
                Some(Before::Run) => pass.hooks.push(&**hook),
                Some(Before::Answer(answer)) => {
                    pass.answer = Some(answer);
                    return pass;
                }
                None => {}
            }
        }
        pass
    }
}

impl HookPass<'_> {
    /// Whether time may have passed: the worker may have reached its next step of a shutdown, and
    /// the job lost its lease.
    pub(super) fn took_time(&self) -> bool {
        self.were_any
    }

    /// Calls the hooks that let the job pass, in reverse.
    pub(super) async fn after(
        self,
        run: &WorkerRun,
        job: &Context,
        mut executed: AttemptResult,
    ) -> AttemptResult {
        for hook in self.hooks.into_iter().rev() {
            let draft = executed.clone();
            let call = async { hook.after(job, draft).await };
            executed = call_hook(run, hook, job, HookStage::After, call).await.unwrap_or(executed);
        }
        executed
    }
}

/// Calls a hook. One that fails is reported, and answers nothing.
async fn call_hook<T>(
    run: &WorkerRun,
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
            () = run.shutdown.abort.cancelled() => Err(Failure::new("Shutdown", "the worker ended meanwhile")),
        }
    });
    let failure = match called.await.map_err(|panic| Failure::new("Panic", panic)) {
        Ok(Ok(answer)) => return Some(answer),
        Ok(Err(failure)) | Err(failure) => failure,
    };
    // The name comes from the hook's own code too, which may panic.
    let name = guarded("name of a hook", || hook.name().to_owned()).unwrap_or_default();
    tracing::warn!(hook = name, ?stage, job = %job.meta().id, %failure, "a hook failed");
    run.events.emit(&WorkerEvent::HookFailed { job: job.meta().clone(), hook: name, stage, failure });
    None
}

impl fmt::Debug for HookStack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hooks({})", self.0.len())
    }
}
