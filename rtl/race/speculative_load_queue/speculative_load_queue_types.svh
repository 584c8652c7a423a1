// Messages of speculative_load_queue (ports/src/race/speculative_load_queue.rs has the same fields
// in the same order; elaboration fails where the two differ).
`ifndef SPECULATIVE_LOAD_QUEUE_TYPES_SVH
`define SPECULATIVE_LOAD_QUEUE_TYPES_SVH

// Events since reset, modulo 2^32 (specification section 9).
`define SPECULATIVE_LOAD_QUEUE_CNT_T struct packed { \
    logic [31:0] allocs;      /* entries allocated */ \
    logic [31:0] commits;     /* loads committed */ \
    logic [31:0] replays;     /* loads replayed */ \
    logic [31:0] dropped;     /* other entries that replays dropped */ \
    logic [31:0] full_cycles; /* cycles in which a load found no slot */ \
    logic [31:0] busy_cycles; /* cycles of validation */ \
    logic [31:0] occ_max;     /* most slots occupied at once */ \
  }

`endif
