// The points of a study over two figures of the reader's choice, coloured by the front or by a parameter.
import { COLOURS, chart } from './charts.js';
import { axes_of } from './axes.js';
import { element, select } from './dom.js';
import { escape, significant, tick } from './format.js';
import { choice, choose } from './view.js';

const FRONT = 'Pareto front';

const shown = (value) => (value === null || value === undefined ? 'none' : String(value));

function tooltip_of(point, axes) {
  const parameters = Object.entries(point.parameters).map(([key, value]) => `${escape(key)}: ${escape(shown(value))}`);
  const known = axes.filter((axis) => axis.value(point) !== undefined);
  const figures = known.map((axis) => `${escape(axis.title)}: ${significant(axis.value(point), 6)}`);
  const commands = point.commands.map((command) => `<code>${escape(command)}</code>`);
  return [`<b>point ${point.point}</b>${point.pareto ? ', on the Pareto front' : ''}`, ...parameters, '', ...figures, '', ...commands].join('<br>');
}

// Points of the front are larger and dark-rimmed whatever their colour.
function series_of(name, points, view, colour) {
  return {
    name, type: 'scatter', itemStyle: { color: colour, opacity: 0.8 },
    data: points.map((point) => ({
      name: String(point.point), value: [view.x.value(point), view.y.value(point)], tip: tooltip_of(point, view.axes),
      symbolSize: point.pareto ? 13 : 8, itemStyle: point.pareto ? { borderColor: '#1c2430', borderWidth: 1.5 } : {},
    })),
  };
}

function groups_of(points, colour) {
  if (colour === FRONT)
    return [['other points', points.filter((point) => !point.pareto), COLOURS[6]], [FRONT, points.filter((point) => point.pareto), COLOURS[5]]];
  const label = colour.split('.').slice(-2).join('.');
  const values = [...new Set(points.map((point) => point.parameters[colour]))];
  return values.map((value, i) => [`${label} ${shown(value)}`, points.filter((point) => point.parameters[colour] === value), COLOURS[i % COLOURS.length]]);
}

const axis_option = (axis, scale) => ({
  type: scale === 'logarithmic' ? 'log' : 'value', scale: true, name: axis.title, axisLabel: { formatter: tick },
});

function option_of(points, view) {
  const drawn = points.filter((point) => view.x.value(point) !== undefined && view.y.value(point) !== undefined);
  return {
    grid: { left: 100, right: 32, top: 56, bottom: 56 },
    legend: { top: 0, type: 'scroll' },
    tooltip: { confine: true, enterable: true, formatter: (item) => item.data.tip, extraCssText: 'white-space: normal; max-width: 640px; overflow-wrap: anywhere;' },
    xAxis: { ...axis_option(view.x, view.scale), nameLocation: 'middle', nameGap: 32 },
    yAxis: { ...axis_option(view.y, view.scale), nameTextStyle: { align: 'left' } },
    series: groups_of(drawn, view.colour).map(([name, list, colour]) => series_of(name, list, view, colour)),
  };
}

export function show_front(parent, name, study, points) {
  const axes = axes_of(study, points), by_key = (key) => axes.find((axis) => axis.key === key);
  const names = axes.map((axis) => [axis.key, axis.title]);
  const colours = [FRONT, ...Object.keys(points[0].parameters)].map((key) => [key, key]);
  const scales = ['linear', 'logarithmic'].map((scale) => [scale, scale]);
  const chosen = {
    across: choice('across', names, axes[0].key), up: choice('up', names, (axes[1] ?? axes[0]).key),
    colour: choice('colour', colours, FRONT), scale: choice('scale', scales, 'linear'),
  };
  const note = element('p', { class: 'note' });
  const option = () => option_of(points, { axes, x: by_key(chosen.across), y: by_key(chosen.up), colour: chosen.colour, scale: chosen.scale });
  const describe = (made) => {
    const count = made.series.reduce((sum, series) => sum + series.data.length, 0);
    note.textContent = count === points.length ? '' : `${count} of ${points.length} measured points have both figures.`;
    return made;
  };
  const box = (label, options) => select(label, options, chosen[label], (value) => {
    chosen[label] = value;
    choose(label, value);
    made.setOption(describe(option()), { replaceMerge: ['series'] });
  });
  parent.append(element('div', { class: 'controls' }, box('across', names), box('up', names), box('colour', colours), box('scale', scales)), note);
  const made = chart(parent, name, describe(option()), 560);
}
