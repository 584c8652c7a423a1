// Messages of epoch_agent (ports/src/stc/epoch_agent.rs has the same fields in the same order;
// elaboration fails where the two differ).
`ifndef EPOCH_AGENT_TYPES_SVH
`define EPOCH_AGENT_TYPES_SVH

// Events since reset, modulo 2^32 (specification section 9).
`define EPOCH_AGENT_CNT_T struct packed { \
    logic [31:0] stores_direct;  /* stores that were issued when they were classified */ \
    logic [31:0] stores_blocked; /* stores that went into the blocked store queue */ \
    logic [31:0] scan_cycles;    /* cycles in which the scan examined an entry */ \
  }

`endif
