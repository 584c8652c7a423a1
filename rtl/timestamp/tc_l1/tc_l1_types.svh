// Messages of tc_l1 (ports/src/tc_l1.rs has the same fields in the same order; the
// build of cosim fails where the two differ).
`ifndef TC_L1_TYPES_SVH
`define TC_L1_TYPES_SVH

// Events since reset, modulo 2^32 (specification section 9).
`define TC_L1_CNT_T struct packed { \
    logic [31:0] load_hit;     /* loads that hit */ \
    logic [31:0] miss_cold;    /* loads of lines that are not here */ \
    logic [31:0] miss_expired; /* of lines whose lease is over */ \
    logic [31:0] late_fills;   /* lines that came when their lease was over */ \
  }

`endif
