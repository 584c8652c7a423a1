// Messages of cta_scheduler (ports/src/sharing/cta_scheduler.rs has the same fields in the same
// order; elaboration fails where the two differ).
`ifndef CTA_SCHEDULER_TYPES_SVH
`define CTA_SCHEDULER_TYPES_SVH

// Events since reset, modulo 2^32 (specification section 9).
`define CTA_SCHEDULER_CNT_T struct packed { \
    logic [31:0] assigned;       /* work-groups assigned */ \
    logic [31:0] groups;         /* groups started */ \
    logic [31:0] rr_phase_ctas;  /* work-groups assigned one by one, as few groups were left */ \
    logic [31:0] idle_sm_cycles; /* SMs without a work-group, summed over Run cycles */ \
  }

`endif
