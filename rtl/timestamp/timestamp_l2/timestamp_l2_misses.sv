`include "duet_assert.svh"

/// MSHRs of an L2 bank, each with a queue of requests for its line (specification 4, 5.4).
module timestamp_l2_misses  // rule: Registers _misses
  import duet_pkg::*;
  import timestamp_pkg::*;
#(
  parameter type         req_t = logic,  // requests: a TIMESTAMP_BUS_REQ_T
  parameter int unsigned LineW = 25,
  parameter int unsigned Mshr  = 32,
  parameter int unsigned Wait  = 4,      // requests of each
  localparam int unsigned MshrW = (Mshr > 1) ? $clog2(Mshr) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  output logic             idle_o,            // no MSHR is allocated
  output logic [Mshr-1:0]  filled_o,          // MSHRs whose line is present
  output logic [Mshr-1:0]  writes_o,          // MSHRs whose oldest request is no read
  // a request: appended to the MSHR of its line, or the first of a new one
  input  req_t             req_i,
  output logic             match_o,           // its line has an MSHR,
  output logic             full_o,            // with a full queue
  input  logic             append_i,
  output logic             free_o,            // an MSHR is free
  output logic [MshrW-1:0] free_mshr_o,       // the lowest
  input  logic             allocate_i,        // takes it
  input  logic             allocate_filled_i, // its line is there already
  input  logic [3:0]       allocate_way_i,
  input  logic             allocate_keep_i,   // the line stays when the MSHR is freed
  // an answer of memory
  input  logic [LineW-1:0] fill_line_i,
  output logic             fill_match_o,      // an MSHR waits for it
  output logic [MshrW-1:0] fill_mshr_o,
  input  logic             fill_i,
  // the MSHR whose oldest request is served
  input  logic [MshrW-1:0] mshr_i,
  output logic [3:0]       way_o,
  output logic             keep_o,
  output req_t             oldest_o,
  output logic             last_o,            // this request is the only one
  input  logic             pop_i              // the last one frees the MSHR
);
  localparam int unsigned PtrW   = (Wait > 1) ? $clog2(Wait) : 1;
  localparam int unsigned CountW = $clog2(Wait + 1);
  localparam int unsigned AtW    = (Mshr * Wait > 1) ? $clog2(Mshr * Wait) : 1;

  logic [Mshr-1:0]   valid_d, valid_q, filled_d, filled_q;
  logic [LineW-1:0]  line_q [Mshr];
  logic [3:0]        way_q [Mshr];
  logic [Mshr-1:0]   keep_q;
  logic [PtrW-1:0]   head_q [Mshr];   // place of the oldest request
  logic [CountW-1:0] count_q [Mshr];  // requests
  logic [Wait-1:0]   write_q [Mshr];  // of each place: no read
  req_t              queue_q [Mshr*Wait];

  function automatic logic [PtrW-1:0] after(logic [PtrW-1:0] ptr, logic [CountW-1:0] by);
    int unsigned at;
    at = 32'(ptr) + 32'(by);
    return (at >= Wait) ? PtrW'(at - Wait) : PtrW'(at);
  endfunction
  function automatic logic [AtW-1:0] place(logic [MshrW-1:0] mshr, logic [PtrW-1:0] ptr);
    return AtW'(32'(mshr) * Wait + 32'(ptr));
  endfunction

  // -----------------------------------------------------------------------------------------------
  // What is looked up
  logic [Mshr-1:0]  same, waits;
  logic [MshrW-1:0] match, to;

  assign idle_o   = (valid_q == '0);
  assign filled_o = filled_q;
  always_comb begin : compare
    for (int unsigned m = 0; m < Mshr; m++) begin
      same[m]     = valid_q[m] && line_q[m] == req_i.line;
      waits[m]    = valid_q[m] && !filled_q[m] && line_q[m] == fill_line_i;
      writes_o[m] = valid_q[m] && write_q[m][head_q[m]];  // rule: 13
    end
  end
  assign match_o      = (same != '0);
  assign match        = MshrW'(lowest(64'(same)));
  assign full_o       = (32'(count_q[match]) == Wait);
  assign free_o       = (valid_q != '1);
  assign free_mshr_o  = MshrW'(lowest(64'(~valid_q)));
  assign fill_match_o = (waits != '0);  // rule: The action of a cycle fill
  assign fill_mshr_o  = fill_match_o ? MshrW'(lowest(64'(waits))) : '0;

  assign way_o    = way_q[mshr_i];
  assign keep_o   = keep_q[mshr_i];
  assign oldest_o = queue_q[place(mshr_i, head_q[mshr_i])];
  assign last_o   = (32'(count_q[mshr_i]) == 1);  // rule: The action of a cycle serve

  // -----------------------------------------------------------------------------------------------
  // Next state
  logic [PtrW-1:0] tail;
  assign to   = allocate_i ? free_mshr_o : match;
  assign tail = allocate_i ? '0 : after(head_q[match], count_q[match]);

  always_comb begin : next_state
    valid_d  = valid_q;
    filled_d = filled_q;
    if (allocate_i) begin
      valid_d[to]  = 1'b1;
      filled_d[to] = allocate_filled_i;
    end
    if (fill_i) filled_d[fill_mshr_o] = 1'b1;  // rule: The action of a cycle fill
    if (pop_i && last_o) begin  // rule: The action of a cycle serve
      valid_d[mshr_i]  = 1'b0;
      filled_d[mshr_i] = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q  <= '0;
      filled_q <= '0;
    end else begin
      valid_q  <= valid_d;
      filled_q <= filled_d;
    end
  end

  // valid_q covers these.
  always_ff @(posedge clk_i) begin
    if (allocate_i) begin
      line_q[to]  <= req_i.line;
      way_q[to]   <= allocate_way_i;
      keep_q[to]  <= allocate_keep_i;
      head_q[to]  <= '0;
      count_q[to] <= CountW'(1);
    end else if (append_i) begin
      count_q[to] <= count_q[to] + 1'b1;
    end else if (pop_i) begin
      head_q[mshr_i]  <= after(head_q[mshr_i], CountW'(1));
      count_q[mshr_i] <= count_q[mshr_i] - 1'b1;
    end
    if (allocate_i || append_i) begin
      queue_q[place(to, tail)] <= req_i;
      write_q[to][tail]        <= (req_i.op != BusRd);
    end
  end

  // Specification section 8.1.
  `DUET_ASSERT(OneOfLine, (same & (same - 1'b1)) == '0 && !(allocate_i && match_o),
               "line with two MSHRs")
  `DUET_ASSERT(OneAction, $onehot0({allocate_i, append_i, fill_i, pop_i}), "two actions at once")
  `DUET_ASSERT(Room, !append_i || (match_o && !full_o), "request without a place")
  `DUET_ASSERT(TakeFree, !allocate_i || free_o, "request without an MSHR")
  `DUET_ASSERT(FillMatches, !fill_i || fill_match_o, "fill without an MSHR")
  `DUET_ASSERT_OF_ARRAY(PopFilled, !pop_i || (filled_q[mshr_i] && count_q[mshr_i] != '0),
                        "request served that is not there")
endmodule
