// The parts of ECharts that the page uses; nothing else is bundled.
import * as echarts from 'echarts/core';
import { BarChart, CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import { DataZoomComponent, GridComponent, LegendComponent, TooltipComponent } from 'echarts/components';
import { CanvasRenderer } from 'echarts/renderers';
import { element } from './dom.js';

echarts.use([BarChart, CustomChart, LineChart, ScatterChart, DataZoomComponent, GridComponent, LegendComponent,
  TooltipComponent, CanvasRenderer]);

// Colours that people with colour-blindness can tell apart (Okabe and Ito).
export const COLOURS = ['#0072B2', '#E69F00', '#009E73', '#CC79A7', '#56B4E9', '#D55E00', '#8C8C8C', '#B8A800'];

// By name, for tests and the browser's console.
export const charts = {};

// `height` in pixels.
export function chart(parent, name, option, height = 440) {
  const place = element('div', { class: 'chart', style: `height: ${height}px`, id: `chart-${name}`, role: 'img', 'aria-label': name });
  parent.append(place);
  const made = echarts.init(place);
  made.setOption({ animation: false, color: COLOURS, textStyle: { fontFamily: 'system-ui, sans-serif', fontSize: 13 }, ...option });
  window.addEventListener('resize', () => made.resize());
  charts[name] = made;
  return made;
}
