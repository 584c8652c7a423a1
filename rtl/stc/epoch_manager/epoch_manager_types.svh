// Messages of epoch_manager (ports/src/stc/epoch_manager.rs has the same fields in the same order;
// elaboration fails where the two differ).
`ifndef EPOCH_MANAGER_TYPES_SVH
`define EPOCH_MANAGER_TYPES_SVH

// Events since reset, modulo 2^32 (specification section 9).
`define EPOCH_MANAGER_CNT_T struct packed { \
    logic [31:0] wakes;      /* times that an epoch was over */ \
    logic [31:0] wakes_idle; /* of these, without a band to select */ \
    logic [31:0] selections; /* of these, with one */ \
    logic [31:0] skip_same;  /* of these, for what is granted already */ \
    logic [31:0] conf_stale; /* conflicts without a demand of their band, or at a change */ \
    logic [31:0] conf_dup;   /* conflicts of a band that has voted */ \
    logic [31:0] votes_up;   \
    logic [31:0] votes_down; \
  }

`endif
