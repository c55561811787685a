// Counters of several snapshots as lines over time, or over the number of the snapshot.
import { plot } from "./charts.js";
import { onTheme } from "./colours.js";
import { el, fill, plural } from "./dom.js";
import { uPlot } from "./uplot.js";

const CHARTS = 24;
const LINES = 7;

/**
 * A chart for each counter whose value changes, with a line for each object, such as a device.
 * @param {any[]} rows counters of the report, those of a snapshot after those of the previous one
 */
function chartsOf(rows) {
  /** @type {Map<string, import("./charts.js").Chart>} */
  const charts = new Map();
  for (const r of rows) {
    if (r.value === null || (r.time_s === undefined && r.interval === undefined))
      continue;
    const chart = /** @type {import("./charts.js").Chart} */ (charts.get(r.name) || { title: r.name, unit: r.unit || "", kind: "steps", note: "", series: [] });
    let series = chart.series.find((s) => s.label === (r.key || r.name));
    if (!series) {
      series = { label: r.key || r.name, ms: [], values: [], lines: [] };
      chart.series.push(series);
    }
    series.ms.push(1000 * (r.time_s ?? r.interval));
    series.values.push(r.value);
    charts.set(r.name, chart);
  }
  return [...charts.values()].filter((c) => c.series.some((s) => s.values.some((v) => v !== s.values[0])));
}

/**
 * The charts of counters; null: no counter has several values.
 * @param {any[]} rows counters of the report
 */
export function counterLines(rows) {
  const charts = chartsOf(rows);
  if (!uPlot || !charts.length)
    return null;
  const most = (/** @type {import("./charts.js").Series} */ s) => s.values.reduce((a, b) => Math.max(a, b));
  const hosts = charts.slice(0, CHARTS).map((chart) => {
    const n = chart.series.length;
    chart.series = chart.series.sort((a, b) => most(b) - most(a)).slice(0, LINES);
    const host = el("div.plot");
    return { chart, host, part: el("section", null, el("h4", null, chart.title + (chart.unit ? ", " + chart.unit : ""),
      el("span.dim.small", null, n > LINES ? `  the highest ${LINES} of ${n}` : "")), host) };
  });
  const times = charts.flatMap((c) => c.series.flatMap((s) => s.ms)).sort((a, b) => a - b);
  const body = el("div.plots", null, ...hosts.map((h) => h.part));
  const clock = rows.some((r) => r.time_s !== undefined) ? "boot" : "snapshot";
  /** @type {any[]} */
  let plots = [];
  let width = 0;

  function draw() {
    plots.forEach((p) => p.destroy());
    width = body.clientWidth;
    plots = hosts.map((h) => plot(h.host, h.chart, { clock, v0: times[0], v1: times[times.length - 1], places: [] }));
  }
  new ResizeObserver(() => {
    if (body.clientWidth && Math.abs(body.clientWidth - width) > 1)
      draw();
  }).observe(body);
  onTheme(draw);
  const note = el("p.dim.small");
  fill(note, "Counters that do not change are only in the table",
    charts.length > CHARTS ? ", and so are " + plural(charts.length - CHARTS, "more", "more") : "", ".");
  return { element: el("section.lines", null, el("h3", null, clock === "snapshot" ? "Counters by snapshot" : "Counters over time"), body, note), draw, plots: () => plots };
}
