//! One job as faces show it: its one JSON, its facts and its life for people.

mod attempt_number;
mod body;
mod budget;
mod data;
mod details;
mod error_view;
mod facts;
mod json_flaw;
mod keep;
mod option_facts;
mod pauses;
mod reading;
mod slot_wait;
mod terms;
mod timeline;
mod view;

pub use body::JobBodyView;
pub use budget::{BudgetView, Unlimited};
pub use data::{DataView, JSON_DEPTH_MAX, SentData, json_of};
pub use details::{AttemptView, JobDetails, WholeJob};
pub use error_view::ErrorView;
pub use facts::{JobFact, attempts_words, standing_words};
pub use json_flaw::JsonFlaw;
pub use keep::{KeepView, KeepWord};
pub use option_facts::option_facts;
pub use pauses::{JobPauses, PauseView, PausedPart};
pub use reading::JobReading;
pub use slot_wait::{SlotWait, SlotWaitView};
pub use terms::TermsView;
pub use timeline::{JobStep, TimelineEntry, Waiting};
pub use view::JobView;
