// Tables whose columns sort: a click on a heading, once up, again down. Rows with equal keys keep their order.
import { element } from './dom.js';
import { significant } from './format.js';

function compare(a, b) {
  const aMissing = a === null || a === undefined || a === '', bMissing = b === null || b === undefined || b === '';
  if (aMissing || bMissing) return aMissing - bMissing;  // what is missing comes last
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}

function sorted(rows, column, descending) {
  const order = rows.map((row, index) => ({ row, index, key: column.value(row) }));
  order.sort((x, y) => {
    const missing = (entry) => entry.key === null || entry.key === undefined || entry.key === '';
    const direction = descending && !missing(x) && !missing(y) ? -1 : 1;
    return direction * compare(x.key, y.key) || x.index - y.index;
  });
  return order.map((entry) => entry.row);
}

function cell(column, row) {
  const value = column.value(row);
  const text = column.text ? column.text(value, row) : significant(value);
  return element('td', typeof value === 'number' ? { class: 'number' } : {}, text ?? '');
}

// columns: {title, value(row), text(value, row)}; `mark(row)`: class of a row.
export function table(parent, name, columns, rows, mark = () => '') {
  const body = element('tbody');
  const fill = (list) => body.replaceChildren(...list.map((row) =>
    element('tr', { class: mark(row) }, ...columns.map((column) => cell(column, row)))));
  const headings = columns.map((column) => {
    const isNumber = rows.some((row) => typeof column.value(row) === 'number');
    const heading = element('th', { class: isNumber ? 'number' : '', tabindex: '0', 'aria-sort': 'none' }, column.title);
    const sort = () => {
      const descending = heading.getAttribute('aria-sort') === 'ascending';
      headings.forEach((other) => other.setAttribute('aria-sort', 'none'));
      heading.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
      fill(sorted(rows, column, descending));
    };
    heading.addEventListener('click', sort);
    heading.addEventListener('keydown', (event) => { if (event.key === 'Enter') sort(); });
    return heading;
  });
  fill(rows);
  parent.append(element('div', { class: 'scroll' },
    element('table', { id: `table-${name}` }, element('thead', {}, element('tr', {}, ...headings)), body)));
}
