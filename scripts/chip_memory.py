"""Hardware files of the shipped chips with less memory, for scripts whose networks are not to fit."""

import re


def with_memory(text, mib):
    """The hardware file with so many MiB, a power of two, for each channel of DRAM."""
    text = re.sub(r"^ *channel_capacity_mib: .*\n", "", text, flags=re.M)
    text, changed = re.subn(r"^dram:\n", f"dram:\n  channel_capacity_mib: {mib}\n", text, flags=re.M)
    assert changed == 1, "a chip without DRAM"
    return text
