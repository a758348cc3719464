// Figures as people read them. Values keep their full precision in the data; only the text is rounded.

const PREFIXES = [[1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']];

export function significant(value, digits = 4) {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'number') return String(value);
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  return Number(value.toPrecision(digits)).toLocaleString('en-US', { maximumFractionDigits: 12 });
}

// Of an axis, whose values may be of any size.
export const tick = (value) => (value !== 0 && (Math.abs(value) >= 1e6 || Math.abs(value) < 1e-3) ? value.toExponential() : significant(value));

// 1234567, 'B' -> "1.235 MB"
export function scaled(value, unit) {
  const [factor, prefix] = PREFIXES.find(([factor]) => Math.abs(value) >= factor) ?? [1, ''];
  return `${significant(value / factor)} ${prefix}${unit}`;
}

// As the texts of the commands have it: 1536 -> "1.5 KiB"
export function bytes(value) {
  const [factor, unit] = [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB']].find(([f]) => value >= f) ?? [1, 'B'];
  return `${significant(value / factor)} ${unit}`;
}

export function time(picoseconds) {
  const [factor, unit] = [[1e12, 's'], [1e9, 'ms'], [1e6, 'us'], [1e3, 'ns']].find(([f]) => picoseconds >= f) ?? [1, 'ps'];
  return `${significant(picoseconds / factor)} ${unit}`;
}

export function energy(picojoules) {
  const [factor, unit] = [[1e12, 'J'], [1e9, 'mJ'], [1e6, 'uJ'], [1e3, 'nJ']].find(([f]) => picojoules >= f) ?? [1, 'pJ'];
  return `${significant(picojoules / factor)} ${unit}`;
}

export const percent = (value) => `${significant(value)} %`;

export function escape(text) {
  return String(text).replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);
}

// "dram_read_bytes" -> "dram read bytes"
export const words = (key) => key.replaceAll('_', ' ');
