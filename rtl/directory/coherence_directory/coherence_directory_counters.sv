`include "coherence_directory_types.svh"

/// Counts events since reset; an event of cycle t is visible in t+1.
module coherence_directory_counters  // rule: 12
  import coherence_directory_pkg::*;
#(
  parameter int unsigned Positions = 16,
  parameter int unsigned JobsWidth = 4,  // bits of a number of jobs
  localparam type counters_t = `DIRECTORY_CNT_T
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // request in S1
  input  logic                 exec_i,  // S1 holds a request without a fault
  input  logic [2:0]           op_i,
  input  logic                 hit_i,  // its line is tracked
  input  logic                 alloc_i,
  input  logic                 evict_i,  // it makes an EVICT job
  input  logic [Positions-1:0] lines_i,  // lines of that job
  // invalidation
  input  logic                 inv_i,  // a line is taken
  input  logic [1:0]           cause_i,
  input  logic [15:0]          dest_i,
  // state
  input  logic                 wait_i,  // req_ready_o is 0 after the sweep
  input  logic [JobsWidth-1:0] jobs_i,  // jobs held
  output counters_t                 counters_o,
  // EVICT jobs of hist_sel_i + 1 lines, a cycle later
  input  logic [5:0]           hist_sel_i,
  output logic [31:0]          hist_o
);
  localparam int unsigned HistW = (Positions > 1) ? $clog2(Positions) : 1;

  // Three groups: the largest depends on registers alone. Together they are counters_t.
  typedef struct packed {
    logic [3:0][31:0]     req;  // by op: LRD, RRD, LWR, RWR
    logic [3:0][31:0]     hit;
    logic [31:0]          alloc;
    logic [31:0]          evict;
  } requests_t;
  typedef struct packed {
    logic [1:0][31:0] lines;  // by cause: WRITE, EVICT
    logic [1:0][31:0] msgs;
  } invs_t;
  typedef struct packed {
    logic [31:0] wait_cycles;
    logic [31:0] jobs;
  } levels_t;
  requests_t requests_d, requests_q;
  invs_t     invs_d, invs_q;
  levels_t   levels_d, levels_q;

  logic [1:0] op;  // LRD, RRD, LWR or RWR
  always_comb begin : count_requests
    requests_d = requests_q;
    op = op_i[1:0];
    if (exec_i) begin
      // EVICT and FENCE have no counter.
      if (op_i <= OpRwr) begin
        requests_d.req[op] = requests_q.req[op] + 32'd1;
        if (hit_i) requests_d.hit[op] = requests_q.hit[op] + 32'd1;
      end
      if (alloc_i) requests_d.alloc = requests_q.alloc + 32'd1;
      if (evict_i) requests_d.evict = requests_q.evict + 32'd1;
    end
  end

  // The histogram: each EVICT job increments a bin, and each cycle reads one.
  logic [Positions-1:0][31:0] hist_q;
  logic [31:0]                hist_out_q;
  wire [HistW-1:0] bin = HistW'($countones(lines_i) - 1);  // lines of the EVICT job, less 1
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      hist_q     <= '0;
      hist_out_q <= '0;
    end else begin
      if (exec_i && evict_i) hist_q[bin] <= hist_q[bin] + 32'd1;
      hist_out_q <= (32'(hist_sel_i) < Positions) ? hist_q[HistW'(hist_sel_i)] : '0;
    end
  end
  assign hist_o = hist_out_q;

  logic cause;
  always_comb begin : count_invalidations
    invs_d = invs_q;
    cause  = (cause_i == CauseEvict);
    if (inv_i && cause_i != CauseFence) begin
      invs_d.lines[cause] = invs_q.lines[cause] + 32'd1;
      invs_d.msgs[cause]  = invs_q.msgs[cause] + 32'($countones(dest_i));
    end
  end

  always_comb begin : watch_levels
    levels_d = levels_q;
    if (wait_i) levels_d.wait_cycles = levels_q.wait_cycles + 32'd1;
    if (32'(jobs_i) > levels_q.jobs) levels_d.jobs = 32'(jobs_i);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      requests_q <= '0;
      invs_q     <= '0;
      levels_q   <= '0;
    end else begin
      requests_q <= requests_d;
      invs_q     <= invs_d;
      levels_q   <= levels_d;
    end
  end

  assign counters_o = '{
      req_lrd:          requests_q.req[OpLrd[1:0]],
      req_rrd:          requests_q.req[OpRrd[1:0]],
      req_lwr:          requests_q.req[OpLwr[1:0]],
      req_rwr:          requests_q.req[OpRwr[1:0]],
      hit_lrd:          requests_q.hit[OpLrd[1:0]],
      hit_rrd:          requests_q.hit[OpRrd[1:0]],
      hit_lwr:          requests_q.hit[OpLwr[1:0]],
      hit_rwr:          requests_q.hit[OpRwr[1:0]],
      alloc:            requests_q.alloc,
      evict:            requests_q.evict,
      inv_lines_write:  invs_q.lines[0],
      inv_lines_evict:  invs_q.lines[1],
      inv_msgs_write:   invs_q.msgs[0],
      inv_msgs_evict:   invs_q.msgs[1],
      ready_low_cycles: levels_q.wait_cycles,
      jobq_max:         levels_q.jobs
  };
endmodule
