/// Which way of its set a line takes, if any: rows R1 to R6 of specification 5.3. Combinational.
module sharing_l1_policy_decide #(  // rule: Cycle rules
  parameter int unsigned Ways = 4,
  parameter bit          Mgt  = 1'b1,         // else the least recently used line goes
  parameter bit          Dead = 1'b1
) (
  input  logic            sf_i,               // the line is shared
  // the set
  input  logic [Ways-1:0] valid_i,
  input  logic [Ways-1:0] private_i,
  input  logic [Ways-1:0] dead_i,
  input  logic [Ways-1:0] oldest_i,           // one
  input  logic [Ways-1:0] oldest_shared_i,    // one, or none
  output logic            install_o,
  output logic [Ways-1:0] way_o,              // one; none where nothing is installed
  output logic            evict_o,            // it holds a line
  output logic            evict_private_o,
  output logic            evict_dead_o,
  output logic            declare_o           // the oldest way is thought to be dead from now on
);
  logic [Ways-1:0] invalid;
  logic            oldest_private, oldest_dead;
  assign invalid        = ~valid_i & (valid_i + 1'b1);  // the lowest
  assign oldest_private = ((oldest_i & private_i) != '0);
  assign oldest_dead    = Dead && ((oldest_i & dead_i) != '0);  // rule: 6

  always_comb begin : rows
    install_o    = 1'b1;
    way_o        = oldest_i;
    evict_o      = 1'b1;
    evict_dead_o = 1'b0;
    declare_o    = 1'b0;
    if (invalid != '0) begin                          // R1; rule: 4
      way_o   = invalid;
      evict_o = 1'b0;
    end else if (Mgt && oldest_private) begin         // not R2; rule: 5
      if (oldest_dead) begin                          // R3; rule: 6
        evict_dead_o = 1'b1;
      end else if (oldest_shared_i != '0) begin       // R4; rule: 6
        way_o     = oldest_shared_i;
        declare_o = Dead;
      end else if (sf_i) begin                        // R6, else R5; rule: 8
        install_o = 1'b0;
        way_o     = '0;
        evict_o   = 1'b0;
      end
    end
  end

  assign evict_private_o = evict_o && (way_o & private_i) != '0;  // rule: 4
endmodule
