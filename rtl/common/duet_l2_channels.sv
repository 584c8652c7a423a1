/// The four channels of an L2 bank: two requests and two lines are held, eight answers, which are
/// seen from the third cycle on, and four requests to memory, of which a cycle may make two.
module duet_l2_channels #(  // rule: gtsc_l2 Ports bus_req_; gtsc_l2 Ports dram_req_
  parameter type req_t     = logic,  // a TIMESTAMP_BUS_REQ_T
  parameter type rsp_t     = logic,  // a TIMESTAMP_BUS_RSP_T
  parameter type mem_req_t = logic,  // a TIMESTAMP_DRAM_REQ_T
  parameter type mem_rsp_t = logic   // a TIMESTAMP_DRAM_RSP_T
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  // bus
  input  logic       bus_req_valid_i,
  input  req_t       bus_req_i,
  output logic       bus_req_ready_o,
  output logic       bus_rsp_valid_o,
  output rsp_t       bus_rsp_o,
  input  logic       bus_rsp_ready_i,
  // dram
  output logic       dram_req_valid_o,
  output mem_req_t   dram_req_o,
  input  logic       dram_req_ready_i,
  input  logic       dram_rsp_valid_i,
  input  mem_rsp_t   dram_rsp_i,
  output logic       dram_rsp_ready_o,
  // the oldest request, and the oldest line
  output logic       req_valid_o,
  output req_t       req_o,
  input  logic       req_pop_i,
  output logic       fill_valid_o,
  output mem_rsp_t   fill_o,
  input  logic       fill_pop_i,
  // an answer
  output logic       rsp_room_o,
  input  logic       rsp_push_i,
  input  rsp_t       rsp_i,
  // requests to memory: the write goes first
  output logic [2:0] mem_room_o,  // so many
  input  logic       write_i,
  input  mem_req_t   write_req_i,
  input  logic       read_i,
  input  mem_req_t   read_req_i
);
  logic [1:0] req_count, fill_count;

  duet_fifo #(
    .T    (req_t),
    .Depth(2)
  ) u_requests (
    .clk_i,
    .rst_ni,
    .push_i (bus_req_valid_i && bus_req_ready_o),
    .data_i (bus_req_i),
    .pop_i  (req_pop_i),
    .head_o (req_o),
    .count_o(req_count)
  );
  assign bus_req_ready_o = (32'(req_count) < 2);
  assign req_valid_o     = (req_count != '0);

  duet_fifo #(
    .T    (mem_rsp_t),
    .Depth(2)
  ) u_fills (
    .clk_i,
    .rst_ni,
    .push_i (dram_rsp_valid_i && dram_rsp_ready_o),
    .data_i (dram_rsp_i),
    .pop_i  (fill_pop_i),
    .head_o (fill_o),
    .count_o(fill_count)
  );
  assign dram_rsp_ready_o = (32'(fill_count) < 2);
  assign fill_valid_o     = (fill_count != '0);

  duet_delay_fifo #(
    .T    (rsp_t),
    .Depth(8)
  ) u_answers (
    .clk_i,
    .rst_ni,
    .room_o (rsp_room_o),
    .push_i (rsp_push_i),
    .data_i (rsp_i),
    .valid_o(bus_rsp_valid_o),
    .ready_i(bus_rsp_ready_i),
    .data_o (bus_rsp_o)
  );

  duet_pair_fifo #(
    .T    (mem_req_t),
    .Depth(4)
  ) u_memory (
    .clk_i,
    .rst_ni,
    .room_o       (mem_room_o),
    .push_i       (write_i || read_i),
    .data_i       (write_i ? write_req_i : read_req_i),
    .second_i     (write_i && read_i),
    .second_data_i(read_req_i),
    .valid_o      (dram_req_valid_o),
    .ready_i      (dram_req_ready_i),
    .data_o       (dram_req_o)
  );
endmodule
