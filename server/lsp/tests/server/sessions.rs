//! Whole sessions of editors that nobody wrote: the seeds of the fuzz target, and more like them.

use std::path::Path;

use proptest::prelude::*;

#[test]
fn the_seeds_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds");
    let mut seeds: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|it| it.unwrap().path())
        .collect();
    seeds.sort();
    assert!(seeds.len() >= 20, "the seeds are there");
    for seed in seeds {
        eprintln!("{}", seed.display());
        let seed = std::fs::read(seed).unwrap();
        crate::target::session(&seed);
        crate::target::started(&seed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_session_holds(data in prop::collection::vec(any::<u8>(), 0..600)) {
        crate::target::session(&data);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_session_that_looks_around_holds(data in prop::collection::vec(any::<u8>(), 0..600)) {
        crate::target::started(&data);
    }
}
