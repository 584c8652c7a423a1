/// Constants of the blocks of timestamp coherence (ports/src/timestamp/types.rs,
/// parameters.rs).
package timestamp_pkg;
  // Each block uses some of them.
  // verilator lint_off UNUSEDPARAM
  // core_req_t.op and core_rsp_t.op
  localparam logic [1:0] OpLd   = 2'd0;
  localparam logic [1:0] OpSt   = 2'd1;
  localparam logic [1:0] OpAtom = 2'd2;

  // core_req_t.aop and bus_req_t.aop
  localparam logic [3:0] AopAdd  = 4'd0;
  localparam logic [3:0] AopMin  = 4'd1;
  localparam logic [3:0] AopMax  = 4'd2;
  localparam logic [3:0] AopUmin = 4'd3;
  localparam logic [3:0] AopUmax = 4'd4;
  localparam logic [3:0] AopAnd  = 4'd5;
  localparam logic [3:0] AopOr   = 4'd6;
  localparam logic [3:0] AopXor  = 4'd7;
  localparam logic [3:0] AopXchg = 4'd8;

  // bus_req_t.op
  localparam logic [1:0] BusRd   = 2'd0;
  localparam logic [1:0] BusWr   = 2'd1;
  localparam logic [1:0] BusAtom = 2'd2;

  // bus_rsp_t.op
  localparam logic [1:0] RspFill    = 2'd0;
  localparam logic [1:0] RspRnw     = 2'd1;
  localparam logic [1:0] RspWrAck   = 2'd2;
  localparam logic [1:0] RspAtomAck = 2'd3;

  // event_t.kind
  localparam logic [1:0] EventUsed    = 2'd0;
  localparam logic [1:0] EventGone    = 2'd1;
  localparam logic [1:0] EventAllGone = 2'd2;
  localparam logic [1:0] EventCame    = 2'd3;

  // sync_i of an L2 bank
  localparam logic SyncRelease = 1'b0;
  localparam logic SyncAcquire = 1'b1;

  // err_code_o
  localparam logic [3:0] ErrNone = 4'd0;
  // of an L1
  localparam logic [3:0] ErrL1Request    = 4'd1;
  localparam logic [3:0] ErrL1Fill       = 4'd2;
  localparam logic [3:0] ErrL1Ack        = 4'd3;
  localparam logic [3:0] ErrL1Generation = 4'd4;
  localparam logic [3:0] ErrL1Pick       = 4'd5;
  // of an L2 bank
  localparam logic [3:0] ErrL2Request = 4'd1;
  localparam logic [3:0] ErrL2Fill    = 4'd2;
  localparam logic [3:0] ErrL2Pick    = 4'd3;
  // of gtsc_rst
  localparam logic [3:0] ErrRstGeneration = 4'd1;

  // Protocol
  localparam int unsigned ProtocolGtsc = 0;
  localparam int unsigned ProtocolTcs  = 1;  // TC-Strong
  localparam int unsigned ProtocolTcw  = 2;  // TC-Weak
  // verilator lint_on UNUSEDPARAM

  // A legal value, which keeps sizes legal where a parameter is not, so that the assertion on the
  // parameter can report it.
  function automatic int unsigned clamp(int unsigned low, int unsigned high, int unsigned value);
    return (value < low) ? low : (value > high) ? high : value;
  endfunction
  function automatic int unsigned legal_line(int unsigned line);
    return (line inside {16, 32, 64, 128}) ? line : 128;
  endfunction
  // A power of 2 of at most `high`.
  function automatic int unsigned legal_power(int unsigned high, int unsigned value);
    return ($onehot(value) && value <= high) ? value : 1;
  endfunction
  // Bits of a timestamp in a message. TC counts cycles with two of them, {wts, rts}.
  function automatic int unsigned ts_bits(int unsigned protocol, int unsigned ts_w);
    return (protocol == ProtocolGtsc) ? clamp(5, 32, ts_w) : 16;
  endfunction
endpackage
