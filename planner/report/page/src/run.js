// One run: its figures, the sentence about the bottleneck, breakdowns, roofline, timeline, operators.
import { energy_breakdown, time_breakdown, what_if } from './breakdown.js';
import { element, figures, section } from './dom.js';
import { bytes, energy, percent, significant, time } from './format.js';
import { roofline } from './roofline.js';
import { table } from './table.js';
import { timeline } from './timeline.js';

// Of a language model: tokens, beside what weights and cache allow.
function language(model) {
  const time_ps = model.time_per_token_ps ?? model.time_to_first_token_ps;
  const bound = Math.max(model.bandwidth_bound_ps, model.compute_bound_ps);
  return figures([
    [model.phase === 'decode' ? 'time per token' : 'time to first token', time(time_ps)],
    ['tokens per second', significant(model.tokens_per_second)],
    ['times the bound of weights, cache and multiply-adds', significant(time_ps / bound)],
    ...(model.picojoules_per_token > 0 ? [['energy per token', energy(model.picojoules_per_token)]] : []),
    ['weights', bytes(model.weight_bytes)], ['cache', bytes(model.cache_bytes)],
    ['blocks simulated', `${model.simulated_layers} of ${model.layers}`],
  ]);
}

function head(run) {
  const s = run.summary;
  return figures([
    ['total time', time(s.time_ps)], [`cycles at ${significant(s.core_clock_mhz)} MHz`, significant(s.total_cycles)],
    ...(s.network_bound_ps ? [['times the network bound', significant(s.time_ps / s.network_bound_ps)]] : []),
    ['matmul utilisation', percent(s.utilisation_percent)], ['of the DRAM peak', percent(s.dram.percent_of_peak)],
    ['DRAM read', bytes(s.dram.read_bytes)], ['DRAM written', bytes(s.dram.written_bytes)],
    ...(s.energy.total_picojoules > 0 ? [['energy', energy(s.energy.total_picojoules)]] : []),
  ]);
}

const COLUMNS = [
  { title: 'operator', value: (op) => op.name },
  { title: 'kind', value: (op) => op.kind },
  { title: 'begin', value: (op) => op.begin_ps, text: time },
  { title: 'time', value: (op) => op.time_ps, text: time },
  { title: 'cycles', value: (op) => op.cycles },
  { title: 'roofline bound', value: (op) => op.roofline_bound_ps, text: (value) => (value === undefined ? '' : time(value)) },
  { title: 'multiply-adds', value: (op) => op.multiply_adds },
  { title: 'utilisation', value: (op) => op.utilisation_percent, text: percent },
  { title: 'DRAM read', value: (op) => op.dram_read_bytes, text: bytes },
  { title: 'DRAM written', value: (op) => op.dram_written_bytes, text: bytes },
  { title: 'energy', value: (op) => op.dynamic_picojoules, text: (value) => (value > 0 ? energy(value) : '') },
  { title: 'split', value: (op) => op.split },
  { title: 'tiling', value: (op) => op.tiling },
];

export function show_run(parent, run, index) {
  const s = run.summary;
  if (s.language_model) {
    section(parent, 'h2', `${s.workload} on ${s.hardware}, language model`, '', language(s.language_model));
  }
  section(parent, 'h2', `${s.workload} on ${s.hardware}`, '', head(run), element('p', {}, `Limited by ${s.bottleneck}.${s.first_change ? ` To change first: ${s.first_change}.` : ''}`));
  for (const warning of s.warnings ?? []) section(parent, 'p', `Warning: ${warning}.`);
  time_breakdown(parent, index, s);
  what_if(parent, index, s);
  energy_breakdown(parent, index, s);
  roofline(parent, index, s, run.chip);
  if (run.timeline) timeline(parent, index, run.timeline);
  else section(parent, 'h3', 'Timeline', 'This run recorded none; run it again with --trace.');
  section(parent, 'h3', 'Operators', 'A click on a heading sorts. Neighbouring operators overlap, so their times may add up to more than the total.');
  table(parent, `operators-${index}`, COLUMNS, s.operators);
}
