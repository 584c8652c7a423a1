/// Constants of the FinePack blocks (ports/src/finepack/codes.rs).
package finepack_pkg;
  // Each block uses some of them.
  // verilator lint_off UNUSEDPARAM
  // req_t.op; 5..7 are illegal.
  localparam logic [2:0] OpStore      = 3'd0;
  localparam logic [2:0] OpLoad       = 3'd1;
  localparam logic [2:0] OpAtomic     = 3'd2;
  localparam logic [2:0] OpReleaseSys = 3'd3;
  localparam logic [2:0] OpReleaseGpu = 3'd4;

  // aop; 8..15 are illegal.
  localparam logic [3:0] AopAdd  = 4'd0;
  localparam logic [3:0] AopSwap = 4'd1;
  localparam logic [3:0] AopCas  = 4'd2;

  // drain_t.kind
  localparam logic [1:0] DrainPack   = 2'd0;
  localparam logic [1:0] DrainRead   = 2'd1;
  localparam logic [1:0] DrainAtomic = 2'd2;
  localparam logic [1:0] DrainMark   = 2'd3;

  // ingress_t.kind
  localparam logic [1:0] IngressWrite  = 2'd0;
  localparam logic [1:0] IngressRead   = 2'd1;
  localparam logic [1:0] IngressAtomic = 2'd2;
  localparam logic [1:0] IngressMark   = 2'd3;

  // evt_t.flush_cause
  localparam logic [2:0] CauseNone        = 3'd0;
  localparam logic [2:0] CauseWindow      = 3'd1;
  localparam logic [2:0] CauseFullPayload = 3'd2;
  localparam logic [2:0] CauseFullEntries = 3'd3;
  localparam logic [2:0] CauseLoadHit     = 3'd4;
  localparam logic [2:0] CauseAtomicHit   = 3'd5;
  localparam logic [2:0] CauseRelease     = 3'd6;
  localparam logic [2:0] CauseTimeout     = 3'd7;

  // err_code_o
  localparam logic [3:0] ErrZeroMask           = 4'd1;
  localparam logic [3:0] ErrBadDest            = 4'd2;
  localparam logic [3:0] ErrBadOp              = 4'd3;
  localparam logic [3:0] ErrAddrOverflow       = 4'd4;
  localparam logic [3:0] ErrBadType            = 4'd5;
  localparam logic [3:0] ErrBadSubheader       = 4'd6;
  localparam logic [3:0] ErrTruncated          = 4'd7;
  localparam logic [3:0] ErrPoisoned           = 4'd8;
  localparam logic [3:0] ErrSpuriousCompletion = 4'd9;

  // TLP header byte 0
  localparam logic [2:0] FmtNoData    = 3'b001;
  localparam logic [2:0] FmtWithData  = 3'b011;
  localparam logic [4:0] TypeMem      = 5'b00000;
  localparam logic [4:0] TypeFetchAdd = 5'b01100;
  localparam logic [4:0] TypeSwap     = 5'b01101;
  localparam logic [4:0] TypeCas      = 5'b01110;
  localparam logic [4:0] TypeFinePack = 5'b01111;
  // verilator lint_on UNUSEDPARAM
endpackage
