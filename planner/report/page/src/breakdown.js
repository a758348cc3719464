// Where the time of every core and the energy of the run go.
import { COLOURS, chart } from './charts.js';
import { section } from './dom.js';
import { energy, escape, percent, words } from './format.js';
import { table } from './table.js';

const MOST_ROWS = 64;

function mean_of(cores) {
  const causes = Object.keys(cores[0].cause_percent);
  return Object.fromEntries(causes.map((cause) =>
    [cause, cores.reduce((sum, core) => sum + core.cause_percent[cause], 0) / cores.length]));
}

// A row for each core or, on a chip of many, the mean of neighbouring ones, as in the report's text.
function rows_of(summary) {
  const cores = summary.cores_time, each = Math.ceil(cores.length / MOST_ROWS);
  const rows = [{ name: 'mean', shares: summary.mean_core_cause_percent }];
  for (let first = 0; first < cores.length; first += each) {
    const some = cores.slice(first, first + each);
    const name = some.length === 1 ? `core ${some[0].core}` : `cores ${some[0].core}-${some.at(-1).core}`;
    rows.push({ name, shares: mean_of(some) });
  }
  return rows;
}

export function sum_of(shares) {
  return Object.values(shares).reduce((sum, share) => sum + share, 0);
}

// Compute in blue, memory in warm colours, other units in cool ones, what nobody works on in grey.
const CAUSE_COLOURS = {
  compute: COLOURS[0], dram_bandwidth: COLOURS[1], dram_latency: '#F2B880', bank_conflict: COLOURS[7], network: COLOURS[5],
  cluster_memory: COLOURS[6], dma: '#B9A7D9', vector: COLOURS[2], serial: COLOURS[3], other_core: COLOURS[4],
  dispatch: '#7A8794', posted_writes: '#E8D5C4', idle: '#C9CED6',
};

function time_option(rows, causes) {
  return {
    grid: { left: 110, right: 32, top: 40, bottom: 48 },
    legend: { top: 0 },
    tooltip: {
      trigger: 'axis', axisPointer: { type: 'shadow' },
      formatter: (items) => [`<b>${escape(items[0].name)}</b>`, ...items.map((item) =>
        `${item.marker} ${item.seriesName}: ${percent(item.value)}`)].join('<br>'),
    },
    xAxis: { type: 'value', max: 100, name: "share of the run's time", nameLocation: 'middle', nameGap: 28, axisLabel: { formatter: '{value} %' } },
    yAxis: { type: 'category', inverse: true, data: rows.map((row) => row.name) },
    series: causes.map((cause) => ({ name: words(cause), type: 'bar', stack: 'time', itemStyle: { color: CAUSE_COLOURS[cause] }, data: rows.map((row) => row.shares[cause]) })),
  };
}

export function time_breakdown(parent, name, summary) {
  const rows = rows_of(summary);
  const causes = Object.keys(summary.mean_core_cause_percent).filter((cause) => rows.some((row) => row.shares[cause] > 0));
  section(parent, 'h3', 'Where the time goes',
    'The matmul unit of a core computes, or the next thing it lacks is followed through tokens, barriers and queues to what it waits for. Each line adds up to 100 %.');
  chart(parent, `time-${name}`, time_option(rows, causes), 100 + 20 * rows.length);
  table(parent, `time-${name}`, [
    { title: 'core', value: (row) => row.name },
    ...causes.map((cause) => ({ title: words(cause), value: (row) => row.shares[cause], text: percent })),
    { title: 'sum', value: (row) => sum_of(row.shares), text: percent },
  ], rows);
}

const gain = (value) => (value === undefined ? '' : percent(value));

// What the run would gain on changed chips (--what-if).
export function what_if(parent, name, summary) {
  if (!summary.what_if) return;
  section(parent, 'h3', 'What if', 'The run again on changed chips: what the account above says of the causes that a change acts on, and what was gained, with the same program and with one planned for the changed chip. Below 0: a loss.');
  table(parent, `what-if-${name}`, [
    { title: 'change', value: (row) => row.change },
    { title: 'the account', value: (row) => row.account_percent, text: gain },
    { title: 'same program', value: (row) => row.same_program_gain_percent, text: gain },
    { title: 'planned again', value: (row) => row.planned_again_gain_percent, text: gain },
    { title: 'trouble', value: (row) => row.trouble ?? '' },
  ], summary.what_if);
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
