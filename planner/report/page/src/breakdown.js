// Where the time of every core and the energy of the run go.
import { COLOURS, chart } from './charts.js';
import { section } from './dom.js';
import { energy, escape, percent, words } from './format.js';
import { table } from './table.js';

function rows_of(summary) {
  const cores = summary.cores_time.map((core) => ({ name: `core ${core.core}`, shares: core.time_percent }));
  return [{ name: 'mean', shares: summary.mean_core_time_percent }, ...cores];
}

export function sum_of(shares) {
  return Object.values(shares).reduce((sum, share) => sum + share, 0);
}

// Compute in blue, waiting in warm colours, idle in grey.
const PHASE_COLOURS = { compute: COLOURS[0], wait_a: COLOURS[1], wait_b: COLOURS[7], wait_accumulator: COLOURS[5], wait_token: COLOURS[3], idle: '#C9CED6' };

function time_option(rows, phases) {
  return {
    grid: { left: 80, right: 32, top: 40, bottom: 48 },
    legend: { top: 0 },
    tooltip: {
      trigger: 'axis', axisPointer: { type: 'shadow' },
      formatter: (items) => [`<b>${escape(items[0].name)}</b>`, ...items.map((item) =>
        `${item.marker} ${item.seriesName}: ${percent(item.value)}`)].join('<br>'),
    },
    xAxis: { type: 'value', max: 100, name: "share of the run's time", nameLocation: 'middle', nameGap: 28, axisLabel: { formatter: '{value} %' } },
    yAxis: { type: 'category', inverse: true, data: rows.map((row) => row.name) },
    series: phases.map((phase) => ({ name: words(phase), type: 'bar', stack: 'time', itemStyle: { color: PHASE_COLOURS[phase] }, data: rows.map((row) => row.shares[phase]) })),
  };
}

export function time_breakdown(parent, name, summary) {
  const rows = rows_of(summary), phases = Object.keys(summary.mean_core_time_percent);
  section(parent, 'h3', 'Where the time goes',
    'What the matmul unit of every core does during the run: compute, wait for operands in buffer A or B, for room in the accumulate buffer or for a token of another unit; idle without a matmul. Each line adds up to 100 %.');
  chart(parent, `time-${name}`, time_option(rows, phases), 100 + 20 * rows.length);
  table(parent, `time-${name}`, [
    { title: 'core', value: (row) => row.name },
    ...phases.map((phase) => ({ title: words(phase), value: (row) => row.shares[phase], text: percent })),
    { title: 'sum', value: (row) => sum_of(row.shares), text: percent },
  ], rows);
}

export function energy_breakdown(parent, name, summary) {
  const parts = Object.entries(summary.energy.components_picojoules), total = summary.energy.total_picojoules;
  if (total === 0) {
    section(parent, 'h3', 'Where the energy goes', 'No figures: the hardware file has no prices (its key energy).');
    return;
  }
  section(parent, 'h3', 'Where the energy goes', `${energy(total)} in all: counted events times the hardware file's figures, and static power times time.`);
  chart(parent, `energy-${name}`, {
    grid: { left: 80, right: 150, top: 16, bottom: 40 },
    tooltip: { formatter: (item) => `<b>${escape(item.name)}</b><br>${energy(item.value)}, ${percent((100 * item.value) / total)}` },
    xAxis: { type: 'value', axisLabel: { formatter: energy }, splitNumber: 5 },
    yAxis: { type: 'category', inverse: true, data: parts.map(([part]) => part) },
    series: [{
      type: 'bar', data: parts.map(([, picojoules]) => picojoules),
      label: { show: true, position: 'right', formatter: (item) => `${energy(item.value)}, ${percent((100 * item.value) / total)}` },
    }],
  }, 320);
}
