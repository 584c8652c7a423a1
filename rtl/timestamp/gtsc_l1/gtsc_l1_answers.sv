/// What becomes of an answer of a bank, and where a line goes that has come (specification 5.3,
/// 12). Combinational.
module gtsc_l1_answers  // rule: 3
  import timestamp_pkg::*;
#(
  parameter int unsigned Ways = 4,
  localparam int unsigned WayW = (Ways > 1) ? $clog2(Ways) : 1
) (
  input  logic            valid_i,
  input  logic [1:0]      op_i,
  input  logic [7:0]      id_i,
  input  logic            store_there_i, // a store has its entry
  // its M, and the line of it
  input  logic            sent_i,
  input  logic            stale_i,
  input  logic            st_after_i,
  input  logic            present_i,
  input  logic            locked_i,
  input  logic [WayW-1:0] way_i,
  input  logic [Ways-1:0] may_go_i,
  input  logic [WayW-1:0] victim_i,
  // the policy
  input  logic            policy_i,
  input  logic            picked_i,
  input  logic            keep_i,
  input  logic [WayW-1:0] pick_way_i,
  output logic            acks_o,        // to a store, whether there is one or not
  output logic            ack_o,
  output logic            fill_o,
  output logic            renewal_o,
  output logic            bad_o,
  output logic            again_o,       // a renewal of what is no more: it is asked for anew
  output logic            ask_o,         // the policy, first
  output logic            install_o,
  output logic [WayW-1:0] install_way_o
);
  assign acks_o = (op_i == RspWrAck || op_i == RspAtomAck);

  always_comb begin : kind
    fill_o    = 1'b0;
    renewal_o = 1'b0;
    ack_o     = 1'b0;
    bad_o     = 1'b0;
    if (valid_i) begin
      if (!id_i[6] && id_i[7] == acks_o) begin
        ack_o     = acks_o && store_there_i;
        fill_o    = op_i == RspFill && sent_i;
        renewal_o = op_i == RspRnw && sent_i;
      end
      bad_o = !(fill_o || renewal_o || ack_o);
    end
  end
  wire unused_id = ^id_i[5:0];

  logic kept;  // a fill that may be installed
  assign again_o = renewal_o && (stale_i || st_after_i || !present_i || locked_i);
  assign kept    = fill_o && !stale_i && !st_after_i && !locked_i;  // rule: States absent fill
  assign ask_o   = kept && !present_i && policy_i && may_go_i != '0 && !picked_i;  // rule: 10

  always_comb begin : place  // rule: 7
    install_o     = kept && !ask_o;
    install_way_o = victim_i;
    if (present_i) begin
      install_way_o = way_i;
    end else begin
      if (may_go_i == '0) install_o = 1'b0;  // rule: 10
      if (policy_i) begin  // rule: 10
        install_way_o = pick_way_i;
        if (!keep_i) install_o = 1'b0;
      end
    end
  end
endmodule
