/// A walk: the loads that wait for a line have their turn, one in a cycle, the first in the cycle
/// in which it starts (specification 5.1).
module duet_l1_walk #(  // rule: gtsc_l1 5
  parameter int unsigned Waiters = 8,     // that wait for a line, at most
  parameter type         by_t    = logic, // what it goes by
  localparam int unsigned CountW = $clog2(Waiters + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              start_i,
  input  logic [5:0]        m_i,      // with this M,
  input  logic [CountW-1:0] count_i,  // which so many wait for,
  input  by_t               by_i,     // by this
  input  logic              go_on_i,
  output logic              on_o,
  output logic [5:0]        m_o,
  output by_t               by_o,
  output logic              step_o,   // a load has its turn
  output logic              last_o    // the last one
);
  logic [CountW-1:0] left_d, left_q;  // loads that it has still to come to
  logic [5:0]        walk_m_q;
  by_t               walk_q;
  logic [CountW-1:0] left;

  assign on_o   = (left_q != '0);
  assign m_o    = walk_m_q;
  assign by_o   = walk_q;
  assign step_o = start_i || go_on_i;
  assign left   = go_on_i ? left_q : count_i;
  assign last_o = step_o && left == CountW'(1);
  assign left_d = step_o ? left - CountW'(1) : left_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= '0;
    else         left_q <= left_d;
  end

  // left_q covers these.
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      walk_q   <= by_i;
      walk_m_q <= m_i;
    end
  end
endmodule
