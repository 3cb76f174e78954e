//! Every recorded scenario through what the bindings use: signed numbers and the limiter over several
//! limits.

mod common;

use tokenweir::Limiter;

#[test]
fn every_recorded_bucket_scenario_passes() {
    common::host_buckets::run_all::<Limiter>();
}

#[test]
fn every_recorded_cycle_scenario_passes() {
    common::host_cycles::run_all::<Limiter>();
}
