`include "coherence_directory_types.svh"

/// Counts events since reset; an event of cycle t is visible in t+1.
module coherence_directory_counters
  import coherence_directory_pkg::*;
#(
  parameter int unsigned Pos   = 16,
  parameter int unsigned JobsW = 4,  // bits of a number of jobs
  localparam type cnt_t = `DIRECTORY_CNT_T(Pos)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // request in S1
  input  logic             exec_i,   // one without a fault
  input  logic [2:0]       op_i,
  input  logic             hit_i,    // its line is tracked
  input  logic             alloc_i,
  input  logic             evict_i,  // it makes an EVICT job
  input  logic [Pos-1:0]   lines_i,  // of these lines
  // invalidation
  input  logic             inv_i,    // a line is taken
  input  logic [1:0]       cause_i,
  input  logic [15:0]      dest_i,
  // state
  input  logic             wait_i,   // no request can be taken, after the sweep
  input  logic [JobsW-1:0] jobs_i,   // jobs held
  output cnt_t             cnt_o
);
  localparam int unsigned HistW = (Pos > 1) ? $clog2(Pos) : 1;

  cnt_t cnt_d, cnt_q;
  logic [HistW-1:0] bin;  // lines of the EVICT job, less 1
  always_comb begin : count
    cnt_d = cnt_q;
    bin   = '0;
    if (exec_i) begin
      unique case (op_i)
        OpLrd: begin
          cnt_d.req_lrd = cnt_q.req_lrd + 32'd1;
          if (hit_i) cnt_d.hit_lrd = cnt_q.hit_lrd + 32'd1;
        end
        OpRrd: begin
          cnt_d.req_rrd = cnt_q.req_rrd + 32'd1;
          if (hit_i) cnt_d.hit_rrd = cnt_q.hit_rrd + 32'd1;
        end
        OpLwr: begin
          cnt_d.req_lwr = cnt_q.req_lwr + 32'd1;
          if (hit_i) cnt_d.hit_lwr = cnt_q.hit_lwr + 32'd1;
        end
        OpRwr: begin
          cnt_d.req_rwr = cnt_q.req_rwr + 32'd1;
          if (hit_i) cnt_d.hit_rwr = cnt_q.hit_rwr + 32'd1;
        end
        default: ;  // EVICT and FENCE have no counter
      endcase
      if (alloc_i) cnt_d.alloc = cnt_q.alloc + 32'd1;
      if (evict_i) begin
        cnt_d.evict = cnt_q.evict + 32'd1;
        bin = HistW'($countones(lines_i) - 1);
        cnt_d.evict_lines_hist[bin] = cnt_q.evict_lines_hist[bin] + 32'd1;
      end
    end
    if (inv_i && cause_i == CauseWrite) begin
      cnt_d.inv_lines_write = cnt_q.inv_lines_write + 32'd1;
      cnt_d.inv_msgs_write  = cnt_q.inv_msgs_write + 32'($countones(dest_i));
    end
    if (inv_i && cause_i == CauseEvict) begin
      cnt_d.inv_lines_evict = cnt_q.inv_lines_evict + 32'd1;
      cnt_d.inv_msgs_evict  = cnt_q.inv_msgs_evict + 32'($countones(dest_i));
    end
    if (wait_i) cnt_d.ready_low_cycles = cnt_q.ready_low_cycles + 32'd1;
    if (32'(jobs_i) > cnt_q.jobq_max) cnt_d.jobq_max = 32'(jobs_i);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cnt_q <= '0;
    else         cnt_q <= cnt_d;
  end

  assign cnt_o = cnt_q;
endmodule
