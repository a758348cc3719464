"""Four chips measured on one workload; the one with the least energy times delay."""

import tilewright as tw

study = {
    "name": "rows_and_buffers",
    "hardware": "edge_single",
    "parameters": [
        {"keys": ["core.matmul.rows", "core.matmul.columns"], "values": [8, 16]},
        {"keys": ["core.buffer_a_kib", "core.buffer_b_kib"], "values": [64, 256]},
    ],
    "workloads": ["tiny_attention"],
    "objectives": ["latency", "energy"],
}


def energy_delay(point):
    measured = point["workloads"][0]
    return measured["cycles"] * measured["energy_pj"]


found = tw.explore(study, objective=energy_delay)
print(found.to_pandas().filter(regex="point|core|cycles|objective").to_string(index=False))
print("best:", found.hardware(found.best))
