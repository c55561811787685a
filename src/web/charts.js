// Charts of figures in logs over time: rates of records, memory, counters, elections, poll intervals.
// All charts of the same clock show the same time range as the Log tab.
import { baseName, clean, el, fill, plural, short } from "./dom.js";
import { isDark, onTheme, theme } from "./colours.js";
import { CLOCKS, collect, placesOf, stretches, when } from "./logs.js";
import { licence, uPlot } from "./uplot.js";
import { readBlock } from "./data.js";
import { get as stateGet, set as stateSet } from "./state.js";

const HEIGHT = 190;
const RATES = 6;
const LISTED = 400;
const LIGHT = ["#0072b2", "#c44e00", "#007a5a", "#a8437c", "#7a6000", "#3d3d9e", "#5f5f5f"];
const DARK = ["#6cb8ef", "#f0a040", "#4fcf9f", "#ea9fc8", "#e8dc50", "#b0b0ff", "#c4c4c4"];
const DASHES = [[], [8, 3], [2, 3], [10, 3, 2, 3], [5, 5], [1, 2], [12, 4, 4, 4]];
const STEPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 86400, 604800];

/**
 * @typedef {{label: string, ms: number[], values: number[], lines: string[]}} Series
 * @typedef {{title: string, unit: string, kind: string, note: string, series: Series[]}} Chart
 * @typedef {{ms: number, text: string, at: number}} Place
 */

/** The name of a log stream: "process@node". @param {any} stream */
function labelOf(stream) {
  return [stream.process, stream.node].filter((x) => x).join("@") || stream.title || "log";
}

/** The charts of all captures, grouped by clock. @param {any[]} captures @returns {Promise<Map<string, Chart[]>>} */
async function gather(captures) {
  /** @type {Map<string, Map<string, Chart>>} */
  const clocks = new Map();
  for (const capture of captures) {
    if (!capture.charts)
      continue;
    const streams = (await readBlock(capture.log)).meta.streams;
    for (const c of (await readBlock(capture.charts)).meta.charts)
      for (const s of c.series) {
        const stream = streams[s.stream];
        const charts = clocks.get(stream.clock) || new Map();
        const key = c.title + "\0" + c.name;
        const chart = charts.get(key) || { title: c.title + (c.name ? ": " + c.name : ""), unit: c.unit, kind: c.kind, note: "", series: [] };
        const label = labelOf(stream);
        let series = chart.series.find((/** @type {Series} */ x) => x.label === label);
        if (!series) {
          series = { label, ms: [], values: [], lines: [] };
          chart.series.push(series);
        }
        for (let i = 0; i < s.ms.length; i++) {
          series.ms.push(s.ms[i]);
          series.values.push(s.values[i]);
          series.lines.push(baseName(capture.path) + ":" + s.lines[i]);
        }
        charts.set(key, chart);
        clocks.set(stream.clock, charts);
      }
  }
  const result = new Map();
  for (const [clock, charts] of clocks) {
    // omit charts with a single point
    const several = [...charts.values()].filter((c) => c.series.reduce((n, s) => n + s.ms.length, 0) > 1);
    several.forEach((c) => c.series.forEach(inOrder));
    result.set(clock, several);
  }
  return result;
}

/** Sort the points of a series by time. @param {Series} s */
function inOrder(s) {
  const order = s.ms.map((_, i) => i).sort((a, b) => s.ms[a] - s.ms[b] || a - b);
  [s.ms, s.values, s.lines] = [order.map((i) => s.ms[i]), order.map((i) => s.values[i]), order.map((i) => s.lines[i])];
}

/**
 * A chart of the number of records per second, minute or hour, for the modules with most records.
 * @param {import("./logs.js").Entry[]} list in order of time
 * @param {number} v0 ms
 * @param {number} v1
 * @returns {Chart}
 */
export function rates(list, v0, v1) {
  const wide = (v1 - v0) / 1000 / 120;
  const step = (STEPS.find((s) => s >= wide) || wide) * 1000;
  const first = Math.floor(v0 / step);
  const n = Math.max(1, Math.ceil(v1 / step) - first);
  const per = step < 60000 ? 1000 : step < 3600000 ? 60000 : 3600000;
  /** @type {Map<string, number>} */
  const total = new Map();
  for (const r of list)
    if (r.ms >= v0 && r.ms <= v1)
      total.set(r.module || labelOf(r.stream), (total.get(r.module || labelOf(r.stream)) || 0) + 1);
  const names = [...total.entries()].sort((a, b) => b[1] - a[1]).map((e) => e[0]);
  const shown = new Map(names.slice(0, names.length > RATES ? RATES - 1 : RATES).map((name, i) => [name, i]));
  const labels = [...shown.keys(), ...(names.length > shown.size ? ["others"] : [])];
  const counts = labels.map(() => new Float64Array(n));
  for (const r of list) {
    if (r.ms < v0 || r.ms > v1)
      continue;
    const at = shown.get(r.module || labelOf(r.stream));
    counts[at === undefined ? shown.size : at][Math.min(n - 1, Math.floor(r.ms / step) - first)]++;
  }
  const ms = Array.from({ length: n }, (_, i) => (first + i) * step);
  return {
    title: "Records " + (per === 1000 ? "a second" : per === 60000 ? "a minute" : "an hour"), unit: "", kind: "steps",
    note: `counted in steps of ${step < 1000 ? step + " ms" : step < 60000 ? step / 1000 + " s" : step < 3600000 ? short(step / 60000) + " min" : short(step / 3600000) + " h"}`,
    series: labels.map((label, i) => ({ label, ms, values: Array.from(counts[i], (c) => c / step * per), lines: [] })),
  };
}

/**
 * Convert series to the data of uPlot: the times of all series, then the values of each at these times.
 * @param {Series[]} series
 */
function align(series) {
  const all = new Set();
  for (const s of series)
    for (const ms of s.ms)
      all.add(ms);
  const x = [...all].sort((a, b) => a - b);
  const place = new Map(x.map((ms, i) => [ms, i]));
  return [x.map((ms) => ms / 1000), ...series.map((s) => {
    const y = new Array(x.length).fill(null);
    s.ms.forEach((ms, i) => { y[/** @type {number} */ (place.get(ms))] = s.values[i]; });
    return y;
  })];
}

/** Labels of the time axis. @param {number[]} splits seconds @param {string} clock @returns {string[]} */
function ticks(splits, clock) {
  const apart = splits.length > 1 ? splits[1] - splits[0] : 1;
  if (clock === "boot" || clock === "none")
    return splits.map((s) => s.toFixed(apart < 0.01 ? 3 : apart < 1 ? 2 : 0) + " s");
  if (clock === "snapshot")
    return splits.map((s) => (Number.isInteger(s) ? String(s) : ""));
  let day = "";
  return splits.map((s) => {
    const text = new Date(s * 1000).toISOString();
    const now = text.slice(5, 10);
    const hour = apart >= 60 ? text.slice(11, 16) : apart >= 1 ? text.slice(11, 19) : text.slice(11, 23);
    const label = apart >= 86400 ? now : now === day ? hour : hour + "\n" + now;
    day = now;
    return label;
  });
}

/**
 * Draw a chart for the times from v0 to v1.
 * @param {HTMLElement} host
 * @param {Chart} chart
 * @param {{clock: string, v0: number, v1: number, places: Place[], onspan?: (from: number, to: number) => void}} o ms; clock "snapshot": thousandths of a number
 */
export function plot(host, chart, o) {
  const t = theme();
  const shades = isDark() ? DARK : LIGHT;
  const grid = isDark() ? "#333333" : "#e4e4e4";
  const holds = chart.kind === "steps";
  const hasTimes = o.clock !== "boot" && o.clock !== "snapshot";
  const font = "12px system-ui, sans-serif";
  const width = Math.max(240, host.clientWidth);
  const mark = (/** @type {any} */ u) => {
    const g = u.ctx;
    g.save();
    g.strokeStyle = g.fillStyle = t.hit;
    g.lineWidth = devicePixelRatio;
    g.font = 11 * devicePixelRatio + "px system-ui, sans-serif";
    let behind = -99;
    for (const p of o.places) {
      if (p.ms < o.v0 || p.ms > o.v1)
        continue;
      const x = u.valToPos(p.ms / 1000, "x", true);
      g.beginPath();
      g.moveTo(x, u.bbox.top);
      g.lineTo(x, u.bbox.top + 9 * devicePixelRatio);
      g.stroke();
      if (x > behind + 18 * devicePixelRatio) {
        g.fillText(String(p.at + 1), x + 2 * devicePixelRatio, u.bbox.top + 10 * devicePixelRatio);
        behind = x;
      }
    }
    g.restore();
  };
  return new uPlot({
    width, height: HEIGHT, padding: [8, 12, 0, 0],
    scales: {
      x: { time: hasTimes, range: () => [o.v0 / 1000, o.v1 / 1000] },
      y: { range: (/** @type {any} */ _, /** @type {number} */ low, /** @type {number} */ high) => [Math.min(0, low * 1.12), high > 0 ? high * 1.12 : 1] },
    },
    tzDate: (/** @type {number} */ s) => uPlot.tzDate(new Date(s * 1000), "Etc/UTC"),
    series: [{ label: o.clock === "snapshot" ? "snapshot" : "time", value: (/** @type {any} */ _, /** @type {number | null} */ v) => (v === null ? "–" : o.clock === "snapshot" ? String(v) : when(v * 1000, o.clock)) },
      ...chart.series.map((s, i) => ({
        label: clean(s.label), stroke: shades[i % shades.length], width: 1.6, dash: DASHES[i % DASHES.length], spanGaps: true,
        paths: holds ? uPlot.paths.stepped({ align: 1 }) : () => null,
        points: { show: !holds || s.ms.length < 60, size: holds ? 5 : 7, fill: holds ? t.bg : shades[i % shades.length], stroke: shades[i % shades.length] },
        value: (/** @type {any} */ _, /** @type {number | null} */ v) => (v === null || v === undefined ? "–" : short(v) + (chart.unit ? " " + chart.unit : "")),
      }))],
    axes: [{ stroke: t.fg, font, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 }, space: hasTimes ? 80 : 70, values: (/** @type {any} */ _, /** @type {number[]} */ v) => ticks(v, o.clock) },
      { stroke: t.fg, font, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 }, size: 64, values: (/** @type {any} */ _, /** @type {number[]} */ v) => v.map(short) }],
    cursor: { drag: { x: !!o.onspan, y: false, setScale: false }, sync: { key: "clock-" + o.clock } },
    hooks: {
      draw: [mark],
      setSelect: [(/** @type {any} */ u) => {
        if (o.onspan && u.select.width > 4)
          o.onspan(u.posToVal(u.select.left, "x") * 1000, u.posToVal(u.select.left + u.select.width, "x") * 1000);
      }],
    },
  }, align(chart.series), host);
}

/**
 * A collapsed table with the values of a chart.
 * @param {Chart} chart
 * @param {string} clock
 */
function figures(chart, clock) {
  const all = chart.series.flatMap((s) => s.ms.map((ms, i) => ({ ms, label: s.label, value: s.values[i], line: s.lines[i] })))
    .sort((a, b) => a.ms - b.ms);
  return el("details", null, el("summary", null, "the figures"),
    el("div.wide", null, el("table", null, el("tbody", null, ...all.slice(0, LISTED).map((r) => el("tr", null, el("td.short", null, when(r.ms, clock)),
      el("td", null, r.label), el("td.right", null, short(r.value) + (chart.unit ? " " + chart.unit : "")), el("td.dim", null, r.line)))))),
    all.length > LISTED ? el("p.dim.small", null, "… " + plural(all.length - LISTED, "more", "more")) : null);
}

/**
 * The part of the page with all charts of a clock.
 * @param {string} clock
 * @param {import("./logs.js").Entry[]} list
 * @param {Chart[]} charts
 * @param {any[]} findings
 */
function section(clock, list, charts, findings) {
  const key = "log-" + clock;
  const first = list[0].ms;
  const last = Math.max(list[list.length - 1].ms, first + 1);
  const places = placesOf(list, findings);
  const head = el("span.dim");
  const body = el("div.plots");
  const none = el("p.dim.small");
  /** @type {any[]} */
  let plots = [];
  let width = 0;

  function draw() {
    const m = /^(-?[\d.]+)~(-?[\d.]+)$/.exec(stateGet(key));
    const v0 = m ? Number(m[1]) : first;
    const v1 = m ? Math.max(Number(m[2]), v0 + 0.001) : last;
    fill(head, when(v0, clock) + " to " + when(v1, clock));
    plots.forEach((p) => p.destroy());
    plots = [];
    fill(body);
    width = body.clientWidth;
    const all = [rates(list, v0, v1), ...charts].map((chart) => {
      const n = chart.series.reduce((sum, s) => sum + s.ms.filter((ms) => ms >= v0 && ms <= v1).length, 0);
      const host = el("div.plot");
      const part = el("section", null, el("h3", null, chart.title + (chart.unit ? ", " + chart.unit : ""),
        el("span.dim.small", null, chart.note ? "  " + chart.note : "  " + plural(n, "figure", "figures") + " here")), host, chart.note ? null : figures(chart, clock));
      return { chart, n, host, part };
    });
    const seen = all.filter((x) => x.n || x.chart.note);
    const empty = all.filter((x) => !x.n && !x.chart.note);
    fill(body, ...seen.map((x) => x.part));
    fill(none, empty.length ? "No figures in this stretch of: " + empty.map((x) => x.chart.title).join("; ") + "." : "");
    plots = seen.map((x) => plot(x.host, x.chart, { clock, v0, v1, places, onspan: (from, to) => stateSet({ [key]: from.toFixed(3) + "~" + to.toFixed(3) }, true) }));
  }
  new ResizeObserver(() => {
    if (body.clientWidth && Math.abs(body.clientWidth - width) > 1)
      draw();
  }).observe(body);
  onTheme(draw);
  return {
    key, draw,
    element: el("section", null, el("div.bar", null, el("h2", null, CLOCKS[clock] || "No clock"),
      el("button", { type: "button", onclick: () => stateSet({ [key]: "" }, true) }, "all"), ...stretches(list, clock), head), body, none),
    plots: () => plots,
  };
}

/**
 * Show the tab Charts.
 * @param {HTMLElement} host
 * @param {any[]} captures those of index.captures that have logs
 * @param {any[]} findings
 */
export async function showCharts(host, captures, findings) {
  if (!uPlot) {
    fill(host, el("p", null, "No charts: this assay was built without uPlot, which draws them. The meson option ",
      el("code", null, "-Dcharts=enabled"), " asks for it; the Log tab has the records along time, and ", el("code", null, "assay report --json"), " the figures."));
    return { host, onChange: () => {}, focusSearch: () => {}, probe: { sections: [] } };
  }
  const { byClock } = await collect(captures);
  const charts = await gather(captures);
  const sections = [...byClock.entries()].map(([clock, list]) => section(clock, list, charts.get(clock) || [], findings));
  fill(host, ...sections.map((s) => s.element),
    el("p.dim.small", null, "Drag in a chart to see a part of it in all of them, and in the log. Numbered marks are the places that findings cite. A line keeps its value until the next one; a dot is one moment."),
    el("details.small", null, el("summary", null, "Charts are drawn by uPlot (MIT licence)"), el("pre", null, licence)));
  requestAnimationFrame(() => sections.forEach((s) => s.draw()));
  return {
    host,
    /** @param {Set<string>} changed */
    onChange(changed) {
      for (const s of sections)
        if (changed.has(s.key))
          s.draw();
    },
    focusSearch: () => {},
    /** @param {KeyboardEvent} e */
    key(e) {
      if (e.key === "Escape")
        stateSet(Object.fromEntries(sections.map((s) => [s.key, ""])), true);
    },
    probe: { sections },
  };
}
