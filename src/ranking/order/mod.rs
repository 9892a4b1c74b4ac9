//! Strategies to rank unweighted rows.

pub(super) mod blocks;
pub(super) mod class_keys;
pub(super) mod classes;
pub(super) mod distinct_keys;
pub(super) mod kernel_table;
pub(super) mod look_up;
pub(super) mod one_thread;
pub mod pairs;
pub(super) mod shards;
