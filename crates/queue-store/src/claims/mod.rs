//! Claims that a store answers together, and claims whose callers have left.

mod claim_shares;
mod kind_pauses;
mod unheard_claim;

pub use claim_shares::ClaimShares;
pub use kind_pauses::KindPauses;
pub use unheard_claim::UnheardClaim;
