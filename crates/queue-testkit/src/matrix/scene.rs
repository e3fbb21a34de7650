//! The steps of scenes, and the table that makes a case of each scene.

use super::{
    deed::{Over, Signal},
    group::TwinGroup,
};
use crate::bench::prelude::RETRY;
use queue_core::{LeaseToken, Span, lifecycle::Event};

/// What happens to jobs before they are compared.
pub(super) type Scene = &'static [SceneStep];

/// One step of a scene, for every job that it applies to.
#[derive(Debug)]
pub(super) enum SceneStep {
    /// An enqueue with a delay, in place of the first one, which is due at once.
    Later,
    /// A claim of all due jobs.
    Claim,
    /// An event of the holder.
    Hold(fn(LeaseToken) -> Event),
    /// An event without a lease.
    Change(fn() -> Event),
    /// The passing of time.
    Pass(Span),
    /// The lapse of all leases, which are then ended.
    Stall,
    /// An enqueue of the same ids.
    Again(Over),
    /// A signal to each job.
    Signal(Signal),
}

/// Runs the steps of a scene.
pub(super) async fn play(group: &mut TwinGroup, scene: Scene) {
    let later = matches!(scene.first(), Some(SceneStep::Later));
    group.enqueue(if later { RETRY } else { Span::ZERO }).await;
    for step in scene {
        match step {
            SceneStep::Later => {}
            SceneStep::Claim => group.claim().await,
            SceneStep::Hold(event) => group.hold(*event).await,
            SceneStep::Change(event) => group.change(&event()).await,
            SceneStep::Pass(span) => group.pass(*span),
            SceneStep::Stall => group.stall().await,
            SceneStep::Again(over) => group.enqueue_again(|_| Some(*over)).await,
            SceneStep::Signal(signal) => group.signal(|_| Some(*signal)).await,
        }
    }
}

/// The table of scenes of a kind: `name [invariants] = [steps];` for each, which becomes a case of
/// the suite.
macro_rules! scenes {
    (@step Change($event:expr)) => { $crate::matrix::scene::SceneStep::Change(|| $event) };
    (@step $step:ident($argument:expr)) => { $crate::matrix::scene::SceneStep::$step($argument) };
    (@step $step:ident) => { $crate::matrix::scene::SceneStep::$step };
    ($cases:ident $kind:ident $needs:tt
        $($name:ident [$($invariant:ident)+] = [$($step:ident $(($argument:expr))?)*];)+) => {
        pub(crate) const $cases: &[$crate::cases::Case] = &[$(
            $crate::cases::Case {
                group: "matrix",
                name: stringify!($name),
                invariants: &[$($invariant),+],
                needs: &$needs,
                run: |bench| Box::pin($crate::matrix::rows::check(
                    bench,
                    $crate::matrix::rows::SceneKind::$kind,
                    const { &[$(scenes!(@step $step $(($argument))?)),*] },
                )),
            }
        ),+];
    };
}

pub(super) use scenes;
