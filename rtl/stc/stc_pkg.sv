/// Constants of the STC blocks (ports/src/stc/types.rs, parameters.rs), and where a band
/// stands in an address.
package stc_pkg;
  // Each block uses some of them.
  // verilator lint_off UNUSEDPARAM
  // Parameter Variant (STC, section 6).
  localparam int unsigned VariantNv = 0;
  localparam int unsigned VariantEs = 1;
  localparam int unsigned VariantAb = 2;
  localparam int unsigned VariantMb = 3;

  // Parameter AdaptCmp.
  localparam int unsigned AdaptPage    = 0;
  localparam int unsigned AdaptLiteral = 1;

  // req_t.kind
  localparam logic KindDemand   = 1'b0;
  localparam logic KindConflict = 1'b1;

  // err_code_o
  localparam logic [3:0] ErrNone = 4'd0;
  // of epoch_manager
  localparam logic [3:0] ErrNotAsked  = 4'd1;
  localparam logic [3:0] ErrDoneEarly = 4'd2;
  localparam logic [3:0] ErrReadyFell = 4'd3;
  // of epoch_agent
  localparam logic [3:0] ErrSlot        = 4'd1;
  localparam logic [3:0] ErrAck         = 4'd2;
  localparam logic [3:0] ErrEarlyChange = 4'd3;
  localparam logic [3:0] ErrPrepFell    = 4'd4;
  localparam logic [3:0] ErrEpoch       = 4'd5;
  localparam logic [3:0] ErrDemandAck   = 4'd6;
  // verilator lint_on UNUSEDPARAM

  // Band of an address, of which the caller takes the lower BandBits bits (STC, section 4.2, figure
  // 4). The bits above 31 are 0.
  function automatic logic [4:0] band(logic [31:0] addr, logic [5:0] seb);
    return 5'(addr >> seb);
  endfunction

  // The larger one: keeps a size legal when a parameter is not, so that the assertion on it can
  // tell.
  function automatic int unsigned at_least(int unsigned low, int unsigned value);
    return (value < low) ? low : value;
  endfunction
endpackage
