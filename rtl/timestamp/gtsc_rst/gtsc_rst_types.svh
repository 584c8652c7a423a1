// Messages of gtsc_rst (ports/src/timestamp/gtsc_rst.rs has the same fields in the same order;
// elaboration fails where the two differ).
`ifndef GTSC_RST_TYPES_SVH
`define GTSC_RST_TYPES_SVH

// Events since reset, modulo 2^32 (specification section 9).
`define GTSC_RST_CNT_T struct packed { \
    logic [31:0] resets;      /* resets of all timestamps */ \
    logic [31:0] halt_cycles; /* cycles in which the banks were told to stand still */ \
  }

`endif
