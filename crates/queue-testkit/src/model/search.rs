//! Random steps on the store and in the model, compared after each.

use super::{
    driver::Driver,
    op::Op,
    strategy::{Mix, steps},
    world::World,
};
use crate::{
    bench::Bench,
    runner::HANG_AFTER,
    search::{Found, SEEDS_PER_TRIAL, caught, search},
    seeds::for_each_seed,
};
use queue_core::{Clock, Span, Timestamp};

/// Runs as many seeds as asked for, and panics with the fewest steps on which store and model
/// differ.
pub(super) async fn run(bench: &Bench, trial: &str, mix: Mix) {
    let strategy = steps(mix);
    let one = async |seed| {
        let found = search(&strategy, seed, async |steps: &Vec<Op>| difference(bench, steps).await).await;
        if let Some(Found { steps, difference }) = found {
            panic!(
                "the store differs from the model: {difference}\nafter the steps {steps:#?}\n\
                 This again: QUEUE_TESTKIT_SEED={seed} and the trial model::{trial}"
            );
        }
    };
    for_each_seed(SEEDS_PER_TRIAL, HANG_AFTER, one).await;
}

/// Runs the steps on an empty store, and says where it first differs from the model.
async fn difference(bench: &Bench, steps: &[Op]) -> Option<String> {
    let bench = bench.elsewhere().await;
    let difference = caught(async {
        compare(bench.clone(), steps).await?;
        bench.check_conservation().await;
        Ok(())
    });
    let difference = difference.await;
    bench.clean_up().await;
    difference
}

async fn compare(bench: Bench, steps: &[Op]) -> Result<(), String> {
    let mut world = World::new();
    let mut driver = Driver::new(bench);
    for (nth, op) in steps.iter().enumerate() {
        if let Op::Back(_) | Op::Reopen = op {
            driver.pin_time().await;
            world.look(driver.bench.hands());
        }
        turn(&driver.bench, op, &world);
        world.look(driver.bench.hands());
        if matches!(op, Op::Reopen) {
            world.reopen(driver.bench.hands());
        }
        let (expected, got) = (world.run(op), driver.run(op).await);
        if !expected.allows(&got) {
            return Err(differ(nth, op, &expected, &got));
        }
        world.look(driver.bench.hands());
        let (expected, got) = (world.snapshot(), driver.snapshot().await);
        if !expected.allows(&got) {
            return Err(differ(nth, op, &expected, &got));
        }
    }
    Ok(())
}

/// Turns the clock, where the step is one of the clock.
fn turn(bench: &Bench, op: &Op, world: &World) {
    let now = bench.clock.now().as_millis();
    let to = match op {
        Op::Pass(ms) => now + ms,
        Op::Back(ms) => now - ms,
        Op::Edge { nth, off_ms } => match super::driver::pick(&world.edges(), *nth) {
            Some(edge) => edge + off_ms,
            None => now,
        },
        _ => now,
    };
    if to > now {
        bench.advance(Span::from_millis(to - now));
    } else {
        bench.clock.set(Timestamp::from_millis(to));
    }
}

fn differ(nth: usize, op: &Op, expected: &impl std::fmt::Debug, got: &impl std::fmt::Debug) -> String {
    format!("at step {nth}, {op:?}\nexpected {expected:#?}\ngot {got:#?}")
}
