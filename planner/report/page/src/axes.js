// What a study's chart can show along an axis: the figures of a point, and those of each workload on it.

const TITLES = {
  latency_us: 'latency (us)', energy_uj: 'energy (uJ)', edp_nj_s: 'energy x delay (nJ s)', area_mm2: 'area (mm²)', cost: 'cost',
  multiply_adds_per_cycle: 'multiply-adds per cycle', on_chip_kib: 'on-chip memory (KiB)', dram_peak_gb_per_s: 'DRAM peak (GB/s)',
};

export const title_of = (key) => TITLES[key] ?? key.replaceAll('_', ' ');

const FIGURES = [
  ['time', 'time (us)', (workload) => workload.time_ps / 1e6],
  ['energy', 'energy (uJ)', (workload) => workload.energy_pj / 1e6],
  ['utilisation', 'matmul utilisation (%)', (workload) => workload.utilisation_percent],
];

function workload_axes(name) {
  return FIGURES.map(([figure, title, value]) => ({
    key: `${name}.${figure}`, title: `${name}: ${title}`,
    value: (point) => {
      const found = point.workloads.find((workload) => workload.name === name);
      return found && value(found);
    },
  }));
}

// Figures of the points that say something: a chip whose file has no prices or areas has 0 everywhere.
export const figures_of = (points) => [...new Set(points.flatMap((point) => Object.keys(point.figures)))]
  .filter((key) => points.some((point) => point.figures[key]));

// Objectives first. A point that a round of a halving left out has no figures over all workloads.
export function axes_of(study, points) {
  const keys = [...new Set([...study.objectives, ...figures_of(points)])];
  const figures = keys.map((key) => ({ key, title: title_of(key), value: (point) => point.figures[key] }));
  const workloads = study.workloads.flatMap((workload) => workload_axes(workload.name));
  return [...figures, ...workloads.filter((axis) => points.some(axis.value))];
}
