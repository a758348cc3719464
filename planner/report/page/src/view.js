// What the reader chose, kept in the address: a link opens the same view. `chart=NAME` shows that chart alone, for
// pictures, e.g. report.html#chart=pareto-0&across=area_mm2&up=latency_us
import { charts } from './charts.js';

const view = new URLSearchParams(location.hash.slice(1));

// The value of the address where it is one of the options [value, text], else `usual`.
export const choice = (key, options, usual) => (options.some(([value]) => value === view.get(key)) ? view.get(key) : usual);

export function choose(key, value) {
  view.set(key, value);
  history.replaceState(null, '', `#${view}`);
}

export function show_chosen_chart() {
  const chosen = charts[view.get('chart')];
  if (!chosen) return;
  chosen.getDom().style.height = '100vh';
  document.body.replaceChildren(chosen.getDom());
  chosen.resize();
}
