/// The outer header, 4 DW (specification 3.5 and rule 5 of the README). Combinational.
module packetizer_header #(  // rule: 5
  parameter int unsigned Line = 128,
  parameter int unsigned Ecrc = 1,
  localparam int unsigned IdxW = $clog2(Line)
) (
  input  logic             en_i,  // the result is used in this cycle
  input  logic [1:0]       kind_i,
  input  logic [7:0]       id_i,
  input  logic [3:0]       aop_i,
  input  logic [63:0]      base_i,
  input  logic [12:0]      plen_i,
  input  logic [63-IdxW:0] line_i,
  input  logic [Line-1:0]  mask_i,
  input  logic [IdxW-1:0]  start_i,  // lowest enabled byte of the mask
  input  logic [IdxW:0]    len_i,    // bytes of its lowest run: the size of an atomic
  input  logic [3:0]       self_id_i,
  output logic [15:0][7:0] hdr_o
);
  import finepack_pkg::*;

  logic [2:0]  fmt;
  logic [4:0]  tlp_type;
  logic [2:0]  attr;  // byte 1[5:4],[2]; carries the operation of an atomic
  logic [9:0]  length;
  logic [3:0]  first_be, last_be;
  logic [63:0] addr;

  // First and last DW with an enabled byte. The lowest is where the run starts.
  localparam int unsigned Dws = Line / 4;
  localparam int unsigned DwW = $clog2(Dws);
  logic [DwW-1:0] dw_first, dw_last;
  assign dw_first = start_i[IdxW-1:2];
  always_comb begin
    dw_last = '0;
    if (en_i && kind_i == DrainRead) begin
      // Binary search for the highest DW: keep the upper half while it has an enabled byte.
      for (int unsigned b = DwW; b > 0; b--) begin
        if ((mask_i >> {dw_last | DwW'(1 << (b - 1)), 2'b00}) != '0) begin
          dw_last = dw_last | DwW'(1 << (b - 1));
        end
      end
    end
  end

  always_comb begin
    fmt      = FmtWithData;
    tlp_type = TypeFinePack;
    attr     = '0;
    length   = '0;
    first_be = '0;
    last_be  = '0;
    addr     = '0;
    hdr_o    = '0;
    if (en_i) begin
      unique case (kind_i)
        // Length counts DWs; Last BE tells how many bytes of the last one are payload.
        DrainPack: begin
          length = 10'((plen_i + 13'd3) >> 2);
          unique case (plen_i[1:0])
            2'd0:    last_be = 4'b1111;
            2'd1:    last_be = 4'b0001;
            2'd2:    last_be = 4'b0011;
            default: last_be = 4'b0111;
          endcase
          addr = base_i;
        end
        DrainRead: begin
          fmt      = FmtNoData;
          tlp_type = TypeMem;
          length   = 10'(dw_last) - 10'(dw_first) + 10'd1;
          first_be = 4'(mask_i >> {dw_first, 2'b00});
          last_be  = (dw_last == dw_first) ? 4'b0000 : 4'(mask_i >> {dw_last, 2'b00});
          addr     = {line_i, dw_first, 2'b00};
        end
        DrainAtomic: begin
          length = 10'(len_i) >> 2;
          addr   = {line_i, start_i};
          unique case (aop_i)
            AopSwap: tlp_type = TypeSwap;
            AopCas: begin
              tlp_type = TypeCas;
              length   = 10'(len_i) >> 1;
            end
            default: begin
              tlp_type = TypeFetchAdd;
              attr     = aop_i[2:0];
            end
          endcase
        end
        // A read of no byte.
        DrainMark: begin
          fmt      = FmtNoData;
          tlp_type = TypeMem;
          length   = 10'd1;
        end
        default: ;
      endcase
      hdr_o[0] = {fmt, tlp_type};
      hdr_o[1] = {2'b00, attr[2:1], 1'b0, attr[0], 2'b00};
      hdr_o[2] = {1'(Ecrc), 5'b00000, length[9:8]};
      hdr_o[3] = length[7:0];
      hdr_o[4] = 8'h00;
      hdr_o[5] = {self_id_i, 4'h0};
      hdr_o[6] = id_i;
      hdr_o[7] = {last_be, first_be};
      for (int unsigned k = 0; k < 8; k++) hdr_o[8+k] = addr[8*(7-k)+:8];
      hdr_o[15][1:0] = 2'b00;
    end
  end
endmodule
