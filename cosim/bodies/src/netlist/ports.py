"""Signals and ports of a module."""

from pyosys import libyosys as ys


def public(name):
    return ys.IdString("\\" + name)


def bits(signal):
    """Name and number of each bit; None for a constant."""
    return [(str(bit.wire.name), bit.offset) if bit.is_wire() else None for bit in signal]


def outer_port(module, name, suffix):
    """Puts another port in the place of one, which is a wire with the suffix from now on. Returns
    both, the inner one first."""
    inner = module.wire(public(name))
    module.rename(inner, public(name + suffix))
    outer = module.addWire(public(name), inner.width)
    outer.port_input, outer.port_output = inner.port_input, inner.port_output
    outer.port_id = inner.port_id
    inner.port_input, inner.port_output, inner.port_id = False, False, 0
    module.fixup_ports()
    return ys.SigSpec(inner), ys.SigSpec(outer)


def mask_output(module, name, condition, suffix):
    """Has an output be 0 unless a bit is 1."""
    inner, outer = outer_port(module, name, suffix)
    zero = ys.SigSpec(ys.Const(0, inner.size()))
    module.addMux(public(f"mask_{name}{suffix}"), zero, inner, condition, outer)
