// Counters of timestamp_l1 (ports/src/timestamp/timestamp_l1.rs has the same fields in the same
// order; elaboration fails where the two differ).
`ifndef TIMESTAMP_L1_TYPES_SVH
`define TIMESTAMP_L1_TYPES_SVH

// Events since reset, modulo 2^32 (specification section 9).
`define TIMESTAMP_L1_CNT_T struct packed { \
    logic [31:0] load_hit;       /* loads that hit */ \
    logic [31:0] miss_cold;      /* loads of absent lines */ \
    logic [31:0] miss_expired;   /* loads of lines whose lease is over */ \
    logic [31:0] merged_loads;   /* loads that join an MSHR */ \
    logic [31:0] lock_wait;      /* loads that allocate an MSHR for a locked line */ \
    logic [31:0] extra_renewals; /* requests of re-evaluated MSHRs */ \
    logic [31:0] stores;         /* stores */ \
    logic [31:0] atomics;        /* atomics */ \
    logic [31:0] fill_rsp;       /* fills */ \
    logic [31:0] renew_rsp;      /* renewals */ \
    logic [31:0] stale_rsp;      /* fills and renewals of stale MSHRs */ \
    logic [31:0] lock_drops;     /* lines dropped by an acknowledgement */ \
    logic [31:0] hold_cycles;    /* cycles in which the oldest request is held */ \
    logic [31:0] spin_ticks;     /* clocks moved by the spin rule */ \
    logic [31:0] flushes;        /* flushes */ \
    logic [31:0] late_fills;     /* TC: fills whose lease was over */ \
  }

`endif
