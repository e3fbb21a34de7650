//! Batches, on every store. Each case takes a stage of its own, so that another store is one more
//! stage. Store time is turned by hand.

#![expect(clippy::unwrap_used, reason = "the cases are tests, which the lint does not see behind the macro")]

mod ends;
mod histories;
mod joined;
mod looks;
mod operated;
mod place;
mod refused;
mod remote;
mod repeats;
mod stage;
mod stops;
mod sweeps;

/// Runs each case on every store.
macro_rules! on_stores {
    ($($case:path),* $(,)?) => {
        #[tokio::test(start_paused = true)]
        async fn on_memory() {
            $crate::each_case!($crate::place::Store::Memory; $($case),*);
        }

        #[tokio::test]
        async fn on_files() {
            $crate::each_case!($crate::place::Store::Files; $($case),*);
        }

        #[tokio::test]
        async fn on_sqlite() {
            $crate::each_case!($crate::place::Store::Sqlite; $($case),*);
        }

        #[tokio::test]
        async fn on_postgres() {
            $crate::each_case!($crate::place::Store::Postgres; $($case),*);
        }

        #[tokio::test]
        async fn on_redis() {
            $crate::each_case!($crate::place::Store::Redis; $($case),*);
        }

        #[tokio::test]
        async fn on_a_redis_cluster() {
            $crate::each_case!($crate::place::Store::RedisCluster; $($case),*);
        }

        #[tokio::test]
        async fn on_a_remote_store() {
            $crate::each_case!($crate::place::Store::Remote; $($case),*);
        }
    };
}

macro_rules! each_case {
    ($store:expr; $($case:path),*) => {
        $(
            if let Some(place) = $crate::place::Place::of($store) {
                println!("{}", stringify!($case));
                $case(place.stage().await).await;
                place.clear().await;
            }
        )*
    };
}

pub(crate) use {each_case, on_stores};
