/// Constants of the blocks of sharing-aware scheduling and caching
/// (ports/src/sharing/types.rs, parameters.rs).
package sharing_pkg;
  // Each block uses some of them.
  // verilator lint_off UNUSEDPARAM
  // launch_t.mode
  localparam logic [1:0] ModeRr   = 2'd0;
  localparam logic [1:0] ModeQ    = 2'd1;
  localparam logic [1:0] ModeAdpt = 2'd2;
  localparam logic [1:0] ModeBcs  = 2'd3;

  // action_t.act
  localparam logic [2:0] ActHit    = 3'd0;
  localparam logic [2:0] ActMerge  = 3'd1;
  localparam logic [2:0] ActAlloc  = 3'd2;
  localparam logic [2:0] ActBypass = 3'd3;
  localparam logic [2:0] ActStall  = 3'd4;

  // err_code_o
  localparam logic [3:0] ErrNone = 4'd0;
  // of cta_scheduler
  localparam logic [3:0] ErrCtaGroup = 4'd1;
  localparam logic [3:0] ErrCtaSlots = 4'd2;
  localparam logic [3:0] ErrCtaDone  = 4'd3;
  // of sharing_l1_policy
  localparam logic [3:0] ErrL1Way = 4'd1;
  // of sharing_l2_policy
  localparam logic [3:0] ErrL2Hit  = 4'd1;
  localparam logic [3:0] ErrL2Mshr = 4'd2;
  localparam logic [3:0] ErrL2Fill = 4'd3;
  localparam logic [3:0] ErrL2Sm   = 4'd4;
  localparam logic [3:0] ErrL2Inv  = 4'd5;
  // verilator lint_on UNUSEDPARAM

  // A legal value, which keeps sizes legal when a parameter is not, so that the assertion on it can
  // tell.
  function automatic int unsigned clamp(int unsigned low, int unsigned high, int unsigned value);
    return (value < low) ? low : (value > high) ? high : value;
  endfunction
  // A power of 2 of at most `high`.
  function automatic int unsigned legal_power(int unsigned high, int unsigned value);
    return ($onehot(value) && value <= high) ? value : 1;
  endfunction

  // Number of the lowest bit that is 1; 0 of none.
  function automatic logic [3:0] lowest(logic [15:0] bits);
    logic [3:0] at;
    at = '0;
    for (int unsigned i = 16; i > 0; i--) if (bits[i-1]) at = 4'(i - 1);
    return at;
  endfunction
endpackage
