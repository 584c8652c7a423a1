/// The four channels of an L1, of two places each, and which warps have requests inside.
module duet_l1_channels #(  // rule: gtsc_l1 Ports core_req_; gtsc_l1 Ports bus_req_
  parameter int unsigned Warps = 48,
  parameter int unsigned Most  = 4,        // requests that are inside at once
  parameter type core_req_t    = logic,    // a TIMESTAMP_CORE_REQ_T
  parameter type core_rsp_t    = logic,    // a TIMESTAMP_CORE_RSP_T
  parameter type bus_req_t     = logic,    // a TIMESTAMP_BUS_REQ_T
  parameter type bus_rsp_t     = logic     // a TIMESTAMP_BUS_RSP_T
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // core
  input  logic             core_req_valid_i,
  output logic             core_req_ready_o,
  input  core_req_t        core_req_i,
  output logic             core_rsp_valid_o,
  input  logic             core_rsp_ready_i,
  output core_rsp_t        core_rsp_o,
  // bus
  output logic             bus_req_valid_o,
  input  logic             bus_req_ready_i,
  output bus_req_t         bus_req_o,
  input  logic             bus_rsp_valid_i,
  output logic             bus_rsp_ready_o,
  input  bus_rsp_t         bus_rsp_i,
  output logic [Warps-1:0] warp_busy_o,
  // the oldest request, and the oldest answer of a bank
  output logic             req_valid_o,
  output core_req_t        req_o,
  input  logic             req_pop_i,
  output logic             rsp_valid_o,
  output bus_rsp_t         rsp_o,
  input  logic             rsp_pop_i,
  // an answer, and a request to a bank
  output logic             core_rsp_room_o,
  input  logic             core_rsp_push_i,
  input  core_rsp_t        core_rsp_data_i,
  output logic             bus_req_room_o,
  input  logic             bus_req_push_i,
  input  bus_req_t         bus_req_data_i
);
  logic [1:0] core_req_count, core_rsp_count, bus_req_count, bus_rsp_count;
  core_rsp_t  core_rsp_head;
  bus_req_t   bus_req_head;

  duet_fifo #(  // rule: gtsc_l1 Ports core_req_
    .T    (core_req_t),
    .Depth(2)
  ) u_core_req (
    .clk_i,
    .rst_ni,
    .push_i (core_req_valid_i && core_req_ready_o),
    .data_i (core_req_i),
    .pop_i  (req_pop_i),
    .head_o (req_o),
    .count_o(core_req_count)
  );
  assign core_req_ready_o = (core_req_count != 2'd2);  // rule: gtsc_l1 Ports core_req_
  assign req_valid_o      = (core_req_count != 2'd0);  // rule: gtsc_l1 Ports core_req_

  duet_fifo #(  // rule: gtsc_l1 Ports core_req_
    .T    (core_rsp_t),
    .Depth(2)
  ) u_core_rsp (
    .clk_i,
    .rst_ni,
    .push_i (core_rsp_push_i),
    .data_i (core_rsp_data_i),
    .pop_i  (core_rsp_valid_o && core_rsp_ready_i),
    .head_o (core_rsp_head),
    .count_o(core_rsp_count)
  );
  assign core_rsp_valid_o = (core_rsp_count != 2'd0);  // rule: gtsc_l1 Ports core_req_
  assign core_rsp_o       = core_rsp_valid_o ? core_rsp_head : '0;  // rule: gtsc_l1 12
  assign core_rsp_room_o  = (core_rsp_count != 2'd2);  // rule: gtsc_l1 Ports core_req_

  duet_fifo #(  // rule: gtsc_l1 Ports bus_req_
    .T    (bus_req_t),
    .Depth(2)
  ) u_bus_req (
    .clk_i,
    .rst_ni,
    .push_i (bus_req_push_i),
    .data_i (bus_req_data_i),
    .pop_i  (bus_req_valid_o && bus_req_ready_i),
    .head_o (bus_req_head),
    .count_o(bus_req_count)
  );
  assign bus_req_valid_o = (bus_req_count != 2'd0);  // rule: gtsc_l1 Ports bus_req_
  assign bus_req_o       = bus_req_valid_o ? bus_req_head : '0;  // rule: gtsc_l1 12
  assign bus_req_room_o  = (bus_req_count != 2'd2);  // rule: gtsc_l1 Ports bus_req_

  duet_fifo #(  // rule: gtsc_l1 Ports bus_req_
    .T    (bus_rsp_t),
    .Depth(2)
  ) u_bus_rsp (
    .clk_i,
    .rst_ni,
    .push_i (bus_rsp_valid_i && bus_rsp_ready_o),
    .data_i (bus_rsp_i),
    .pop_i  (rsp_pop_i),
    .head_o (rsp_o),
    .count_o(bus_rsp_count)
  );
  assign bus_rsp_ready_o = (bus_rsp_count != 2'd2);  // rule: gtsc_l1 Ports bus_req_
  assign rsp_valid_o     = (bus_rsp_count != 2'd0);  // rule: gtsc_l1 Ports bus_req_

  duet_inside #(  // rule: gtsc_l1 2
    .Warps(Warps),
    .Most (Most)
  ) u_inside (
    .clk_i,
    .rst_ni,
    .in_i      (core_req_valid_i && core_req_ready_o),
    .in_warp_i (core_req_i.warp),
    .out_i     (core_rsp_valid_o && core_rsp_ready_i),
    .out_warp_i(core_rsp_o.warp),
    .busy_o    (warp_busy_o)
  );
endmodule
