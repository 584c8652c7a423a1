// Counters of timestamp_l1 (ports/src/timestamp/timestamp_l1.rs has the same fields in the same
// order; the build of cosim fails where the two differ).
`ifndef TIMESTAMP_L1_TYPES_SVH
`define TIMESTAMP_L1_TYPES_SVH

// Events since reset, modulo 2^32 (specification section 9).
`define TIMESTAMP_L1_CNT_T struct packed { \
    logic [31:0] load_hit;       /* loads that hit */ \
    logic [31:0] miss_cold;      /* loads of lines that are not here */ \
    logic [31:0] miss_expired;   /* of lines whose lease is over */ \
    logic [31:0] merged_loads;   /* loads that wait with another one */ \
    logic [31:0] lock_wait;      /* loads that wait for a store */ \
    logic [31:0] extra_renewals; /* requests for those that a first answer has not served */ \
    logic [31:0] stores;         /* stores */ \
    logic [31:0] atomics;        /* atomics */ \
    logic [31:0] fill_rsp;       /* lines that came */ \
    logic [31:0] renew_rsp;      /* renewals that came */ \
    logic [31:0] stale_rsp;      /* answers to loads from before a flush */ \
    logic [31:0] lock_drops;     /* lines dropped because a store met newer bytes */ \
    logic [31:0] hold_cycles;    /* cycles in which the request had to wait, but not for room */ \
    logic [31:0] spin_ticks;     /* clocks moved because a warp only hits */ \
    logic [31:0] flushes;        /* flushes */ \
    logic [31:0] late_fills;     /* TC: lines that came when their lease was over */ \
  }

`endif
