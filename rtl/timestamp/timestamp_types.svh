// Messages of timestamp coherence (ports/src/timestamp/types.rs has the same fields in the same
// order; elaboration fails where the two differ). Arguments: bytes of a line, bits of its address,
// bits of a timestamp, ways of a set.
`ifndef TIMESTAMP_TYPES_SVH
`define TIMESTAMP_TYPES_SVH

// From an SM to its L1. 1198 bits at paper size (specification 3).
`define TIMESTAMP_CORE_REQ_T(__line, __line_w) struct packed { \
    logic [1:0] op;              /* timestamp_pkg::Op* */ \
    logic [3:0] aop;             /* timestamp_pkg::Aop* */ \
    logic sz;                    /* elements of an atomic have 8 bytes, else 4 */ \
    logic [7:0] id;              /* whatever the SM calls it */ \
    logic [5:0] warp;            /* warp */ \
    logic [(__line_w)-1:0] line; /* address of the line: byte address / line */ \
    logic [(__line)-1:0] mask;   /* bit b: byte b is written, or of a changed element */ \
    logic [8*(__line)-1:0] data; /* bytes in their places */ \
  }

// From an L1 to its SM.
`define TIMESTAMP_CORE_RSP_T(__line, __ts_w) struct packed { \
    logic [1:0] rep;             /* generation of ts. 0 of TC */ \
    logic [(__ts_w)-1:0] ts;     /* logical time of the operation. 0 of TC */ \
    logic [1:0] op;              /* of the request */ \
    logic [5:0] warp;            /* of the request */ \
    logic [7:0] id;              /* of the request */ \
    logic [8*(__line)-1:0] data; /* load: the line. Atomic: what its elements were. Else 0 */ \
  }

// From an L1 to an L2 bank. 1231 bits at paper size. Fields foreign to an operation are 0
// (thesis, table 3.1; specification 3).
`define TIMESTAMP_BUS_REQ_T(__line, __line_w, __ts_w) struct packed { \
    logic [1:0] op;              /* timestamp_pkg::Bus* */ \
    logic [3:0] aop;             /* timestamp_pkg::Aop* */ \
    logic sz;                    /* elements of an atomic have 8 bytes, else 4 */ \
    logic [1:0] rep;             /* generation of the L1 */ \
    logic [4:0] sm;              /* SM */ \
    logic [7:0] id;              /* [7] 0: MSHR of [5:0]; 1: entry of the store table */ \
    logic [(__line_w)-1:0] line; /* address of the line */ \
    logic [(__ts_w)-1:0] wts;    /* when the L1's copy was written; 0 where it has none */ \
    logic [(__ts_w)-1:0] warp_ts; /* the warp's clock */ \
    logic [(__line)-1:0] mask;   /* bytes written or changed */ \
    logic [8*(__line)-1:0] data; /* they */ \
  }

// From an L2 bank to an L1. 1074 bits at paper size.
`define TIMESTAMP_BUS_RSP_T(__line, __ts_w) struct packed { \
    logic [1:0] op;              /* timestamp_pkg::Rsp* */ \
    logic [1:0] rep;             /* generation of the bank */ \
    logic ok;                    /* write: the L1's copy was as new, or nothing of it is left */ \
    logic [4:0] sm;              /* SM */ \
    logic [7:0] id;              /* of the request */ \
    logic [(__ts_w)-1:0] wts;    /* when the line was written */ \
    logic [(__ts_w)-1:0] rts;    /* end of its lease, included */ \
    logic [8*(__line)-1:0] data; /* fill: the line. Atomic: what its elements were. Else 0 */ \
  }

// From an L2 bank to memory.
`define TIMESTAMP_DRAM_REQ_T(__line, __line_w) struct packed { \
    logic we;                    /* the line is written */ \
    logic [(__line_w)-1:0] line; /* address of the line */ \
    logic [8*(__line)-1:0] data; /* its bytes; 0 of a read */ \
  }

// From memory to an L2 bank: a line that was read.
`define TIMESTAMP_DRAM_RSP_T(__line, __line_w) struct packed { \
    logic [(__line_w)-1:0] line; /* address of the line */ \
    logic [8*(__line)-1:0] data; /* its bytes */ \
  }

// A cache asks its policy for a way for a line.
`define TIMESTAMP_ASK_T(__line_w, __ways) struct packed { \
    logic [4:0] sm;              /* SM of the request; 0 in an L1 */ \
    logic [(__line_w)-1:0] line; /* address of the line */ \
    logic [(__ways)-1:0] ways;   /* bit w: way w of its set may go */ \
  }

// What the policy says.
`define TIMESTAMP_PICK_T struct packed { \
    logic keep;                  /* the line is kept */ \
    logic [3:0] way;             /* the way that it takes */ \
  }

// What has become of the lines of a cache, for its policy.
`define TIMESTAMP_EVENT_T(__line_w) struct packed { \
    logic [1:0] kind;            /* timestamp_pkg::Event* */ \
    logic [3:0] way;             /* way */ \
    logic [(__line_w)-1:0] line; /* address of the line */ \
  }

// What the environment owes a block. Random runs send bad input on purpose, so that these
// assertions are checked only where DUET_STRICT_INPUT is defined.
`ifdef DUET_STRICT_INPUT
`define TIMESTAMP_ASSERT_INPUT(__name, __prop, __why) `DUET_ASSERT(__name, __prop, __why)
`else
`define TIMESTAMP_ASSERT_INPUT(__name, __prop, __why)
`endif

`endif
