// Messages of the coherence directory (ports/src/directory/coherence_directory.rs has the same
// fields in the same order; elaboration fails where the two differ). A macro and not a package
// type, because the widths follow the instance's parameters:
// `localparam type req_t = `DIRECTORY_REQ_T(AddressWidth)`.
`ifndef COHERENCE_DIRECTORY_TYPES_SVH
`define COHERENCE_DIRECTORY_TYPES_SVH

// One request, in the order in which the home's L2 accesses its data.
`define DIRECTORY_REQ_T(__addr_w) struct packed { \
    logic [(__addr_w)-1:0]  addr; /* byte address; the bits below the line are ignored */ \
    logic [7:0]             id;   /* returned with the response */ \
    logic [3:0]             src;  /* requesting GPU */ \
    logic [2:0]             op;   /* coherence_directory_pkg::Op* */ \
  }

// The response to one request.
`define DIRECTORY_RSP_T struct packed { \
    logic [7:0]             seq;      /* number of the request, from 0 after reset */ \
    logic [15:0]            sharers;  /* of the line, before the request; bit g = GPU g */ \
    logic [3:0]             reserved; /* 0 */ \
    logic                   err;      /* the request did nothing */ \
    logic                   evicted;  /* an EVICT job was made */ \
    logic                   alloc;    /* an entry was allocated */ \
    logic                   hit;      /* the line was tracked */ \
    logic [7:0]             id;       /* of the request */ \
  }

// The invalidation of one line in some GPUs.
`define DIRECTORY_INV_T(__addr_w) struct packed { \
    logic [(__addr_w)-1:0]  addr;  /* line address; FENCE: 0 */ \
    logic [15:0]            dest;  /* bit g = GPU g, never this one */ \
    logic [7:0]             seq;   /* of the request that caused it */ \
    logic                   last;  /* last line of the job */ \
    logic [1:0]             cause; /* coherence_directory_pkg::Cause* */ \
  }

// Events since reset, modulo 2^32.
`define DIRECTORY_CNT_T struct packed { \
    logic [31:0]            req_lrd; \
    logic [31:0]            req_rrd; \
    logic [31:0]            req_lwr; \
    logic [31:0]            req_rwr; \
    logic [31:0]            hit_lrd; \
    logic [31:0]            hit_rrd; \
    logic [31:0]            hit_lwr; \
    logic [31:0]            hit_rwr; \
    logic [31:0]            alloc; \
    logic [31:0]            evict; \
    logic [31:0]            inv_lines_write; \
    logic [31:0]            inv_lines_evict; \
    logic [31:0]            inv_msgs_write; \
    logic [31:0]            inv_msgs_evict; \
    logic [31:0]            ready_low_cycles; \
    logic [31:0]            jobq_max; /* most jobs held at once */ \
  }

`endif
