// Makes results with the program, draws them as a page and reads the page as its user would.
//   node check.mjs TILEWRIGHT SOURCE_DIR PLAYWRIGHT
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const [tilewright, source, playwright] = process.argv.slice(2);
const { chromium } = await import(playwright);
const work = mkdtempSync(path.join(tmpdir(), 'tilewright-page-'));
const place = (name) => path.join(work, name);
const run = (...words) => execFileSync(tilewright, words, { cwd: source, stdio: ['ignore', 'pipe', 'pipe'] });
const json = (...parts) => JSON.parse(readFileSync(place(path.join(...parts)), 'utf8'));

function make_page() {
  run('run', 'hw_configs/edge_single.yaml', 'traces/tiny_attention.onnx', '-o', place('small'), '--trace');
  run('explore', 'tests/page/small_buffers.yaml', '--point', '0', '--write-hardware', place('chip.yaml'));
  run('run', place('chip.yaml'), 'tests/page/large.csv', '-o', place('large'), '--trace');
  run('explore', 'tests/page/study.yaml', '-o', place('study'));
  run('report', place('study'), place('small'), place('large'), '-o', place('page.html'));
  run('report', place('study'), place('small'), place('large'), '-o', place('again.html'));
  assert.equal(readFileSync(place('page.html'), 'utf8'), readFileSync(place('again.html'), 'utf8'));
}

// A chip whose file has no prices has no energy, and says so.
async function check_without_prices(page) {
  writeFileSync(place('unpriced.yaml'), readFileSync(place('small/hardware.yaml'), 'utf8').replace(/^energy:\n( .*\n)+/m, ''));
  run('run', place('unpriced.yaml'), 'traces/tiny_mlp.onnx', '-o', place('unpriced'));
  run('report', place('unpriced'), '-o', place('unpriced.html'));
  await page.goto(`file://${place('unpriced.html')}`);
  const text = await page.locator('body').innerText();
  assert.match(text, /No figures: the hardware file has no prices/);
  assert.doesNotMatch(text, /NaN| pJ/);
  assert.ok(!(await page.evaluate(() => Object.keys(window.tilewright.charts))).includes('energy-0'));
}

async function open_page(browser, faults) {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('request', (request) => /^(file|data|blob):/.test(request.url()) || faults.push(`loads ${request.url()}`));
  await page.goto(`file://${place('page.html')}`);
  return page;
}

// The page holds the files' figures, and its charts and tables hold the page's.
async function check_figures(page) {
  const data = await page.evaluate(() => window.tilewright.data);
  assert.deepEqual(data.studies, [json('study', 'results.json')]);
  assert.deepEqual(data.runs.map((run) => run.summary), [json('small', 'summary.json'), json('large', 'summary.json')]);
  for (const [index, { summary }] of data.runs.entries()) {
    const option = (name) => page.evaluate((name) => window.tilewright.charts[name].getOption().series.map((s) => s.data), name);
    const energy = (await option(`energy-${index}`))[0];
    assert.deepEqual(energy, Object.values(summary.energy.components_picojoules));
    const shares = await option(`time-${index}`);
    for (let core = 0; core <= summary.cores; ++core)
      assert.ok(Math.abs(shares.reduce((sum, phase) => sum + phase[core], 0) - 100) < 1e-6, `core ${core}`);
    const sums = await page.locator(`#table-time-${index} tbody tr td:last-child`).allInnerTexts();
    assert.deepEqual(new Set(sums), new Set(['100 %']));
    const rows = await page.locator(`#table-operators-${index} tbody tr`).count();
    assert.equal(rows, summary.operators.length);
  }
}

// Points of the front, then the others, over two figures: those of results.json, as far as a point has both.
async function check_front(page) {
  const results = json('study', 'results.json'), measured = results.points.filter((point) => point.status === 'measured');
  const drawn = () => page.evaluate(() => window.tilewright.charts['pareto-0'].getOption().series.map((s) => s.data.map((item) => item.value)));
  const wanted = (points, x, y) => points.map((point) => [x(point), y(point)]).filter((pair) => !pair.includes(undefined));
  const latency = (point) => point.figures.latency_us, area = (point) => point.figures.area_mm2;
  const front = measured.filter((point) => point.pareto), others = measured.filter((point) => !point.pareto);
  await page.getByLabel('up').selectOption('area_mm2');
  assert.deepEqual(await drawn(), [wanted(others, latency, area), wanted(front, latency, area)]);
  assert.ok(measured.some((point) => latency(point) === undefined), 'every point has a latency over all workloads');
  assert.match(await page.locator('.note', { hasText: 'have both figures' }).innerText(), new RegExp(`of ${measured.length} measured`));

  await page.getByLabel('across').selectOption('tiny_mlp.time');
  await page.getByLabel('colour').selectOption('dram.channels');
  const time = (point) => point.workloads[0].time_ps / 1e6;
  const channels = [...new Set(measured.map((point) => point.parameters['dram.channels']))];
  assert.deepEqual(await drawn(), channels.map((n) => wanted(measured.filter((point) => point.parameters['dram.channels'] === n), time, area)));
  await page.reload();
  assert.equal(await page.getByLabel('across').inputValue(), 'tiny_mlp.time', 'the address keeps the view');
  await page.goto(`file://${place('page.html')}`);
}

// A chart named in the address stands alone.
async function check_single_chart(page) {
  await page.goto(`file://${place('page.html')}#chart=energy-0`);
  await page.reload();
  assert.deepEqual(await page.locator('body > *').evaluateAll((all) => all.map((element) => element.id)), ['chart-energy-0']);
  await page.goto('about:blank');
  await page.goto(`file://${place('page.html')}`);
}

async function check_drawn(page) {
  const blank = await page.evaluate(() => Object.entries(window.tilewright.charts).filter(([, chart]) => {
    const canvas = chart.getDom().querySelector('canvas');
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    return !pixels.some((value) => value !== 0);
  }).map(([name]) => name));
  assert.deepEqual(blank, []);
}

async function check_timelines(page) {
  const [small, large] = await page.evaluate(() => window.tilewright.data.runs.map((run) => run.timeline));
  assert.equal(small.aggregated, false);
  assert.equal(small.bars.length, small.spans);
  assert.equal(large.aggregated, true);
  assert.ok(large.spans > 20000 && large.bars.length <= 20000, `${large.spans} spans in ${large.bars.length} bars`);
}

// Hovers over item `index` of a series and returns the text of the tooltip that answers.
async function tooltip(page, chart, series, index) {
  await page.locator(`#chart-${chart}`).scrollIntoViewIfNeeded();
  const at = await page.evaluate(([chart, series, index]) => {
    const made = window.tilewright.charts[chart], item = made.getOption().series[series].data[index];
    const value = item.value ?? item;
    const [x, y] = made.convertToPixel({ seriesIndex: series }, value.length > 2 ? [(value[1] + value[2]) / 2, value[0]] : value);
    const box = made.getDom().getBoundingClientRect();
    return [box.x + x, box.y + y];
  }, [chart, series, index]);
  await page.mouse.move(at[0] - 3, at[1]);
  await page.mouse.move(at[0], at[1], { steps: 4 });
  const shown = page.locator(`#chart-${chart} > div`).filter({ hasText: /\S/ }).last();
  await shown.waitFor({ state: 'visible', timeout: 10000 });
  return shown.innerText();
}

async function check_tooltips(page) {
  const results = json('study', 'results.json');
  const front = results.points.find((point) => point.pareto);
  const pareto = await tooltip(page, 'pareto-0', 1, 0);
  assert.match(pareto, new RegExp(`point ${front.point}\\b`));
  for (const command of front.commands) assert.ok(pareto.includes(command), `no '${command}' in: ${pareto}`);
  for (const key of Object.keys(front.parameters)) assert.ok(pareto.includes(key), pareto);

  const summary = json('small', 'summary.json');
  const matmul = summary.operators.filter((op) => op.multiply_adds > 0).map((op) => op.name);
  const roof = await tooltip(page, 'roofline-0', 1, 0);
  assert.ok(matmul.some((name) => roof.includes(name)), roof);
  assert.match(await tooltip(page, 'timeline-0', 0, 3), /core 0/);
}

async function check_sorting(page) {
  const heading = page.locator('#table-operators-0 th', { hasText: /^cycles$/ });
  const column = async () => (await page.locator('#table-operators-0 tbody tr td:nth-child(5)').allInnerTexts())
    .map((text) => Number(text.replaceAll(',', '')));
  await heading.click();
  const up = await column();
  assert.deepEqual(up, [...up].sort((a, b) => a - b));
  assert.deepEqual(up, json('small', 'summary.json').operators.map((op) => op.cycles).sort((a, b) => a - b));
  await heading.click();
  assert.deepEqual(await column(), up.reverse());
}

async function check_page() {
  const faults = [];
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  try {
    const page = await open_page(browser, faults);
    await check_figures(page);
    await check_front(page);
    await check_drawn(page);
    await check_timelines(page);
    await check_tooltips(page);
    await check_sorting(page);
    await check_single_chart(page);
    await check_without_prices(page);
    assert.deepEqual(faults, []);
  } finally {
    await browser.close();
  }
}

try {
  make_page();
  await check_page();
} finally {
  rmSync(work, { recursive: true, force: true });
}
