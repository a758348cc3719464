// What every unit did when: a lane per unit, a bar per instruction or, in long runs, per slice of time.
import { COLOURS, chart } from './charts.js';
import { section } from './dom.js';
import { escape, percent, significant, time } from './format.js';

// Bars are rows [lane, begin_ps, end_ps, name index, operator index, busy share of the bar].
function draw(params, api) {
  const begin = api.coord([api.value(1), api.value(0)]), end = api.coord([api.value(2), api.value(0)]);
  const height = api.size([0, 1])[1] * 0.7;
  const left = Math.max(begin[0], params.coordSys.x), right = Math.min(end[0], params.coordSys.x + params.coordSys.width);
  if (right < left) return undefined;
  return {
    type: 'rect',
    shape: { x: left, y: begin[1] - height / 2, width: Math.max(right - left, 0.5), height },
    style: { fill: COLOURS[api.value(4) % COLOURS.length], opacity: 0.15 + 0.85 * api.value(5) },
  };
}

export function timeline(parent, name, data) {
  const note = data.aggregated
    ? `The run has ${significant(data.spans)} activities of units; each bar stands for a slice of time of one unit and is as dark as the unit was busy in it.`
    : 'A bar is an instruction at work.';
  section(parent, 'h3', 'Timeline', `${note} Colours tell operators apart. Drag or scroll to look closer.`);
  chart(parent, `timeline-${name}`, {
    grid: { left: 130, right: 24, top: 16, bottom: 80 },
    tooltip: {
      confine: true,
      formatter: ({ value: [lane, begin, end, instruction, op, busy] }) => [
        `<b>${escape(data.operators[op])}</b>`, escape(data.lanes[lane]),
        `${time(begin)} to ${time(end)}`,
        data.aggregated ? `busy ${percent(100 * busy)} of the slice` : escape(data.names[instruction])].join('<br>'),
    },
    dataZoom: [{ type: 'slider', filterMode: 'weakFilter', bottom: 12, labelFormatter: time }, { type: 'inside', filterMode: 'weakFilter' }],
    xAxis: { type: 'value', min: 0, max: data.time_ps, axisLabel: { formatter: time } },
    yAxis: { type: 'category', inverse: true, data: data.lanes, axisLabel: { interval: 0, fontSize: 11 } },
    series: [{ type: 'custom', progressive: 0, renderItem: draw, encode: { x: [1, 2], y: 0 }, data: data.bars }],
  }, 140 + 14 * Math.max(data.lanes.length, 8));
}
