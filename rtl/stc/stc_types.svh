// Messages of turn-based spatiotemporal coherence (ports/src/stc/types.rs has the same fields in
// the same order; elaboration fails where the two differ). Macros and not package types, because
// the widths follow the instance's parameters:
// `localparam type chg_t = `STC_CHG_T(Bands)`.
`ifndef STC_TYPES_SVH
`define STC_TYPES_SVH

// From an agent to the manager (STC, section 4.4).
`define STC_REQ_T struct packed { \
    logic        kind; /* stc_pkg::Kind* */ \
    logic [31:0] addr; /* byte address: of the store that waits, or of the load */ \
  }

// An epoch: what is granted, and where the epoch bits lie.
`define STC_CHG_T(__bands) struct packed { \
    logic [5:0]           seb;  /* start epoch bit */ \
    logic [(__bands)-1:0] gvec; /* bit b: band b is granted */ \
  }

// A store or an atomic.
`define STC_ST_T(__slot_w) struct packed { \
    logic [(__slot_w)-1:0] slot; /* of the coalescing buffer; entry of the blocked store queue */ \
    logic [31:0]           addr; /* byte address */ \
  }

// A load.
`define STC_LD_T struct packed { \
    logic [7:0]  id;   /* whatever the CU calls it */ \
    logic [31:0] addr; /* byte address */ \
  }

// A load on its way to the L1.
`define STC_LDO_T struct packed { \
    logic        nocache; /* its band was granted when it was accepted: Load_U */ \
    logic [7:0]  id;      \
    logic [31:0] addr;    \
  }

`endif
