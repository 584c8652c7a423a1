// Messages of sharing_l1_policy (ports/src/sharing/sharing_l1_policy.rs has the same fields in the
// same order; elaboration fails where the two differ).
`ifndef SHARING_L1_POLICY_TYPES_SVH
`define SHARING_L1_POLICY_TYPES_SVH

// Events since reset, modulo 2^32 (specification section 9).
`define SHARING_L1_POLICY_CNT_T struct packed { \
    logic [31:0] touches;       /* hits */ \
    logic [31:0] fills_private; /* private lines kept */ \
    logic [31:0] fills_shared;  /* shared lines kept */ \
    logic [31:0] bypass_shared; /* shared lines not kept */ \
    logic [31:0] evict_private; /* private lines that went */ \
    logic [31:0] evict_shared;  /* shared lines that went */ \
    logic [31:0] evict_dead;    /* of the private ones, those thought to be dead */ \
  }

`endif
