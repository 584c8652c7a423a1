`include "finepack_types.svh"

/// The one entry that the packetizer holds, and the hand-over of its runs.
/// A drain beat accepted in cycle t is held from t+1; a new one is taken while the last run leaves.
module packetizer_entry #(  // rule: 1
  parameter int unsigned Line = 128,
  localparam type drain_t = `FINEPACK_DRAIN_T(Line)
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            drain_valid_i,
  output logic            drain_ready_o,
  input  drain_t          drain_i,
  input  logic            room_i,       // the accumulator takes a run
  input  logic            run_final_i,  // the lowest run is the last of the entry
  input  logic [Line-1:0] run_rest_i,   // mask without the lowest run
  output logic            append_o,     // the lowest run leaves
  output drain_t          ent_o,        // the beat as it was accepted
  output logic [Line-1:0] mask_o        // bytes of the runs that are left
);
  logic            held_q, held_d;
  drain_t          ent_q;
  logic [Line-1:0] mask_q, mask_d;

  logic accept;
  assign accept        = drain_valid_i && drain_ready_o;
  assign append_o      = held_q && room_i;  // rule: 2
  assign drain_ready_o = !held_q || (append_o && run_final_i);
  assign ent_o         = ent_q;
  assign mask_o        = mask_q;

  assign held_d = accept || (held_q && !(append_o && run_final_i));
  assign mask_d = accept ? drain_i.mask : run_rest_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_q <= 1'b0;
    else         held_q <= held_d;
  end

  // Not reset: held_q says whether they mean something.
  always_ff @(posedge clk_i) begin
    if (accept) ent_q <= drain_i;
    if (accept || append_o) mask_q <= mask_d;
  end
endmodule
