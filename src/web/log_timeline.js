// Logs and recordings on a common time axis: shows which code ran when a log line was written.
import { baseName, clean, el, fill, plural, time } from "./dom.js";
import { colourSymbols, onTheme, palette, theme } from "./colours.js";
import { CLOCKS, collect, levelShades, placesOf, recordTable, when } from "./logs.js";
import { geometry } from "./heat.js";
import { makeTree, selfBySymbol } from "./flame_tree.js";
import { readBlock } from "./data.js";
import { get as stateGet, set as stateSet } from "./state.js";
import { sharp, stretch } from "./stretch.js";

const LANE = 96;
const HEAD = 18;

/**
 * A lane of the picture: the times of samples, calls or log records, drawn as stacked bars by kind.
 * @typedef {{
 *   title: string, unit: string, capture: number, isShifted: boolean,
 *   first: number, ms: Float64Array, kind: ArrayLike<number>, shades: () => string[], names: {kind: number, text: string}[]
 * }} Lane ms: times relative to `first`, ascending
 */

/** Whether a capture can be a lane. @param {any} c element of index.captures */
export function hasTimes(c) {
  return (c.samples && c.flame) || c.calls;
}

/**
 * The lane for a capture's samples or calls; null: they have no times.
 * @param {any} c element of index.captures
 * @param {number} at
 */
async function laneOf(c, at) {
  const name = (c.event || c.format) + ", " + baseName(c.path) + (c.first_line ? " lines " + c.first_line + "–" + c.last_line : "");
  const block = await readBlock(c.samples || c.calls);
  const m = block.meta;
  if (!c.samples && !m.has_times)
    return null;
  let symbols = m.symbols;
  let sym = block.columns.sym;
  let self = new Float64Array(0);
  if (c.samples) {
    const tree = makeTree(await readBlock(c.flame));
    symbols = tree.symbols;
    self = selfBySymbol(tree);
    sym = Uint32Array.from(block.columns.frame, (f) => tree.sym[f]);
  } else {
    self = new Float64Array(symbols.name.length).fill(1);
  }
  const { place, legend } = colourSymbols(symbols, "space", self);
  const raw = c.samples ? block.columns.time : block.columns.start;
  const tick = c.samples ? m.tick_ns / 1e6 : 1e-6;
  const order = Uint32Array.from(raw, (_, i) => i).sort((a, b) => raw[a] - raw[b]);
  return {
    lane: /** @type {Lane} */ ({
      title: name, unit: c.samples ? "samples" : "calls", capture: at, isShifted: false, first: 0,
      ms: Float64Array.from(order, (i) => raw[i] * tick), kind: Uint8Array.from(order, (i) => place[sym[i]]), shades: palette,
      names: legend.map((l) => ({ kind: l.place, text: l.text })),
    }),
    utc: m.utc_ms, boot: m.boot_ms,
  };
}

/** Index of the first of the ascending values that is not below v. @param {Float64Array} values @param {number} v */
function lower(values, v) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const mid = (low + high) >>> 1;
    if (values[mid] < v)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

/**
 * Show the tab Log and recording.
 * @param {HTMLElement} host
 * @param {any} index
 * @param {any[]} findings
 */
export async function showLogTimeline(host, index, findings) {
  const { byClock, levels } = await collect(index.captures.filter((/** @type {any} */ c) => c.log));
  /** @type {NonNullable<Awaited<ReturnType<typeof laneOf>>>[]} */
  const recordings = [];
  for (let i = 0; i < index.captures.length; i++) {
    const r = hasTimes(index.captures[i]) && !index.captures[i].is_excerpt ? await laneOf(index.captures[i], i) : null;
    if (r)
      recordings.push(r);
  }
  if (!recordings.length) {
    fill(host, el("p", null, "No recording here has times of samples or calls, so none is drawn next to the log."));
    return { host, onChange: () => {}, focusSearch: () => {}, probe: { parts: [] } };
  }
  const shift = el("input", { type: "number", step: "any", "aria-label": "Seconds from the log's first record to the recording's first moment" });
  shift.addEventListener("change", () => stateSet({ shift: shift.value }, true));
  const parts = [...byClock.entries()].filter(([clock]) => clock !== "none")
    .map(([clock, list]) => axis(clock, list, levels, findings, recordings, index));
  const some = parts.some((p) => p.isRelated);
  fill(host, ...parts.map((p) => p.element),
    recordings.length ? el("div.bar", null, el("label", null, some ? "Put the recordings this many seconds behind the log's first record: " : "How their clocks are related is not known. The recordings begin this many seconds behind the log's first record: ", shift),
      el("button", { type: "button", onclick: () => stateSet({ shift: "" }, true) }, some ? "as the clocks say" : "not known")) : null,
    el("p.dim.small", null, "Samples and calls have the clock of the kernel's log unless they say otherwise (perf record -k): both count from boot; of two boots they would not meet. Times of day meet where a recording says what time of day it was by its clock. Drag to see a part; numbered lines are the places that findings cite."));
  const onChange = (/** @type {Set<string>} */ changed) => {
    if (changed.has("shift"))
      shift.value = stateGet("shift");
    for (const p of parts)
      if (changed.has("shift") || changed.has(p.key))
        p.apply();
  };
  onChange(new Set(["shift"]));
  return {
    host, onChange, focusSearch: () => {},
    /** @param {KeyboardEvent} e */
    key(e) {
      if (e.key === "Escape")
        stateSet(Object.fromEntries(parts.map((p) => [p.key, ""])), true);
    },
    probe: { parts },
  };
}

/**
 * The picture for all logs and recordings of a clock.
 * @param {string} clock
 * @param {import("./logs.js").Entry[]} list
 * @param {string[]} levels
 * @param {any[]} findings
 * @param {NonNullable<Awaited<ReturnType<typeof laneOf>>>[]} recordings
 * @param {any} index
 */
function axis(clock, list, levels, findings, recordings, index) {
  const key = "tg-" + clock;
  const canvas = el("canvas.chart", { tabIndex: 0, role: "img", "aria-label": "Log and recordings along time; drag to zoom; arrows move, plus and minus zoom, Escape shows all" });
  const said = el("div.details", { role: "status" });
  const legend = el("div.legend");
  const table = el("div.wide");
  const places = placesOf(list, findings);
  /** @type {Lane} */
  const log = {
    title: "log records", unit: "records", capture: -1, isShifted: false, first: list[0].ms,
    ms: Float64Array.from(list, (r) => r.ms - list[0].ms), kind: Uint8Array.from(list, (r) => r.level), shades: levelShades,
    names: levels.map((text, kind) => ({ kind, text: kind ? text : "no level" })),
  };
  /** @type {Lane[]} */
  let lanes = [log];
  const chosen = stretch(canvas, { key, digits: 4, draw });
  const own = recordings.map((r) => (clock === "utc" ? r.utc : clock === "boot" ? r.boot : undefined));
  const isRelated = own.some((x) => x !== undefined);

  function place() {
    const by = stateGet("shift");
    lanes = [];
    recordings.forEach((r, i) => {
      const start = by !== "" && Number.isFinite(Number(by)) ? log.first + 1000 * Number(by) : own[i];
      if (start !== undefined)
        lanes.push({ ...r.lane, first: start, isShifted: by !== "" });
    });
    lanes.push(log);
    const first = Math.min(...lanes.map((l) => l.first));
    chosen.readState(first, Math.max(first + 1, ...lanes.map((l) => l.first + l.ms[l.ms.length - 1])));
  }

  /** Count the shown times of a lane by bin and kind. @param {Lane} l @param {number} nBins */
  function bins(l, nBins) {
    const shades = l.shades();
    const all = Array.from({ length: nBins }, () => new Uint32Array(shades.length));
    const { v0, v1 } = chosen.view;
    const to = lower(l.ms, v1 - l.first + 1e-9);
    for (let i = lower(l.ms, v0 - l.first); i < to; i++)
      all[Math.min(nBins - 1, Math.max(0, Math.floor((l.first + l.ms[i] - v0) / (v1 - v0) * nBins)))][Math.min(shades.length - 1, l.kind[i])]++;
    return all;
  }

  function draw() {
    const height = lanes.length * LANE + 18;
    const sheet = sharp(canvas, height);
    if (!sheet)
      return;
    const { g, width } = sheet;
    const { v0, v1 } = chosen.view;
    const t = theme();
    canvas.style.height = height + "px";
    g.fillStyle = t.bg;
    g.fillRect(0, 0, width, height);
    g.font = "12px system-ui, sans-serif";
    const nBins = Math.max(10, Math.floor(width / 4));
    lanes.forEach((l, at) => {
      const top = at * LANE;
      const all = bins(l, nBins);
      const shades = l.shades();
      const most = Math.max(1, ...all.map((b) => b.reduce((a, x) => a + x, 0)));
      all.forEach((b, k) => {
        let y = top + LANE - 2;
        for (let c = 0; c < b.length; c++) {
          if (!b[c])
            continue;
          const h = Math.max(1, b[c] / most * (LANE - HEAD - 6));
          g.fillStyle = shades[c];
          g.fillRect(k * width / nBins, y - h, Math.max(1, width / nBins - 0.5), h);
          y -= h;
        }
      });
      g.fillStyle = t.dim;
      g.fillRect(0, top + LANE - 1, width, 1);
      const per = (v1 - v0) / nBins * 1e6;
      const unit = most === 1 ? l.unit.replace(/s$/, "") : l.unit;
      const right = `highest bar: ${most} ${unit} in ${time(per)}`;
      const room = width - (width > 560 ? g.measureText(right).width + 12 : 4);
      let title = clean(l.title);
      while (title.length > 4 && g.measureText(title).width > room)
        title = title.slice(0, -2).replace(/…?$/, "…");
      g.fillStyle = t.fg;
      g.fillText(title, 2, top + 13);
      if (width > 560)
        g.fillText(right, width - g.measureText(right).width - 2, top + 13);
    });
    g.fillStyle = t.fg;
    g.fillText(when(v0, clock), 2, height - 4);
    const end = when(v1, clock);
    g.fillText(end, width - g.measureText(end).width - 2, height - 4);
    let behind = -99;
    for (const p of places) {
      const x = (p.ms - v0) / (v1 - v0) * width;
      if (x < 0 || x > width)
        continue;
      g.strokeStyle = g.fillStyle = t.hit;
      g.setLineDash([3, 3]);
      g.beginPath();
      g.moveTo(x, HEAD);
      g.lineTo(x, height - 18);
      g.stroke();
      g.setLineDash([]);
      if (x > behind + 18) {
        g.fillText(String(p.at + 1), Math.min(width - 16, x + 3), HEAD + 8);
        behind = x;
      }
    }
    chosen.shade(g, height);
  }

  /** A button that compares the shown part of a recording with its rest; null: the whole is shown. @param {Lane} l */
  function compareButton(l) {
    const c = index.captures[l.capture];
    const { v0, v1 } = chosen.view;
    const from = Math.max(0, v0 - l.first);
    const to = Math.min(l.ms[l.ms.length - 1], v1 - l.first);
    if (!c.samples || to <= from || (from <= 0 && to >= l.ms[l.ms.length - 1]))
      return null;
    return el("button", { type: "button", onclick: async () => {
      const { length, rows } = geometry(await readBlock(c.samples));
      const cell = (/** @type {number} */ ms) => Math.floor(ms / 1000 / length * rows);
      stateSet({ tab: "heat", c: String(l.capture), r: cell(from) + "-" + cell(to), hz: "" }, true);
    } }, "compare this part of " + (c.event || c.format) + " with its rest");
  }

  function apply() {
    place();
    draw();
    const { v0, v1 } = chosen.view;
    const inside = list.filter((r) => r.ms >= v0 && r.ms <= v1);
    const met = lanes.filter((l) => l !== log && l.first <= list[list.length - 1].ms && l.first + l.ms[l.ms.length - 1] >= list[0].ms);
    fill(said, plural(inside.length, "record", "records"), ...lanes.filter((l) => l !== log).map((l) => {
      const n = lower(l.ms, v1 - l.first + 1e-9) - lower(l.ms, v0 - l.first);
      return ", " + (n === 1 ? "1 " + l.unit.slice(0, -1) : plural(n, l.unit, l.unit)) + " of " + l.title;
    }), ` from ${when(v0, clock)} to ${when(v1, clock)} (${time((v1 - v0) * 1e6)})`,
    lanes.length > 1 && !met.length ? ". The recording and the log have no moment in common." : "",
    ...lanes.filter((l) => l !== log).map(compareButton).filter((b) => b).flatMap((b) => [" ", b]));
    fill(legend, ...lanes.flatMap((l) => {
      const used = new Set(Array.from(l.kind));
      return l.names.filter((x) => used.has(x.kind)).map((x) => ({ colour: l.shades()[x.kind], text: x.text }));
    }).filter((x, i, all) => all.findIndex((y) => y.text === x.text) === i).map((x) => {
      const swatch = el("i.swatch");
      swatch.style.background = x.colour;
      return el("span.key", null, swatch, x.text);
    }));
    fill(table, recordTable(inside, clock, levels), inside.length > 300 ? el("p.dim.small", null, "the first 300; drag to see others") : "");
  }

  new ResizeObserver(draw).observe(canvas);
  onTheme(apply);
  return {
    key, apply, isRelated,
    lanes: () => lanes,
    element: el("section", null, el("div.bar", null, el("h3", null, CLOCKS[clock]), el("button", { type: "button", onclick: chosen.all }, "all")), canvas, legend, said, table),
  };
}
