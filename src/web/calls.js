// Calls or samples over time. Each task or CPU is a band of rows, with a row for each call depth.
import { amount, clean, cut, el, fill, plural, time, times } from "./dom.js";
import { colourSymbols, onTheme, palette, pixel } from "./colours.js";
import { makeRows, markSums } from "./raster.js";
import { makeTree } from "./flame_tree.js";
import { samplesAsCalls } from "./sample_chart.js";
import { matcher, matchSymbols } from "./search.js";
import { rasterView } from "./canvas.js";
import { readBlock } from "./data.js";
import { get as stateGet, set as stateSet } from "./state.js";

/**
 * Boxes of the calls, in rows by lane (task or CPU) and depth. The boxes of a row are sorted by start and do not overlap.
 * @param {import("./data.js").Block} block
 */
function makeBands(block) {
  const c = block.columns;
  const n = c.start.length;
  const lanes = block.meta.lanes;
  const deepest = new Int32Array(lanes.length).fill(-1);
  for (let i = 0; i < n; i++)
    if (c.depth[i] > deepest[c.lane[i]])
      deepest[c.lane[i]] = c.depth[i];
  // each lane has a row for its name, then a row for each depth
  const first = new Uint32Array(lanes.length);
  let nRows = 0;
  const names = new Map();
  for (let l = 0; l < lanes.length; l++) {
    if (deepest[l] < 0)
      continue;
    names.set(nRows, lanes[l]);
    first[l] = nRows + 1;
    nRows += deepest[l] + 2;
  }
  const order = new Uint32Array(n).map((_, i) => i).sort((a, b) => c.start[a] - c.start[b] || c.depth[a] - c.depth[b]);
  const row = new Uint32Array(n);
  const start = new Float64Array(n);
  const length = new Float64Array(n);
  const behind = new Float64Array(nRows);
  let end = 0;
  for (let k = 0; k < n; k++) {
    const i = order[k];
    const r = first[c.lane[i]] + c.depth[i];
    const stop = Math.max(behind[r], c.start[i] + c.dur[i]);
    row[k] = r;
    start[k] = Math.max(behind[r], c.start[i]);
    length[k] = stop - start[k];
    behind[r] = stop;
    if (stop > end)
      end = stop;
  }
  return { rows: makeRows(nRows, row, start, length), order, row, start, length, nRows, end: end || 1, names, n };
}

/**
 * Show the tab Timeline for a capture: its calls, or else its samples.
 * @param {HTMLElement} host
 * @param {any} capture element of index.captures
 */
export async function showCalls(host, capture) {
  const block = capture.calls ? await readBlock(capture.calls)
    : samplesAsCalls(await readBlock(capture.samples), makeTree(await readBlock(capture.flame)));
  const isSamples = block.meta.is_samples === true;
  const c = block.columns;
  const symbols = block.meta.symbols;
  const bands = makeBands(block);
  const self = new Float64Array(symbols.name.length);
  for (let i = 0; i < c.sym.length; i++)
    self[c.sym[i]] += c.dur[i];
  let colours = colourSymbols(symbols, stateGet("col", "space"), self);
  let shades = palette().map(pixel);
  let v0 = 0;
  let v1 = bands.end;
  let focus = -1;
  /** @type {Uint8Array | null} */
  let hit = null;
  /** @type {Float64Array | null} */
  let marks = null;
  const scale = { unit: "ns", decimals: 0 };
  const titles = new Map([...bands.names].map(([row, name]) => [row, clean(name.slice(0, 200))]));
  const details = el("div.details", { "aria-live": "polite" });
  const span = el("span.found");
  const search = el("input", { type: "search", placeholder: 'search: text, "whole name" or /regex/', "aria-label": "Search functions", spellcheck: false, autocomplete: "off" });
  const axis = el("div.axis", { "aria-hidden": "true" });

  /** @param {number} k */
  const symOf = (k) => c.sym[bands.order[k]];
  const view = rasterView({
    label: (isSamples ? "Samples" : "Calls") + " along time; arrows move, plus and minus zoom, Escape shows all",
    picture: () => ({
      rows: bands.rows, nShown: bands.nRows, isUp: false, v0, v1,
      colour: (k) => shades[colours.place[symOf(k)]],
      label: (k) => clean(symbols.name[symOf(k)].slice(0, 400)), marks,
      isMarked: (k) => hit !== null && hit[symOf(k)] === 1,
      bounds: (k) => ({ row: bands.row[k], start: bands.start[k], end: bands.start[k] + bands.length[k] }),
      focus, least: 0.6, titles,
    }),
    describe,
    onclick: (k) => {
      focus = k;
      fill(details, ...describe(focus));
      if (k >= 0)
        look(bands.start[k] - bands.length[k] * 0.02, bands.start[k] + bands.length[k] * 1.02, true);
    },
    ondrag: (from, to) => look(from, to, true),
  });

  /** The details of box k; -1: of the whole timeline. @param {number} k @returns {any[]} */
  function describe(k) {
    if (k < 0 && isSamples)
      return [plural(block.meta.drawn, "sample", "samples") + (block.meta.calls > block.meta.drawn ? " of " + block.meta.calls : "") + " in " + time(bands.end)
        + ". Each stands until the next of its thread, " + time(block.meta.apart) + " as a rule; where that is far away it stands for this long only. What ran between two samples is not known."];
    if (k < 0)
      return [plural(block.meta.calls, "call", "calls") + (block.meta.calls > bands.n ? ", the first " + bands.n + " are here" : "") + ", " + amount(bands.end, scale),
        block.meta.has_times ? "" : ". The trace has no start times: calls stand one behind another in their order, gaps between them are not known."];
    const i = bands.order[k];
    const s = symOf(k);
    const module = symbols.modules[symbols.module[s]];
    const span = times([c.start[i], c.start[i] + c.dur[i]]);
    return [el("b", null, cut(symbols.name[s])), module ? "  " + module : "", el("br"),
      isSamples ? plural(c.count[i], "sample", "samples") + " in a row, from " + span.join(" to ") : time(c.dur[i]) + (block.meta.has_times ? " from " + span[0] : ""),
      c.line && c.line[i] ? " · line " + c.line[i] : "", " · " + block.meta.lanes[c.lane[i]]];
  }

  /** Show the times from a to b. @param {number} a @param {number} b @param {boolean} [isStep] Back undoes it */
  function look(a, b, isStep) {
    const least = Math.min(bands.end, 20);
    let length = Math.min(bands.end, Math.max(least, b - a));
    let from = Math.min(Math.max(0, a + (b - a - length) / 2), bands.end - length);
    if (length > bands.end * 0.999) {
      from = 0;
      length = bands.end;
    }
    stateSet({ t: length === bands.end ? "" : Math.round(from) + "-" + Math.round(from + length) }, isStep);
  }

  function applySpan() {
    const m = /^(\d+)-(\d+)$/.exec(stateGet("t"));
    v0 = m ? Math.min(Number(m[1]), bands.end) : 0;
    v1 = m ? Math.min(Number(m[2]), bands.end) : bands.end;
    if (v1 <= v0)
      [v0, v1] = [0, bands.end];
    fill(span, times([v0, v1]).join(" to "));
    fill(axis, ...times([0, 0.25, 0.5, 0.75].map((f) => v0 + (v1 - v0) * f)).map((t) => el("span", null, t)));
    view.redraw();
  }

  function applySearch() {
    search.value = stateGet("q");
    hit = matchSymbols(symbols, matcher(stateGet("q")));
    marks = hit ? markSums(bands.rows, (k) => hit !== null && hit[symOf(k)] === 1) : null;
    view.redraw();
  }

  view.canvas.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
    const w = v1 - v0;
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => look(v0 - w / 5, v1 - w / 5), ArrowRight: () => look(v0 + w / 5, v1 + w / 5),
      "+": () => look(v0 + w / 4, v1 - w / 4), "=": () => look(v0 + w / 4, v1 - w / 4),
      "-": () => look(v0 - w / 2, v1 + w / 2), Escape: () => look(0, bands.end, true),
    };
    const f = e.ctrlKey || e.metaKey || e.altKey ? undefined : keys[e.key];
    if (f) {
      e.preventDefault();
      f();
    }
  });
  view.canvas.addEventListener("wheel", (/** @type {WheelEvent} */ e) => {
    if (!e.ctrlKey)
      return;
    e.preventDefault();
    const box = view.canvas.getBoundingClientRect();
    const at = v0 + (v1 - v0) * (e.clientX - box.left) / box.width;
    const f = Math.exp(e.deltaY / 300);
    look(at - (at - v0) * f, at + (v1 - at) * f);
  }, { passive: false });
  search.addEventListener("input", () => stateSet({ q: search.value }));
  search.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
    if (e.key === "Escape")
      stateSet({ q: "" });
  });
  onTheme(() => {
    shades = palette().map(pixel);
    view.redraw();
  });
  fill(host, el("div.bar", null, search,
    el("button", { type: "button", "aria-label": "Zoom in", onclick: () => look(v0 + (v1 - v0) / 4, v1 - (v1 - v0) / 4) }, "+"),
    el("button", { type: "button", "aria-label": "Zoom out", onclick: () => look(v0 - (v1 - v0) / 2, v1 + (v1 - v0) / 2) }, "−"),
    el("button", { type: "button", onclick: () => look(0, bands.end, true) }, "all"), span),
  axis, view.element, details,
  el("p.dim.small", null, "Each band is a " + (isSamples ? "thread" : "task or CPU") + ": " + [...bands.names.values()].slice(0, 12).join("; ") + (bands.names.size > 12 ? " …" : "") + ". Click a " + (isSamples ? "frame" : "call") + " to see it whole, drag over a range to see it alone, Ctrl and wheel to zoom."));
  fill(details, ...describe(focus));
  applySpan();
  applySearch();
  return {
    host,
    /** @param {Set<string>} changed */
    onChange(changed) {
      if (changed.has("t"))
        applySpan();
      if (changed.has("q"))
        applySearch();
      if (changed.has("col")) {
        colours = colourSymbols(symbols, stateGet("col", "space"), self);
        view.redraw();
      }
    },
    focusSearch: () => search.focus(),
    probe: { view, bands, block },
  };
}
