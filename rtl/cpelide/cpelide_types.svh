// Messages between the command-processor blocks (ports/src/cpelide/types.rs has the same fields in
// the same order; elaboration fails where the two differ). They have no parameters; they are
// macros, as those of FinePack are, because the build's check reads macros.
`ifndef CPELIDE_TYPES_SVH
`define CPELIDE_TYPES_SVH

// One message between the global command processor and a local one.
`define COMMAND_MSG_T struct packed { \
    logic [31:0] b;       /* [63:32] */ \
    logic [15:0] a;       /* [31:16] */ \
    logic [7:0]  tag;     /* [15:8] kernel tag */ \
    logic [3:0]  chiplet; /* [7:4] destination; on the way back, source */ \
    logic [3:0]  kind;    /* [3:0] cpelide_pkg::Kind* */ \
  }

// A message with its destinations.
`define COMMAND_TX_T struct packed { \
    logic           bcast; /* to all chiplets at once; needs dst = all */ \
    logic [15:0]    dst;   /* bit c = chiplet c */ \
    `COMMAND_MSG_T  msg; \
  }

// One work group for the chiplet's dispatcher.
`define COMMAND_WG_T struct packed { \
    logic [7:0]  tag; \
    logic [7:0]  slot;  /* packet slot */ \
    logic [31:0] group; /* number in the grid */ \
  }

// One AQL packet.
`define COMMAND_AQL_T struct packed { \
    logic [15:0]      mask;   /* chiplets bound to the stream */ \
    logic [7:0]       stream; \
    logic [63:0][7:0] packet; /* byte k of the packet */ \
  }

// One beat of a packet's extension block.
`define COMMAND_EXT_T struct packed { \
    logic         last; \
    logic [127:0] data; /* byte 0 lowest */ \
  }

// One retired or trapped instruction (RVFI).
`define COMMAND_TRACE_T struct packed { \
    logic [63:0] order;     /* from 1 */ \
    logic        trap;      \
    logic [31:0] pc;        \
    logic [31:0] insn;      \
    logic [4:0]  rd;        \
    logic [31:0] wdata;     \
    logic [31:0] mem_addr;  \
    logic [3:0]  mem_rmask; \
    logic [3:0]  mem_wmask; \
    logic [31:0] mem_rdata; \
    logic [31:0] mem_wdata; \
  }

`endif
