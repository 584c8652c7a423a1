`include "duet_assert.svh"

/// Mailbox registers, and what they talk to (README.md, rules 16 to 35). An access acts in one of
/// the processor's cycles: what it changes, and what it reads, shows in the next.
module command_processor_mailbox  // rule: Mailbox
  import cpelide_pkg::*;
  import command_processor_pkg::*;
(
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   enabled_i,      // this cycle is the processor's
  input  logic                   run_i,          // and the core has not halted
  input  logic [31:0]            conf_i,         // static
  // access
  input  logic [5:0]             word_i,         // register of the access that acts, or waits to
  input  logic                   we_i,
  input  logic [31:0]            wdata_i,
  output logic                   ready_o,        // it can act
  input  logic                   act_i,          // it acts; only while ready_o, in an enabled cycle
  output logic [31:0]            rdata_o,        // read last
  // packet slots
  input  logic [Slots-1:0]       slots_valid_i,
  input  logic [1:0]             slots_oldest_i,
  input  logic [Slots-1:0][31:0] slots_meta_i,
  input  logic                   slots_complete_i,
  output logic                   slots_pop_o,    // free slot wdata_i[1:0]
  // crossbar
  output logic                   tx_valid_o,
  input  logic                   tx_ready_i,
  output tx_t                    tx_o,
  input  logic                   rx_valid_i,
  output logic                   rx_ready_o,
  input  msg_t                   rx_i,
  output logic                   rx_error_o,     // a message against the protocol
  // host
  output logic                   sig_valid_o,
  output logic [63:0]            sig_o,
  output logic                   error_o,        // the firmware writes the code wdata_i[7:0]
  output logic                   exit_o,         // the firmware ends with the status wdata_i
  output logic [15:0][31:0]      counters_o
);
  localparam int unsigned TxCountW = $clog2(TxQueue + 1);
  localparam int unsigned RxCountW = $clog2(RxFifo + 1);

  typedef struct packed {
    logic [31:0]       cycle;
    logic [31:0]       tx_lo;
    logic [16:0]       tx_dst;
    logic [31:0]       sig_lo;
    logic              sig_valid;
    logic [63:0]       sig;
    logic [2:0]        events;  // ack, rx, pkt
    logic              counting;
    logic [15:0][31:0] counters;
  } regs_t;
  regs_t regs_d, regs_q;

  wire read  = act_i && !we_i;
  wire write = act_i && we_i;

  // -----------------------------------------------------------------------------------------------
  // Messages
  logic [TxCountW-1:0] tx_count;  // messages to the crossbar
  logic [RxCountW-1:0] rx_count;
  msg_t                rx_head;
  logic [15:0]         ack_pend;
  logic                rx_ack, rx_push;
  wire                 send = write && word_i == RegTxHi;  // rule: 20
  wire                 sync = (regs_q.tx_lo[3:0] == KindSyncReq);  // rule: 20

  // The core appends in the processor's cycles, the crossbar takes in any (README.md, rules 20 to
  // 24).
  duet_fifo #(
    .T    (tx_t),
    .Depth(TxQueue)
  ) u_tx (
    .clk_i,
    .rst_ni,
    .push_i (send),
    .data_i ({regs_q.tx_dst, wdata_i, regs_q.tx_lo}),
    .pop_i  (tx_valid_o && tx_ready_i),
    .head_o (tx_o),
    .count_o(tx_count)
  );
  assign tx_valid_o = tx_count != '0;  // rule: 21

  command_processor_receive u_rx (  // rule: 25
    .clk_i,
    .rst_ni,
    .run_i,
    .rx_valid_i,
    .rx_ready_o,
    .rx_i,
    .count_o   (rx_count),
    .head_o    (rx_head),
    .ack_pend_o(ack_pend),
    .pop_i     (read && word_i == RegRxHi),
    .request_i ((send && sync) ? regs_q.tx_dst[15:0] : '0),
    .ack_o     (rx_ack),
    .push_o    (rx_push),
    .error_o   (rx_error_o)
  );

  // -----------------------------------------------------------------------------------------------
  // Writes and events
  always_comb begin : can_act
    ready_o = 1'b1;
    if (we_i && word_i == RegTxHi) ready_o = (32'(tx_count) < TxQueue);  // rule: 24
    if (!we_i && word_i == RegWait) ready_o = (regs_q.events != '0);  // rule: 29
  end

  assign slots_pop_o = write && word_i == RegPktPop;  // rule: 17
  assign error_o     = write && word_i == RegError;  // rule: 32
  assign exit_o      = write && word_i == RegExit;  // rule: 33

  always_comb begin : next_state
    regs_d = regs_q;
    if (enabled_i) regs_d.sig_valid = 1'b0;  // rule: 31
    if (run_i) begin
      regs_d.cycle = regs_q.cycle + 32'd1;  // rule: 34
      if (regs_q.counting)
        regs_d.counters[TimedCnt] = regs_q.counters[TimedCnt] + 32'd1;  // rule: 30
    end
    if (write) begin
      unique case (word_i) inside
        RegTxLo:             regs_d.tx_lo    = wdata_i;  // rule: 19
        RegTxDst:            regs_d.tx_dst   = wdata_i[16:0];  // rule: 19
        RegSigLo:            regs_d.sig_lo   = wdata_i;  // rule: 31
        RegSigHi: begin  // rule: 31
          regs_d.sig_valid = 1'b1;
          regs_d.sig       = {wdata_i, regs_q.sig_lo};
        end
        RegCnt8Run:          regs_d.counting = wdata_i[0];  // rule: 30
        [RegCnt:RegCnt+15]:  regs_d.counters[word_i[3:0]] = wdata_i;  // rule: 30
        default:             ;  // acts elsewhere
      endcase
    end
    // What is set in the cycle of the read stays set.
    if (read && word_i == RegWait) regs_d.events = '0;  // rule: 29
    regs_d.events = regs_d.events | {rx_ack, rx_push, slots_complete_i};  // rule: 29
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) regs_q <= '0;
    else         regs_q <= regs_d;
  end

  // -----------------------------------------------------------------------------------------------
  // Reads
  logic [31:0] value, rdata_q;
  always_comb begin : read_register
    unique case (word_i) inside
      RegId:                       value = Id;  // rule: 34
      RegConf:                     value = conf_i;  // rule: 34
      RegCycle:                    value = regs_q.cycle;  // rule: 34
      RegPktStat:                  value = {22'b0, slots_oldest_i, 4'b0, slots_valid_i};
      [RegPktMeta:RegPktMeta+3]:   value = slots_meta_i[2'(word_i - RegPktMeta)];  // rule: 16
      RegTxLo:                     value = regs_q.tx_lo;  // rule: 19
      RegTxDst:                    value = 32'(regs_q.tx_dst);  // rule: 19
      RegTxFree:                   value = 32'(TxQueue) - 32'(tx_count);  // rule: 22
      RegAckPend:                  value = 32'(ack_pend);  // rule: 26
      RegRxStat:                   value = 32'(rx_count);  // rule: 27
      RegRxLo:                     value = rx_head[31:0];  // rule: 27
      RegRxHi:                     value = rx_head[63:32];  // rule: 27
      RegWait:                     value = 32'(regs_q.events);  // rule: 29
      [RegCnt:RegCnt+15]:          value = regs_q.counters[word_i[3:0]];  // rule: 30
      RegCnt8Run:                  value = 32'(regs_q.counting);  // rule: 30
      default:                     value = '0;  // write only
    endcase
  end
  always_ff @(posedge clk_i) begin
    if (read) rdata_q <= value;
  end

  assign rdata_o     = rdata_q;
  assign sig_valid_o = enabled_i && regs_q.sig_valid;  // rule: 31
  assign sig_o       = regs_q.sig;  // rule: 31
  assign counters_o       = regs_q.counters;  // rule: 31

  `DUET_ASSERT(ActsWhenReady, !act_i || (run_i && ready_o), "register acts that cannot")
  `DUET_ASSERT(ActsLegally, !act_i || (we_i ? writable(word_i) : readable(word_i)),
               "access that the map has not")
endmodule
