/// Fences that can complete: of warps without unanswered requests, and under TC-Weak only after the
/// lease ends in the acknowledgements of the warp's stores (specification 5.8).
module timestamp_l1_fences #(  // rule: 22
  parameter int unsigned Warps = 4,
  parameter bit          Weak  = 1'b0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Warps-1:0] busy_i,  // warps that have unanswered requests
  input  logic [31:0]      now_i,
  input  logic             ack_i,   // a store of warp_i is acknowledged
  input  logic [5:0]       warp_i,
  input  logic [31:0]      end_i,   // its fences wait until this cycle
  output logic [Warps-1:0] ok_o
);
  if (Weak) begin : gen_weak
    localparam int unsigned WarpW = (Warps > 1) ? $clog2(Warps) : 1;

    logic [31:0]      gwct_q [Warps];  // the thesis's GWCT: latest end_i
    logic [WarpW-1:0] warp;

    // An acknowledgement belongs to a warp that exists.
    assign warp = ack_i ? WarpW'(warp_i) : '0;
    wire unused_warp = ^{1'b0, warp_i};

    always_comb begin : compare
      for (int unsigned w = 0; w < Warps; w++) ok_o[w] = !busy_i[w] && now_i >= gwct_q[w];
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) gwct_q <= '{default: '0};
      else if (ack_i && end_i > gwct_q[warp]) gwct_q[warp] <= end_i;
    end
  end else begin : gen_strong
    wire unused_weak = ^{clk_i, rst_ni, now_i, ack_i, warp_i, end_i};
    assign ok_o = ~busy_i;
  end
endmodule
