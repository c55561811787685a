// The tab Log: for each clock, a chart of records over time by level, with marks for lines that findings cite.
import { baseName, clean, el, fill, plural } from "./dom.js";
import { isDark, onTheme, theme } from "./colours.js";
import { matcher } from "./search.js";
import { readBlock } from "./data.js";
import { get as stateGet, set as stateSet } from "./state.js";
import { sharp, stretch } from "./stretch.js";

const HEIGHT = 150;
const SHOWN = 300;
/* indexed by level, the most severe last; lightness differs as well as hue */
const LIGHT = ["#d9d9d9", "#d9d9d9", "#b7cfe6", "#8fb3d9", "#f0c04a", "#d9691e", "#a01858", "#5b0f33"];
const DARK = ["#444444", "#444444", "#2c4a66", "#3f6f9c", "#a87c12", "#e07a35", "#f06aa8", "#ffc0dc"];

/** @type {Record<string, string>} */
export const CLOCKS = { utc: "Clock time (UTC)", boot: "Time since boot", year: "Date without a year", day: "Time of day" };

/** Format a time of the given clock. @param {number} ms @param {string} clock */
export function when(ms, clock) {
  if (clock === "utc")
    return new Date(ms).toISOString().replace("T", " ").replace("Z", "");
  if (clock === "year")
    return new Date(ms).toISOString().slice(5).replace("T", " ").replace("Z", "");
  if (clock === "day")
    return new Date(ms).toISOString().slice(11, 23);
  return (ms / 1000).toFixed(3) + " s";
}

/**
 * @typedef {{ms: number, level: number, line: number, path: string, stream: any, text: string, module: string}} Entry
 */

/**
 * Collect the records of all logs by clock. timeless: number of records without a time; cut: number of records that the page lacks.
 * @param {any[]} captures
 * @returns {Promise<{byClock: Map<string, Entry[]>, levels: string[], timeless: number, cut: number}>}
 */
export async function collect(captures) {
  /** @type {Map<string, Entry[]>} */
  const byClock = new Map();
  let levels = [];
  let timeless = 0;
  let cut = 0;
  for (const capture of captures) {
    const b = await readBlock(capture.log);
    levels = b.meta.levels;
    cut += b.meta.records - b.columns.ms.length;
    for (let i = 0; i < b.columns.ms.length; i++) {
      const stream = b.meta.streams[b.columns.stream[i]] || { clock: "none", process: "", node: "", title: "" };
      if (b.columns.ms[i] < 0) {
        timeless++;
        continue;
      }
      const list = byClock.get(stream.clock) || [];
      list.push({
        ms: b.columns.ms[i], level: b.columns.level[i], line: b.columns.line[i], path: capture.path, stream,
        text: b.meta.texts[i] || "", module: b.meta.modules[i] || "",
      });
      byClock.set(stream.clock, list);
    }
  }
  for (const list of byClock.values())
    list.sort((a, b) => a.ms - b.ms);
  return { byClock, levels, timeless, cut };
}

/** The times of the records that findings cite, ascending. @param {Entry[]} list @param {any[]} findings */
export function placesOf(list, findings) {
  /** @type {{ms: number, text: string, at: number}[]} */
  const places = [];
  findings.forEach((f, at) => f.evidence.forEach((/** @type {any} */ e) => {
    const entry = list.find((r) => r.line === e.line && r.path === e.path);
    if (entry)
      places.push({ ms: entry.ms, text: f.claim, at });
  }));
  return places.sort((a, b) => a.ms - b.ms);
}

/**
 * Buttons that zoom into a part of the log; the parts are separated by long times without records.
 * @param {Entry[]} list
 * @param {string} clock
 */
export function stretches(list, clock) {
  const first = list[0].ms;
  const last = list[list.length - 1].ms;
  const parts = [{ from: first, to: first, n: 0 }];
  for (const r of list) {
    let part = parts[parts.length - 1];
    if (r.ms - part.to > (last - first) / 20) {
      part = { from: r.ms, to: r.ms, n: 0 };
      parts.push(part);
    }
    part.to = r.ms;
    part.n++;
  }
  if (parts.length < 2 || parts.length > 9)
    return [];
  return parts.map((p) => el("button", { type: "button", onclick: () => stateSet({ ["log-" + clock]: p.from.toFixed(3) + "~" + Math.max(p.to, p.from + 1).toFixed(3) }, true) },
    when(p.from, clock).replace(/\.\d+( s)?$/, "$1") + ": " + plural(p.n, "record", "records")));
}

/** The colours of levels, the most severe last; lightness differs as well as hue. @returns {string[]} */
export function levelShades() {
  return isDark() ? DARK : LIGHT;
}

/** A table of the first records of the list. @param {Entry[]} list @param {string} clock @param {string[]} levels */
export function recordTable(list, clock, levels) {
  return el("table.log", null, el("tbody", null, ...list.slice(0, SHOWN).map((r) => el("tr.l" + r.level, null,
    el("td", null, when(r.ms, clock)), el("td", null, el("b", null, r.level ? levels[r.level] : "")),
    el("td", null, [r.stream.process, r.stream.node].filter((x) => x).join("@") || clean(r.stream.title)),
    el("td", null, r.module), el("td.text", null, r.text), el("td.dim", null, baseName(r.path) + ":" + r.line)))));
}

/**
 * The chart and the table for the records of a clock.
 * @param {string} clock
 * @param {Entry[]} list
 * @param {string[]} levels
 * @param {any[]} findings
 */
function chart(clock, list, levels, findings) {
  const canvas = el("canvas.chart", { tabIndex: 0, role: "img", "aria-label": "Records along time; drag to zoom; arrows move, plus and minus zoom, Escape shows all" });
  const head = el("div.details");
  const table = el("div.wide");
  const first = list[0].ms;
  const last = Math.max(list[list.length - 1].ms, first + 1);
  const key = "log-" + clock;
  const chosen = stretch(canvas, { key, digits: 3, draw });
  const places = placesOf(list, findings);

  function draw() {
    const sheet = sharp(canvas, HEIGHT);
    if (!sheet)
      return;
    const { g, width } = sheet;
    const { v0, v1 } = chosen.view;
    const t = theme();
    const shades = levelShades();
    const nBins = Math.max(10, Math.floor(width / 6));
    const bins = Array.from({ length: nBins }, () => new Uint32Array(levels.length));
    let most = 1;
    for (const r of list) {
      if (r.ms < v0 || r.ms > v1)
        continue;
      bins[Math.min(nBins - 1, Math.floor((r.ms - v0) / (v1 - v0) * nBins))][r.level]++;
    }
    for (const b of bins)
      most = Math.max(most, b.reduce((a, x) => a + x, 0));
    g.fillStyle = t.bg;
    g.fillRect(0, 0, width, HEIGHT);
    const room = HEIGHT - 34;
    bins.forEach((b, at) => {
      let y = HEIGHT - 16;
      for (let l = 0; l < b.length; l++) {
        if (!b[l])
          continue;
        const h = Math.max(1.5, b[l] / most * room);
        g.fillStyle = shades[Math.min(l, shades.length - 1)];
        g.fillRect(at * width / nBins, y - h, Math.max(1, width / nBins - 1), h);
        y -= h;
      }
    });
    g.fillStyle = t.dim;
    g.font = "11px system-ui, sans-serif";
    g.fillText(when(v0, clock), 2, HEIGHT - 3);
    const right = when(v1, clock);
    g.fillText(right, width - g.measureText(right).width - 2, HEIGHT - 3);
    const per = (v1 - v0) / nBins;
    g.fillText("highest bar: " + most + " in " + (per < 1000 ? per.toPrecision(3) + " ms" : per < 120000 ? (per / 1000).toPrecision(3) + " s" : (per / 60000).toPrecision(3) + " min"), 2, 11);
    let behind = -99;
    for (const p of places) {
      if (p.ms < v0 || p.ms > v1)
        continue;
      const x = (p.ms - v0) / (v1 - v0) * width;
      g.strokeStyle = g.fillStyle = t.hit;
      g.beginPath();
      g.moveTo(x, 16);
      g.lineTo(x, HEIGHT - 16);
      g.stroke();
      // print the number of the finding, if there is room for it
      if (x > behind + 18) {
        g.fillText(String(p.at + 1), Math.min(width - 16, x + 3), 24);
        behind = x;
      }
    }
    chosen.shade(g, HEIGHT);
  }

  function rows() {
    const { v0, v1 } = chosen.view;
    const m = matcher(stateGet("q"));
    const inside = list.filter((r) => r.ms >= v0 && r.ms <= v1 && (!m || m.test(r.text, r.module)));
    fill(head, plural(inside.length, "record", "records") + " from " + when(v0, clock) + " to " + when(v1, clock)
      + (inside.length > SHOWN ? "; the first " + SHOWN + " are below, drag to see others" : ""));
    fill(table, recordTable(inside, clock, levels));
  }

  function apply() {
    chosen.readState(first, last);
    draw();
    rows();
  }

  new ResizeObserver(draw).observe(canvas);
  onTheme(draw);
  return {
    element: el("section", null, el("div.bar", null, el("h3", null, CLOCKS[clock] || "No clock"),
      el("button", { type: "button", onclick: chosen.all }, "all"), ...stretches(list, clock)), canvas, head, table),
    apply,
    key,
  };
}

/**
 * Show the tab Log.
 * @param {HTMLElement} host
 * @param {any[]} captures those of index.captures that have logs
 * @param {any[]} findings
 */
export async function showLogs(host, captures, findings) {
  const { byClock, levels, timeless, cut } = await collect(captures);
  const charts = [...byClock.entries()].map(([clock, list]) => chart(clock, list, levels, findings));
  const search = el("input", { type: "search", placeholder: "filter: text or /regex/", "aria-label": "Filter records", spellcheck: false, autocomplete: "off" });
  const shades = levelShades();
  search.addEventListener("input", () => stateSet({ q: search.value }));
  search.value = stateGet("q");
  fill(host, el("div.bar", null, search, el("span.legend", null, ...levels.map((l, i) => {
    const swatch = el("i.swatch");
    swatch.style.background = shades[i];
    return i ? el("span.key", null, swatch, l) : null;
  }))),
  ...charts.map((c) => c.element),
  el("p.dim.small", null, "Drag in a chart to see a part of it. Numbered lines are the places that findings cite.",
    timeless ? " " + plural(timeless, "record has", "records have") + " no time and is not drawn." : "",
    cut ? " " + plural(cut, "record is", "records are") + " more than a page should hold." : ""));
  charts.forEach((c) => c.apply());
  return {
    host,
    /** @param {Set<string>} changed */
    onChange(changed) {
      if (changed.has("q"))
        search.value = stateGet("q");
      for (const c of charts)
        if (changed.has("q") || changed.has(c.key))
          c.apply();
    },
    focusSearch: () => search.focus(),
    probe: { charts },
  };
}
