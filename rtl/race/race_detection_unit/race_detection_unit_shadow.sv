`include "duet_assert.svh"

/// Simulation only: a signature never denies what was inserted, and each SM's requests reach stage
/// C in the order in which they were sent (specification 8). Of each SM the written granules of the
/// last line in each of 32 places are known exactly, and the ids of the requests in the queue.
module race_detection_unit_shadow #(
  parameter int unsigned NSm      = 16,
  parameter int unsigned Granules = 1,
  localparam int unsigned SmW = $clog2(NSm)
) (
  input logic                clk_i,
  input logic                rst_ni,
  // requests, as they are taken
  input logic [NSm-1:0]      accept_i,
  input logic [NSm-1:0][7:0] accept_id_i,
  // a step of stage C
  input logic                step_i,
  input logic                last_i,
  input logic                check_i,
  input logic [SmW-1:0]      sm_i,
  input logic [7:0]          id_i,
  input logic [24:0]         line_i,      // or the granule that holds it
  input logic [Granules-1:0] granules_i,
  input logic                hit_i,
  input logic [NSm-1:0]      snapshot_i
);
`ifdef DUET_SIMULATION
  localparam int unsigned Places = 32;
  localparam int unsigned Ids    = 128;  // more than a queue, B and C hold

  logic [Places-1:0]   known_q [NSm];
  logic [24:0]         line_q [NSm*Places];
  logic [Granules-1:0] granules_q [NSm*Places];
  logic [7:0]          id_q [NSm*Ids];
  logic [6:0]          accepted_q [NSm];
  logic [6:0]          done_q [NSm];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      known_q    <= '{default: '0};
      accepted_q <= '{default: '0};
      done_q     <= '{default: '0};
    end else begin
      for (int unsigned s = 0; s < NSm; s++) begin
        if (accept_i[s]) accepted_q[s] <= accepted_q[s] + 7'd1;
        if (step_i && !check_i && s != 32'(sm_i) && granules_i != '0) begin
          known_q[s][line_i[4:0]] <= 1'b1;
        end
        if (snapshot_i[s]) known_q[s] <= '0;
      end
      if (step_i && last_i) done_q[sm_i] <= done_q[sm_i] + 7'd1;
    end
  end

  // known_q, accepted_q and done_q cover these.
  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < NSm; s++) begin
      if (accept_i[s]) id_q[s * Ids + 32'(accepted_q[s])] <= accept_id_i[s];
      if (step_i && !check_i && s != 32'(sm_i) && granules_i != '0) begin
        line_q[s * Places + 32'(line_i[4:0])] <= line_i;
        granules_q[s * Places + 32'(line_i[4:0])] <=
            (known_q[s][line_i[4:0]] && line_q[s * Places + 32'(line_i[4:0])] == line_i)
            ? granules_q[s * Places + 32'(line_i[4:0])] | granules_i : granules_i;
      end
    end
  end

  logic                          written;
  logic [$clog2(NSm*Places)-1:0] at;
  always_comb begin : look
    written = 1'b0;
    at      = '0;
    if (step_i && check_i) begin
      at      = $bits(at)'(32'(sm_i) * Places + 32'(line_i[4:0]));
      written = known_q[sm_i][line_i[4:0]] && line_q[at] == line_i
                && (granules_q[at] & granules_i) != '0;
    end
  end

  `DUET_ASSERT(NoFalseNegative, !written || hit_i, "signature denies what was inserted")
  `DUET_ASSERT_OF_ARRAY(SmOrder,
                        !step_i || id_i == id_q[32'(sm_i) * Ids + 32'(done_q[sm_i])],
                        "requests of an SM out of order")
`endif
endmodule
