/// What becomes of an answer of a bank, and where a line goes that has come (specification 5.3,
/// 5.8, 12). Combinational.
module tc_l1_answers  // rule: 6
  import timestamp_pkg::*;
#(
  parameter int unsigned Ways = 4,
  localparam int unsigned WayW = (Ways > 1) ? $clog2(Ways) : 1
) (
  input  logic            valid_i,
  input  logic [1:0]      op_i,
  input  logic [7:0]      id_i,
  input  logic            over_i,        // the lease that it brings is over
  input  logic            store_there_i, // a store has its entry
  // its M, and the line of it
  input  logic            sent_i,
  input  logic            st_after_i,
  input  logic            present_i,
  input  logic [WayW-1:0] way_i,
  input  logic [WayW-1:0] victim_i,
  // the policy
  input  logic            policy_i,
  input  logic            picked_i,
  input  logic            keep_i,
  input  logic [WayW-1:0] pick_way_i,
  output logic            acks_o,        // to a store, whether there is one or not
  output logic            ack_o,
  output logic            fill_o,
  output logic            bad_o,
  output logic            late_o,        // a fill whose lease is over
  output logic            ask_o,         // the policy, first
  output logic            install_o,
  output logic [WayW-1:0] install_way_o
);
  assign acks_o = (op_i == RspWrAck || op_i == RspAtomAck);  // rule: gtsc_l1 3

  always_comb begin : kind  // rule: gtsc_l1 3
    fill_o = 1'b0;
    ack_o  = 1'b0;
    bad_o  = 1'b0;
    if (valid_i) begin
      if (!id_i[6] && id_i[7] == acks_o) begin
        ack_o  = acks_o && store_there_i;
        fill_o = op_i == RspFill && sent_i;  // rule: 2
      end
      bad_o = !(fill_o || ack_o);
    end
  end
  wire unused_id = ^id_i[5:0];

  logic kept;  // a fill that may be installed
  assign late_o = fill_o && over_i;
  assign kept   = fill_o && !st_after_i && !late_o;
  assign ask_o  = kept && !present_i && policy_i && !picked_i;

  always_comb begin : place  // rule: gtsc_l1 7
    install_o     = kept && !ask_o;
    install_way_o = victim_i;
    if (present_i) begin
      install_way_o = way_i;
    end else if (policy_i) begin  // rule: gtsc_l1 10
      install_way_o = pick_way_i;
      if (!keep_i) install_o = 1'b0;
    end
  end
endmodule
