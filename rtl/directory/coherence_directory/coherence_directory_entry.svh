// Types inside the coherence directory. Macros and not package types, because the widths follow the
// instance's parameters.
`ifndef COHERENCE_DIRECTORY_ENTRY_SVH
`define COHERENCE_DIRECTORY_ENTRY_SVH

// One entry as it is stored; widths: coherence_directory_pkg::base_bits and group_bits. Groups of
// rec: for each line, lowest first, its position bit (lowest) and its sharer slots; baseline and
// hmg: the sharer slots.
`define DIRECTORY_ENTRY_T(__base_bits, __group_bits) struct packed { \
    logic                      valid; \
    logic [(__base_bits)-1:0]  base; \
    logic [(__group_bits)-1:0] groups; \
  }

// One invalidation job. `__groups` is the number of sharer fields: 1 in hmg, whose four lines
// share one.
`define DIRECTORY_JOB_T(__base_w, __pos, __groups, __sharers) struct packed { \
    logic [1:0]                              cause; /* coherence_directory_pkg::Cause* */ \
    logic [7:0]                              seq;   /* of the request that caused it */ \
    logic [(__base_w)-1:0]                   base;  /* address / Range; FENCE: 0 */ \
    logic [(__pos)-1:0]                      pos;   /* lines to invalidate */ \
    logic [(__groups)-1:0][(__sharers)-1:0]  slots; /* their sharer slots */ \
  }

`endif
