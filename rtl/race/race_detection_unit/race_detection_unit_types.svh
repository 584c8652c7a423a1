// Messages of race_detection_unit (ports/src/race/race_detection_unit.rs has the same fields in the
// same order; elaboration fails where the two differ).
`ifndef RACE_DETECTION_UNIT_TYPES_SVH
`define RACE_DETECTION_UNIT_TYPES_SVH

// Events since reset, modulo 2^32 (specification section 9).
`define RACE_DETECTION_UNIT_CNT_T struct packed { \
    logic [31:0] reads;            /* last steps of read misses */ \
    logic [31:0] hit_checks;       /* of checks of hits */ \
    logic [31:0] writes;           /* of writes */ \
    logic [31:0] atomics;          /* of atomics */ \
    logic [31:0] races;            /* answers that tell of a race */ \
    logic [31:0] forced;           /* signatures sent unasked */ \
    logic [31:0] inserts;          /* granules of writes, once for each other SM */ \
    logic [31:0] granules_checked; /* granules of reads and checks */ \
    logic [31:0] check_steps;      /* steps of reads and checks */ \
    logic [31:0] token_stall;      /* cycles in which a last step waits for the token register */ \
    logic [31:0] header_beats;     /* headers that were taken */ \
    logic [31:0] chunk_beats;      /* chunks of signatures that were taken */ \
    logic [31:0] queue_full;       /* requests that were not taken, once in each cycle */ \
  }

`endif
