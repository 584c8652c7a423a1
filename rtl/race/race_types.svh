// Messages between the race detection blocks (ports/src/race/types.rs has the same fields in the
// same order; elaboration fails where the two differ).
`ifndef RACE_TYPES_SVH
`define RACE_TYPES_SVH

// From an SM to the race detection unit.
`define RACE_REQ_T struct packed { \
    logic [1:0]   kind; /* race_pkg::Req* */ \
    logic [7:0]   id;   /* whatever the SM calls it */ \
    logic [127:0] mask; /* bit b: byte b of the line is written; ignored in checks */ \
    logic [31:0]  addr; /* byte address; the line is bits 31 to 7 */ \
  }

// The L2 bank of this address serves the oldest request of this SM next.
`define RACE_TOK_T struct packed { \
    logic [3:0]  sm;   \
    logic [31:0] addr; /* byte address, as in the request */ \
  }

// A beat of the unit's answer: a header, or 256 bits of a signature behind it.
`define RACE_RSP_T struct packed { \
    logic         hdr;   /* it is the header */ \
    logic         last;  /* it is the last beat of the answer */ \
    logic [2:0]   kind;  /* race_pkg::Rsp* */ \
    logic [7:0]   id;    /* of the request */ \
    logic [4:0]   epoch; /* the SM's epoch after it */ \
    logic         sync;  /* the SM's epoch has changed */ \
    logic [5:0]   chunk; /* which 256 bits of the signature */ \
    logic [255:0] data;  /* they */ \
  }

// A lookup in an L1.
`define RACE_LK_T struct packed { \
    logic [7:0]  line;    /* place in the L1 */ \
    logic        tag_hit; /* the L1 holds the line there */ \
    logic [2:0]  size;    /* the access is the 2^size aligned bytes that hold addr */ \
    logic [31:0] addr;    /* byte address */ \
  }

// A line is installed.
`define RACE_FILL_T struct packed { \
    logic [7:0] line;  /* place in the L1 */ \
    logic [4:0] epoch; /* of the header that answered its miss */ \
  }

// Bytes that a load has read: is any of their granules in the signature?
`define RACE_Q_T struct packed { \
    logic [2:0]  size; /* the access is the 2^size aligned bytes that hold addr */ \
    logic [31:0] addr; /* byte address */ \
  }

// An answer of the unit is complete and in force.
`define RACE_DONE_T struct packed { \
    logic [2:0] kind;  /* race_pkg::Rsp* */ \
    logic [7:0] id;    /* of the request */ \
    logic [4:0] epoch; /* after it */ \
    logic       sync;  /* the epoch has changed */ \
  }

// A load that has hit while an answer was outstanding.
`define RACE_ALLOC_T struct packed { \
    logic [5:0]  warp; \
    logic [15:0] tag;  /* names the load */ \
    logic [2:0]  size; /* the access is the 2^size aligned bytes that hold addr */ \
    logic [31:0] addr; /* byte address */ \
  }

// A load of the speculative load queue.
`define RACE_LOAD_T struct packed { \
    logic [5:0]  warp; \
    logic [15:0] tag;  /* as allocated */ \
  }

// What the environment owes a block. Random runs send bad input on purpose, so that these
// assertions are checked only where DUET_STRICT_INPUT is defined.
`ifdef DUET_STRICT_INPUT
`define RACE_ASSERT_INPUT(__name, __prop, __why) `DUET_ASSERT(__name, __prop, __why)
`else
`define RACE_ASSERT_INPUT(__name, __prop, __why)
`endif

`endif
