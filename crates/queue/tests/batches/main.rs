//! Batches, on memory and SQLite. Each case takes a stage, so that another store is one more
//! stage. Store time is turned by hand.

#![expect(clippy::unwrap_used, reason = "the cases are tests, which the lint does not see behind the macro")]

mod ends;
mod histories;
mod joined;
mod operated;
mod refused;
mod repeats;
mod stage;
mod stops;

/// Runs each case on every store.
macro_rules! on_stores {
    ($($case:path),* $(,)?) => {
        #[tokio::test(start_paused = true)]
        async fn on_memory() {
            $(
                println!("{}", stringify!($case));
                $case($crate::stage::Stage::memory()).await;
            )*
        }

        #[tokio::test]
        async fn on_sqlite() {
            $(
                println!("{}", stringify!($case));
                $case($crate::stage::Stage::sqlite().await).await;
            )*
        }
    };
}

pub(crate) use on_stores;
