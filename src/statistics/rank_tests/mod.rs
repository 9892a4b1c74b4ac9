//! Rank tests of one score.

pub mod brunner_munzel;
pub mod concordance_index;
pub mod exact_rank_sum;
pub mod hodges_lehmann;
pub mod kruskal_wallis;
pub mod mann_whitney_u;
pub mod rank_agreement;

pub use brunner_munzel::BrunnerMunzel;
pub use concordance_index::ConcordanceIndex;
pub use hodges_lehmann::HodgesLehmann;
pub use kruskal_wallis::KruskalWallis;
pub use mann_whitney_u::MannWhitneyU;
pub use rank_agreement::RankAgreement;
