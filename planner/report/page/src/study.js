// A design-space study: the Pareto front, and every point with its parameters and the commands that measure it again.
import { COLOURS, chart } from './charts.js';
import { element, figures, section, select } from './dom.js';
import { escape, significant, tick, words } from './format.js';
import { table } from './table.js';

function tooltip_of(point) {
  const lines = Object.entries(point.parameters).map(([key, value]) => `${escape(key)}: ${escape(value)}`);
  const figure_lines = Object.entries(point.figures).map(([key, value]) => `${escape(words(key))}: ${significant(value, 6)}`);
  const commands = point.commands.map((command) => `<code>${escape(command)}</code>`);
  return [`<b>point ${point.point}</b>`, ...lines, '', ...figure_lines, '', ...commands].join('<br>');
}

function series_of(name, points, x, y, colour, size) {
  return {
    name, type: 'scatter', symbolSize: size, itemStyle: { color: colour, opacity: 0.8 },
    data: points.map((point) => ({ name: String(point.point), value: [point.figures[x], point.figures[y]], tip: tooltip_of(point) })),
  };
}

function option_of(front, others, x, y) {
  return {
    grid: { left: 100, right: 32, top: 40, bottom: 56 },
    legend: { top: 0 },
    tooltip: { confine: true, enterable: true, formatter: (item) => item.data.tip, extraCssText: 'white-space: normal; max-width: 640px;' },
    xAxis: { type: 'value', scale: true, name: words(x), nameLocation: 'middle', nameGap: 32, axisLabel: { formatter: tick } },
    yAxis: { type: 'value', scale: true, name: words(y), axisLabel: { formatter: tick } },
    series: [series_of('other points', others, x, y, COLOURS[6], 8), series_of('Pareto front', front, x, y, COLOURS[5], 13)],
  };
}

function show_front(parent, points, objectives) {
  const front = points.filter((point) => point.pareto), others = points.filter((point) => !point.pareto);
  // A front of one objective still needs a second axis to be drawn.
  const keys = [...new Set([...objectives, ...Object.keys(points[0].figures)])];
  let [x, y] = [keys[0], keys[1] ?? keys[0]];
  const names = keys.map((key) => [key, words(key)]);
  const draw = () => made.setOption(option_of(front, others, x, y), { replaceMerge: ['series'] });
  parent.append(element('div', { class: 'controls' },
    select('across', names, x, (key) => { x = key; draw(); }), select('up', names, y, (key) => { y = key; draw(); })));
  const made = chart(parent, 'pareto', option_of(front, others, x, y), 560);
}

function columns_of(points) {
  const keys_in = (part) => [...new Set(points.flatMap((point) => Object.keys(point[part])))];
  return [
    { title: 'point', value: (point) => point.point },
    { title: 'status', value: (point) => (point.pareto ? 'front' : point.status) },
    ...keys_in('parameters').map((key) => ({ title: key, value: (point) => point.parameters[key] })),
    ...keys_in('figures').map((key) => ({ title: words(key), value: (point) => point.figures[key], text: (value) => significant(value, 6) })),
    { title: 'reason', value: (point) => point.reason ?? '' },
    { title: 'commands', value: (point) => point.commands.join(' && ') },
  ];
}

export function show_study(parent, results) {
  const measured = results.points.filter((point) => point.status === 'measured');
  section(parent, 'h2', `Study ${results.study.name}`, '',
    figures([['points', significant(results.points.length)], ['measured', significant(measured.length)],
      ['on the Pareto front', significant(results.points.filter((point) => point.pareto).length)]]));
  if (measured.length > 0) {
    section(parent, 'h3', 'Pareto front',
      `No other point is at least as good in all of ${results.study.objectives.map(words).join(', ')} and better in one. A point's tooltip has its parameters and the commands that measure it again.`);
    show_front(parent, measured, results.study.objectives);
  }
  section(parent, 'h3', 'All points', 'A click on a heading sorts.');
  table(parent, 'points', columns_of(results.points), results.points, (point) => (point.pareto ? 'front' : ''));
}
