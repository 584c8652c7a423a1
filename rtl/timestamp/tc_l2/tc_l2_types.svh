// Messages of tc_l2 (ports/src/tc_l2.rs has the same fields in the same order; the
// build of cosim fails where the two differ).
`ifndef TC_L2_TYPES_SVH
`define TC_L2_TYPES_SVH

// Events since reset, modulo 2^32 (specification section 9).
`define TC_L2_CNT_T struct packed { \
    logic [31:0] stall_lease; /* cycles with a write that waits for a lease */ \
    logic [31:0] stall_evict; /* cycles of a request that waits because all its set is lent */ \
  }

`endif
