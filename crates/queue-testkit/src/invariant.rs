//! The invariants that a correct store keeps, by number.

use std::fmt;

macro_rules! invariants {
    ($($name:ident $meaning:literal),+ $(,)?) => {
        /// The invariants that a correct store keeps, numbered so that cases, documents and
        /// statements can cite them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Invariant {
            $(#[doc = $meaning] $name),+
        }

        impl Invariant {
            /// Every invariant, in the order of its number.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The statement of the invariant.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Self::$name => $meaning),+
                }
            }
        }
    };
}

invariants! {
    I1 "A job whose enqueue was answered is never lost.",
    I2 "A claimed job was enqueued, and has the payload it was enqueued with.",
    I3 "A job has at most one live lease.",
    I4 "A settle or heartbeat under a lease that is gone changes nothing.",
    I5 "A life has one outcome; repeating the settle that made it is harmless.",
    I6 "Nothing leaves a terminal state within a life, but by a redrive.",
    I7 "Failures and stalls stay within their budgets, and attempt numbers never fall.",
    I8 "A job out of budget is Failed, and says why.",
    I9 "An id has at most one live record; of several enqueues of it one is accepted.",
    I10 "A cancelled job never starts or completes in that life.",
    I11 "No job starts before its time.",
    I12 "Claims follow priority, then time, then the order of enqueues.",
    I13 "A result that is read is the one that was settled.",
    I14 "A wait is answered by its deadline, with the outcome if there is one.",
    I15 "No job is stuck: a lapsed lease can be seen and ended.",
    I16 "A worker that stands still does not hold up the others.",
    I17 "Limits of size and number hold.",
    I18 "An enqueue in the caller's transaction is visible if and only if that commits.",
    I19 "A group of an enqueue is all or nothing; a batch of transitions is item by item.",
    I20 "Records, counts and indexes add up.",
    I21 "A reopened store is as it was left.",
    I22 "A worker that was shut down leaves no job charged.",
    I23 "A healthy run starts every job exactly once.",
    I24 "Store time never goes back.",
    I25 "No more jobs of a partition are leased than the limit in force when the last was leased.",
    I26 "Partitions that have due jobs get them in turn, by their weights.",
    I28 "Gates count the end of each life that owes them a signal once, however and how often it ends.",
    I29 "No job is claimed while its gate is closed, and no gate stays closed once it may open.",
}

impl fmt::Display for Invariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::Invariant;

    /// Those in between are of what is still to come.
    #[test]
    fn numbers_ascend() {
        let number = |invariant: &Invariant| invariant.to_string()[1..].parse::<u32>().expect("a number");
        let numbers: Vec<u32> = Invariant::ALL.iter().map(number).collect();
        assert_eq!(numbers, (1..=26).chain([28, 29]).collect::<Vec<_>>());
    }
}
