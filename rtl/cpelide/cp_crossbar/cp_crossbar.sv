`include "duet_assert.svh"

/// Carries messages between the global command processor and the local ones, one per chiplet
/// (CPElide, MICRO'24, section III-C, figure 7). All outputs are registered. A unicast accepted in
/// t is on `down` in t + UnicastLatency, a broadcast in t + BroadcastLatency at all chiplets; what
/// a chiplet sends in t is on `rx` in t + UnicastLatency.
module cp_crossbar  // rule: Cycle rules
  import cpelide_pkg::*;
#(
  parameter int unsigned Chiplets         = 4,   // 2..16
  parameter int unsigned UnicastLatency   = 65,  // cycles of a unicast, and of the way back, 1..255
  parameter int unsigned BroadcastLatency = 100  // cycles of a broadcast, 1..255
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  // tx, rx: from and to the global command processor
  input  logic                      tx_valid_i,
  output logic                      tx_ready_o,
  input  tx_t                       tx_i,
  output logic                      rx_valid_o,
  input  logic                      rx_ready_i,
  output msg_t                      rx_o,
  // down, up: bit and element c to and from chiplet c; elements are msg_t
  output logic [Chiplets-1:0]       down_valid_o,
  input  logic [Chiplets-1:0]       down_ready_i,
  output logic [Chiplets-1:0][63:0] down_o,
  input  logic [Chiplets-1:0]       up_valid_i,
  output logic [Chiplets-1:0]       up_ready_o,
  input  logic [Chiplets-1:0][63:0] up_i,
  // err: pulse
  output logic                      err_valid_o,
  output logic [7:0]                err_code_o
);
  localparam int unsigned DownPlaces =  // rule: 4
      ((UnicastLatency > BroadcastLatency) ? UnicastLatency : BroadcastLatency) + 1;
  localparam int unsigned UpPlaces   = UnicastLatency + 1;  // rule: 9

  logic [9:0] now_d, now_q;  // cycles since reset, modulo 1024
  assign now_d = now_q + 10'd1;  // rule: Registers top
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) now_q <= '0;
    else         now_q <= now_d;
  end
  wire [9:0] due_uni = now_q + 10'(UnicastLatency);  // rule: 5

  // -----------------------------------------------------------------------------------------------
  // Down
  logic [Chiplets-1:0] down_full, down_push;
  logic                bcast, nack_full, nack_push;
  msg_t                msg, nack;

  cp_crossbar_inject #(  // rule: 3
    .Chiplets(Chiplets)
  ) u_inject (
    .clk_i,
    .rst_ni,
    .tx_valid_i,
    .tx_ready_o,
    .tx_i,
    .full_i     (down_full),
    .nack_full_i(nack_full),
    .push_o     (down_push),
    .bcast_o    (bcast),
    .msg_o      (msg),
    .nack_push_o(nack_push),
    .nack_o     (nack),
    .err_valid_o
  );
  assign err_code_o = ErrProtocol;  // rule: 12

  wire [9:0] due_down = now_q + (bcast ? 10'(BroadcastLatency) : 10'(UnicastLatency));  // rule: 5
  for (genvar c = 0; c < Chiplets; c++) begin : gen_down
    msg_t sent, shown;
    always_comb begin : readdress  // rule: 5
      sent         = msg;
      sent.chiplet = 4'(c);
    end
    cp_crossbar_link #(  // rule: 7
      .Places(DownPlaces)
    ) u_link (
      .clk_i,
      .rst_ni,
      .now_i  (now_q),
      .push_i (down_push[c]),
      .due_i  (due_down),
      .msg_i  (sent),
      .full_o (down_full[c]),
      .valid_o(down_valid_o[c]),
      .ready_i(down_ready_i[c]),
      .msg_o  (shown)
    );
    assign down_o[c] = down_valid_o[c] ? shown : '0;  // rule: 7
    `DUET_ASSERT(Addressed, !down_valid_o[c] || shown.chiplet == 4'(c),
                 "message on another chiplet's link")
  end

  // -----------------------------------------------------------------------------------------------
  // Up: the links of the chiplets, then that of the NACKs
  logic [Chiplets:0]       up_full, up_due, up_take;
  logic [Chiplets:0][63:0] up_msg;

  for (genvar c = 0; c < Chiplets; c++) begin : gen_up
    msg_t sent;
    always_comb begin : readdress  // rule: 9
      sent         = up_i[c];
      sent.chiplet = 4'(c);
    end
    cp_crossbar_link #(  // rule: 9
      .Places(UpPlaces)
    ) u_link (
      .clk_i,
      .rst_ni,
      .now_i  (now_q),
      .push_i (up_valid_i[c] && up_ready_o[c]),
      .due_i  (due_uni),
      .msg_i  (sent),
      .full_o (up_full[c]),
      .valid_o(up_due[c]),
      .ready_i(up_take[c]),
      .msg_o  (up_msg[c])
    );
  end
  assign up_ready_o = ~up_full[Chiplets-1:0];  // rule: 9

  cp_crossbar_link #(  // rule: 6
    .Places(UpPlaces)
  ) u_nack_link (
    .clk_i,
    .rst_ni,
    .now_i  (now_q),
    .push_i (nack_push),
    .due_i  (due_uni),
    .msg_i  (nack),
    .full_o (up_full[Chiplets]),
    .valid_o(up_due[Chiplets]),
    .ready_i(up_take[Chiplets]),
    .msg_o  (up_msg[Chiplets])
  );
  assign nack_full = up_full[Chiplets];  // rule: 6

  cp_crossbar_collect #(  // rule: 10
    .Sources(Chiplets + 1)
  ) u_collect (
    .clk_i,
    .rst_ni,
    .valid_i(up_due),
    .ready_o(up_take),
    .msg_i  (up_msg),
    .rx_valid_o,
    .rx_ready_i,
    .rx_o
  );

  `DUET_ASSERT_PARAM(ChipletsLegal, Chiplets >= 2 && Chiplets <= 16, "Chiplets must be 2..16")
  `DUET_ASSERT_PARAM(UnicastLatencyLegal, UnicastLatency >= 1 && UnicastLatency <= 255,
                     "UnicastLatency must be 1..255")
  `DUET_ASSERT_PARAM(BroadcastLatencyLegal, BroadcastLatency >= 1 && BroadcastLatency <= 255,
                     "BroadcastLatency must be 1..255")
endmodule
