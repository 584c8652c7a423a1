// Messages of sharing-aware scheduling and caching (ports/src/sharing/types.rs has the same fields
// in the same order; elaboration fails where the two differ). Arguments: bits of the number of an
// MSHR, of a set, of a way.
`ifndef SHARING_TYPES_SVH
`define SHARING_TYPES_SVH

// A kernel's launch.
`define SHARING_LAUNCH_T struct packed { \
    logic [1:0]  mode;  /* sharing_pkg::Mode* */ \
    logic [31:0] total; /* work-groups */ \
    logic [15:0] group; /* work-groups of a group */ \
    logic [4:0]  slots; /* work-groups that an SM takes at a time */ \
  }

// A work-group goes to an SM.
`define SHARING_ASSIGNMENT_T struct packed { \
    logic        more; /* the next one belongs to the same burst */ \
    logic [3:0]  sm;   /* SM */ \
    logic [31:0] cta;  /* work-group */ \
  }

// A line of a cache.
`define SHARING_PLACE_T(__set_w, __way_w) struct packed { \
    logic [(__set_w)-1:0] set; /* set */ \
    logic [(__way_w)-1:0] way; /* way */ \
  }

// A line has come to an L1.
`define SHARING_L1_FILL_T(__set_w) struct packed { \
    logic sf;                  /* it is shared */ \
    logic [(__set_w)-1:0] set; /* set */ \
  }

// What an L1 does with it; all 0 where it is not kept.
`define SHARING_VICTIM_T(__way_w) struct packed { \
    logic install;             /* it is kept */ \
    logic dead;                /* the line that goes was thought to be dead */ \
    logic evict_valid;         /* a line goes */ \
    logic evict_private;       /* it is private */ \
    logic [(__way_w)-1:0] way; /* the way that is taken */ \
  }

// A line has come to an L2 bank.
`define SHARING_L2_FILL_T(__mshr_w, __set_w, __way_w) struct packed { \
    logic [(__mshr_w)-1:0] mshr; /* MSHR */ \
    logic [(__set_w)-1:0] set;   /* set */ \
    logic [(__way_w)-1:0] way;   /* way that was reserved for it */ \
  }

// An access to an L2 bank, when its tag has been looked up.
`define SHARING_LOOKUP_T(__mshr_w, __set_w, __way_w) struct packed { \
    logic is_local;              /* to local memory */ \
    logic [3:0] sm;              /* SM */ \
    logic hit;                   /* the line is there */ \
    logic mshr_hit;              /* it is waited for */ \
    logic [(__mshr_w)-1:0] mshr; /* the MSHR that waits for it, or the free one for an ALLOC */ \
    logic [(__set_w)-1:0] set;   /* set */ \
    logic [(__way_w)-1:0] way;   /* of a hit: the way */ \
  }

// What the bank does.
`define SHARING_ACTION_T(__way_w) struct packed { \
    logic [2:0] act;           /* sharing_pkg::Act* */ \
    logic sf;                  /* the line is shared */ \
    logic evict_valid;         /* a line goes */ \
    logic evict_shared;        /* it is shared */ \
    logic [(__way_w)-1:0] way; /* way of the line, or the one that is taken; else 0 */ \
  }

// What the environment owes a block. Random runs send bad input on purpose, so that these
// assertions are checked only where DUET_STRICT_INPUT is defined.
`ifdef DUET_STRICT_INPUT
`define SHARING_ASSERT_INPUT(__name, __prop, __why) `DUET_ASSERT(__name, __prop, __why)
`else
`define SHARING_ASSERT_INPUT(__name, __prop, __why)
`endif

`endif
