/// Whether a request of an SM can be, and the bytes of its mask. Combinational.
module duet_l1_request  // rule: gtsc_l1 1
  import timestamp_pkg::*;
#(
  parameter int unsigned Warps = 48,
  parameter int unsigned Line  = 128,
  parameter type         req_t = logic  // a TIMESTAMP_CORE_REQ_T
) (
  input  req_t              req_i,
  output logic              legal_o,  // specification 12
  output logic [8*Line-1:0] bits_o,   // those of the mask
  output logic [8*Line-1:0] data_o    // bytes; 0 outside the mask
);
  // Elements of an atomic are changed as a whole.
  function automatic logic whole(logic [Line-1:0] mask, logic eight);
    whole = 1'b1;
    for (int unsigned b = 0; b < Line; b += 4) begin
      if (!(mask[b +: 4] inside {4'h0, 4'hf})) whole = 1'b0;
      if (eight && mask[b +: 4] != mask[(b | 4) +: 4]) whole = 1'b0;
    end
  endfunction

  assign legal_o = 32'(req_i.warp) < Warps && (req_i.op inside {OpLd, OpSt, OpAtom})
                   && (req_i.op != OpAtom
                       || (req_i.aop <= AopXchg && whole(req_i.mask, req_i.sz)));

  always_comb begin : mask_bits  // rule: gtsc_l1 6
    for (int unsigned b = 0; b < Line; b++) bits_o[8*b +: 8] = {8{req_i.mask[b]}};
  end
  assign data_o = req_i.data & bits_o;  // rule: gtsc_l1 6

  wire unused_req = ^{req_i.id, req_i.line};
endmodule
