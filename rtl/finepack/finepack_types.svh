// Messages between the FinePack blocks (ports/src/finepack/types.rs has the same fields in the same
// order; elaboration fails where the two differ). A macro and not a package type, because the
// widths follow the instance's parameters:
// `localparam type req_t = `FINEPACK_REQ_T(Line)`.
`ifndef FINEPACK_TYPES_SVH
`define FINEPACK_TYPES_SVH

// One request to the remote write queue.
`define FINEPACK_REQ_T(__line) struct packed { \
    logic [3:0]             aop;  /* atomic operation, finepack_pkg::Aop* */ \
    logic [(__line)-1:0][7:0] data; /* STORE: byte k; ATOMIC: operands in bytes 0..15 */ \
    logic [(__line)-1:0]      mask; /* byte enables of the line */ \
    logic [63:0]            addr; /* byte address */ \
    logic [7:0]             id;   /* returned with rel_id_o, carried as the PCIe tag */ \
    logic [3:0]             dest; /* destination GPU */ \
    logic [2:0]             op;   /* finepack_pkg::Op* */ \
  }

// One beat from the remote write queue to the packetizer. Fields foreign to a kind are 0.
`define FINEPACK_DRAIN_T(__line) struct packed { \
    logic                   sop; \
    logic                   eop; \
    logic [1:0]             kind; /* finepack_pkg::Drain* */ \
    logic [3:0]             dest; /* destination GPU */ \
    logic [7:0]             id;   /* PACK: packet counter of the partition; others: request id */ \
    logic [3:0]             aop;  \
    logic [63:0]            base; /* PACK: first byte of the window */ \
    logic [12:0]            plen; /* PACK: exact payload bytes of the packet, 1..4096 */ \
    logic [63-$clog2(__line):0] line; /* byte address / Line */ \
    logic [(__line)-1:0]      mask; \
    logic [(__line)-1:0][7:0] data; \
  }

// One beat of a TLP.
`define FINEPACK_TLP_T(__beat) struct packed { \
    logic                   sop; \
    logic                   eop; \
    logic [3:0]             dest;   /* destination GPU */ \
    logic [15:0][7:0]       hdr;    /* header byte k; 0 without sop */ \
    logic [7:0]             nbytes; /* valid bytes of this beat, 0..Beat */ \
    logic [(__beat)-1:0][7:0] data; \
  }

// One access for the destination's memory system.
`define FINEPACK_INGRESS_T(__line) struct packed { \
    logic [1:0]             kind; /* finepack_pkg::Ingress* */ \
    logic [3:0]             aop;  \
    logic [15:0]            src;  /* requester id of the TLP */ \
    logic [7:0]             tag;  \
    logic [63:0]            addr; /* aligned to Line */ \
    logic [(__line)-1:0]      mask; \
    logic [(__line)-1:0][7:0] data; \
  }

// What stage S2 of the remote write queue did one cycle ago.
`define FINEPACK_EVT_T(__parts) struct packed { \
    logic [(__parts)-1:0][2:0] flush_cause; /* finepack_pkg::Cause* */ \
    logic [1:0]             stall;       /* bit 0 bank, bit 1 order queue */ \
    logic [7:0]             overwritten; /* bytes overwritten before they were sent */ \
    logic                   err_lost;    /* more than one error arose */ \
  }

`endif
