// A design-space study: the Pareto front, and every point with its parameters and the commands that measure it again.
import { figures_of, title_of } from './axes.js';
import { figures, section } from './dom.js';
import { significant } from './format.js';
import { show_front } from './front.js';
import { table } from './table.js';

function columns_of(points) {
  const parameters = [...new Set(points.flatMap((point) => Object.keys(point.parameters)))];
  return [
    { title: 'point', value: (point) => point.point },
    { title: 'status', value: (point) => (point.pareto ? 'front' : point.status) },
    { title: 'workloads', value: (point) => point.workloads.length },
    ...parameters.map((key) => ({ title: key, value: (point) => point.parameters[key] })),
    ...figures_of(points).map((key) => ({ title: title_of(key), value: (point) => point.figures[key], text: (value) => significant(value, 6) })),
    { title: 'reason', value: (point) => point.reason ?? '' },
    { title: 'commands', value: (point) => point.commands.join(' && ') },
  ];
}

export function show_study(parent, results, index) {
  const measured = results.points.filter((point) => point.status === 'measured'), study = results.study;
  section(parent, 'h2', `Study ${study.name}`, '',
    figures([['points', significant(results.points.length)],
      ...Object.entries(results.points_by_status).map(([status, count]) => [status, significant(count)]),
      ['on the Pareto front', significant(results.pareto.length)]]));
  if (measured.length > 0) {
    section(parent, 'h3', 'Pareto front',
      `No other point is at least as good in all of ${study.objectives.map(title_of).join(', ')} and better in one. A point's tooltip has its parameters and the commands that measure it again.`);
    show_front(parent, `pareto-${index}`, study, measured);
  }
  section(parent, 'h3', 'All points', 'A click on a heading sorts.');
  table(parent, `points-${index}`, columns_of(results.points), results.points, (point) => (point.pareto ? 'front' : ''));
}
