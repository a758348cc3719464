// Every operator under the roofs of the chip: multiply-adds per second against multiply-adds per byte of DRAM traffic.
import { COLOURS, chart } from './charts.js';
import { section } from './dom.js';
import { bytes, escape, percent, scaled, significant, time } from './format.js';

const bytes_of = (op) => op.dram_read_bytes + op.dram_written_bytes;
const seconds_of = (op) => op.time_ps * 1e-12;

// Range of the intensity axis, powers of ten around the ridge and every operator.
function range_of(operators, ridge) {
  const known = operators.filter((op) => op.multiply_adds > 0 && bytes_of(op) > 0).map((op) => op.multiply_adds / bytes_of(op));
  const all = [...known, ridge];
  return [10 ** (Math.floor(Math.log10(Math.min(...all))) - 1), 10 ** (Math.ceil(Math.log10(Math.max(...all))) + 1)];
}

// Without multiply-adds an operator has no intensity: it stands at the left edge, as high under the memory roof as its
// share of the peak bandwidth. Without DRAM traffic it stands at the right edge.
function point_of(op, [low, high]) {
  if (op.multiply_adds === 0) return [low, (low * bytes_of(op)) / seconds_of(op)];
  const intensity = bytes_of(op) === 0 ? high : op.multiply_adds / bytes_of(op);
  return [intensity, op.multiply_adds / seconds_of(op)];
}

function tooltip_of(op, chip) {
  const traffic = bytes_of(op), bandwidth = traffic / seconds_of(op);
  return [`<b>${escape(op.name)}</b> (${escape(op.kind)})`, `time ${time(op.time_ps)}`,
    `${significant(op.multiply_adds)} multiply-adds, ${percent((100 * op.multiply_adds) / seconds_of(op) / chip.peak_macs_per_second)} of the peak`,
    `${bytes(traffic)} of DRAM traffic, ${percent((100 * bandwidth) / chip.peak_bytes_per_second)} of the peak`,
    traffic > 0 ? `${significant(op.multiply_adds / traffic)} multiply-adds per byte` : 'no DRAM traffic'].join('<br>');
}

export function roofline(parent, name, summary, chip) {
  section(parent, 'h3', 'Roofline',
    'Each point is an operator as measured. Operators without multiply-adds stand at the left edge, at the height of their share of the peak bandwidth.');
  const ridge = chip.peak_macs_per_second / chip.peak_bytes_per_second;
  const range = range_of(summary.operators, ridge);
  const operators = summary.operators.filter((op) => op.time_ps > 0 && (op.multiply_adds > 0 || bytes_of(op) > 0));
  const series = (title, list, colour) => ({
    name: title, type: 'scatter', symbolSize: 10, itemStyle: { color: colour, opacity: 0.75 },
    data: list.map((op) => ({ name: op.name, value: point_of(op, range), tip: tooltip_of(op, chip) })),
  });
  chart(parent, `roofline-${name}`, {
    grid: { left: 90, right: 32, top: 40, bottom: 56 },
    legend: { top: 0 },
    tooltip: { confine: true, formatter: (item) => item.data.tip ?? item.seriesName },
    xAxis: { type: 'log', min: range[0], max: range[1], name: 'multiply-adds per byte of DRAM traffic', nameLocation: 'middle', nameGap: 32 },
    yAxis: { type: 'log', name: 'multiply-adds per second', axisLabel: { formatter: (value) => scaled(value, '') } },
    series: [
      { name: 'roofs', type: 'line', symbol: 'none', silent: true, lineStyle: { color: '#1c2430', width: 2 }, itemStyle: { color: '#1c2430' },
        data: [[range[0], range[0] * chip.peak_bytes_per_second], [ridge, chip.peak_macs_per_second], [range[1], chip.peak_macs_per_second]] },
      series('with multiply-adds', operators.filter((op) => op.multiply_adds > 0), COLOURS[0]),
      series('without multiply-adds', operators.filter((op) => op.multiply_adds === 0), COLOURS[1]),
    ],
  });
}
