// Counters of timestamp_l2 (ports/src/timestamp/timestamp_l2.rs has the same fields in the same
// order; elaboration fails where the two differ).
`ifndef TIMESTAMP_L2_TYPES_SVH
`define TIMESTAMP_L2_TYPES_SVH

// Events since reset, modulo 2^32 (specification section 9).
`define TIMESTAMP_L2_CNT_T struct packed { \
    logic [31:0] busrd;       /* reads performed */ \
    logic [31:0] buswr;       /* writes */ \
    logic [31:0] busatom;     /* atomics */ \
    logic [31:0] fills_sent;  /* lines sent */ \
    logic [31:0] renews_sent; /* renewals sent */ \
    logic [31:0] dram_reads;  /* lines asked of memory */ \
    logic [31:0] writebacks;  /* lines written back */ \
    logic [31:0] evictions;   /* lines that went for another one, or were not to be kept */ \
    logic [31:0] hold_cycles; /* cycles in which the request could not act */ \
    logic [31:0] stall_lease; /* TC: cycles with a write that waits for a lease */ \
    logic [31:0] stall_evict; /* TC: cycles of a request whose set has leases in all ways */ \
  }

`endif
