//! Timestamps of writes (specification 5.4).

use super::*;

#[test]
pub fn write_is_not_scheduled_before_its_warp() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        assert_eq!(bench.lease(read(X, 0, 1)), (1, 6));
        assert_eq!(bench.lease(write(X, 0, 1, 0, 20)), (20, 25));
    });
}
