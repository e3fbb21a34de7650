//! The subscribers of one runtime.

use queue_store::{Hub, RuntimePart};
use std::sync::Arc;

/// The subscribers of a handle on one runtime. Each call sends its hints to the subscribers of all
/// runtimes, and each runtime that subscribes listens to other handles by itself
/// ([`RuntimeHints`]).
///
/// [`RuntimeHints`]: super::runtime_hints::RuntimeHints
#[derive(Debug, Default)]
pub(crate) struct RuntimeHub {
    pub(crate) hub: Arc<Hub>,
}

/// What listens for them ended with the runtime, so their streams end, and they subscribe again.
impl RuntimePart for RuntimeHub {
    fn end(&self) {
        self.hub.close();
    }
}
