//! Statistics of several columns, row by row.

pub mod all_placements;
pub mod codes;
mod height_ranges;
pub mod key_placements;
pub mod key_rows;
mod midrank_sums;
pub mod parted_placements;
pub mod placement_products;
pub mod row_groups;
pub mod row_placements;
mod score_order;

pub use all_placements::{AllPlacements, SharedPlacements};
pub use codes::Codes;
pub use key_placements::KeyPlacements;
pub use key_rows::{CodeAndLabel, CountedKeys, KeyRows};
pub use parted_placements::PartedPlacements;
pub use placement_products::PlacementProducts;
pub use row_groups::RowGroups;
pub use row_placements::RowPlacements;
