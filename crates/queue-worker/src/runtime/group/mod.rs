//! The long-running parts of a program, started and stopped as one.

mod error;
mod group_run;
mod member;
mod running_group;

pub use error::GroupError;
pub use group_run::Group;
pub use member::{BoxError, Member, MemberFn, member_fn};
