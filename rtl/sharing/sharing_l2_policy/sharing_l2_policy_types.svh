// Messages of sharing_l2_policy (ports/src/sharing/sharing_l2_policy.rs has the same fields in the
// same order; elaboration fails where the two differ).
`ifndef SHARING_L2_POLICY_TYPES_SVH
`define SHARING_L2_POLICY_TYPES_SVH

// Events since reset, modulo 2^32 (specification section 9).
`define SHARING_L2_POLICY_CNT_T struct packed { \
    logic [31:0] hits;          /* accesses to lines that are there */ \
    logic [31:0] merges;        /* to lines that are waited for */ \
    logic [31:0] allocs;        /* lines fetched into a way */ \
    logic [31:0] bypasses;      /* accesses to local memory that are not kept */ \
    logic [31:0] stalls;        /* accesses that are to be asked again */ \
    logic [31:0] sf_set;        /* lines, there or waited for, that became shared */ \
    logic [31:0] evict_private; /* private lines that went */ \
    logic [31:0] evict_shared;  /* shared lines that went */ \
  }

`endif
