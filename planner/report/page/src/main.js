// Reads the data inside the page and draws it.
import { charts } from './charts.js';
import { show_run } from './run.js';
import { show_study } from './study.js';
import { show_chosen_chart } from './view.js';

const data = JSON.parse(document.getElementById('data').textContent);
const main = document.getElementById('main');
document.title = data.title;
document.getElementById('title').textContent = data.title;
document.getElementById('subtitle').textContent = data.subtitle;
data.studies.forEach((results, index) => show_study(main, results, index));
data.runs.forEach((run, index) => show_run(main, run, index));
show_chosen_chart();
window.tilewright = { data, charts };
