// Messages of access_validation_unit (ports/src/race/access_validation_unit.rs has the same fields
// in the same order; elaboration fails where the two differ).
`ifndef ACCESS_VALIDATION_UNIT_TYPES_SVH
`define ACCESS_VALIDATION_UNIT_TYPES_SVH

// Events since reset, modulo 2^32 (specification section 9).
`define ACCESS_VALIDATION_UNIT_CNT_T struct packed { \
    logic [31:0] hit_age0;        /* hits of lines of this epoch */ \
    logic [31:0] hit_age1;        /* of the one before */ \
    logic [31:0] needchk;         /* hits that need a check */ \
    logic [31:0] miss_cold;       /* lookups of lines that the L1 does not hold */ \
    logic [31:0] miss_expired;    /* of lines that are too old */ \
    logic [31:0] miss_avu;        /* of lines that may have been written */ \
    logic [31:0] signature_tests; /* lookups and queries that the signature was asked for */ \
    logic [31:0] syncs;           /* changes of the epoch */ \
    logic [31:0] load_cycles;     /* cycles without a lookup because a signature is loaded */ \
    logic [31:0] wrapped;         /* lines that would have looked new again */ \
  }

`endif
