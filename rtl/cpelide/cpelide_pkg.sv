`include "cpelide_types.svh"

/// Messages and codes of the command-processor blocks (ports/src/cpelide/types.rs,
/// codes.rs).
package cpelide_pkg;
  typedef `COMMAND_MSG_T   msg_t;
  typedef `COMMAND_TX_T    tx_t;
  typedef `COMMAND_WG_T    wg_t;
  typedef `COMMAND_AQL_T   aql_t;
  typedef `COMMAND_EXT_T   ext_t;
  typedef `COMMAND_TRACE_T trace_t;

  // Each block uses some of them.
  // verilator lint_off UNUSEDPARAM
  // msg_t.kind
  localparam logic [3:0] KindSyncReq  = 4'd1;
  localparam logic [3:0] KindWgDesc   = 4'd2;
  localparam logic [3:0] KindWgCount  = 4'd3;
  localparam logic [3:0] KindLaunchEn = 4'd4;
  localparam logic [3:0] KindAck      = 4'd8;
  localparam logic [3:0] KindDone     = 4'd9;
  localparam logic [3:0] KindNack     = 4'd10;

  // Error codes that hardware gives.
  localparam logic [7:0] ErrAbsentChiplet = 8'd6;
  localparam logic [7:0] ErrProtocol      = 8'd7;
  localparam logic [7:0] ErrHalt          = 8'd8;

  // Messages that a local command processor's queue holds, places of the TX queue and the RX FIFO,
  // packet slots.
  localparam int unsigned LocalQueue = 4;
  localparam int unsigned TxQueue    = 8;
  localparam int unsigned RxFifo     = 16;
  localparam int unsigned Slots      = 4;
  // verilator lint_on UNUSEDPARAM
endpackage
