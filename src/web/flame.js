// The flame graph, with zoom, search, details and keys. It shows a capture, or another tree of frames.
import { amount, clean, count, cut, el, fill, plural, share } from "./dom.js";
import { colourSymbols, onTheme, palette, pixel, theme } from "./colours.js";
import { hitWeight, makeTree, selfBySymbol } from "./flame_tree.js";
import { markSums, mix } from "./raster.js";
import { matcher, matchSymbols } from "./search.js";
import { rasterView } from "./canvas.js";
import { readBlock } from "./data.js";
import { get as stateGet, set as stateSet } from "./state.js";

/**
 * @typedef {import("./flame_tree.js").Tree} Tree
 * @typedef {{colour: string, text: string, note: string, isDashed?: boolean}} Key
 * @typedef {{
 *   id: string, label: string, tree: Tree, zoomKey: string,
 *   colours: {id: string, text: string, of: () => {place: (i: number) => number, shades: () => string[], legend: () => Key[]}}[],
 *   nameOf: (i: number) => string, describe: (i: number) => any[], remarks: string,
 *   whole?: number, bar?: HTMLElement[], isDashed?: (i: number) => boolean
 * }} FlameOptions colours: the first one is used, unless the URL's hash selects another
 */

/** @param {Tree} tree @param {number} i */
function nameOf(tree, i) {
  return tree.symbols.name[tree.sym[i]] || (i === 0 ? "all" : "(no name)");
}

/** The details of frame i. @param {Tree} tree @param {number} i */
function describe(tree, i) {
  const s = tree.symbols;
  const sym = tree.sym[i];
  const category = s.category[sym];
  const what = i === 0 ? "" : [s.modules[s.module[sym]],
    s.spaces[s.space[sym]] === "command" ? "command" : s.categories[category]].filter((x) => x).join(", ");
  const rate = tree.meta.unit === "percent" ? share(tree.total[i], tree.whole)
    : share(tree.total[i], tree.whole) + ", " + amount(tree.total[i], tree.meta);
  return [el("b", null, cut(nameOf(tree, i))), what ? "  " + what : "", el("br"), rate,
    i ? " · " + share(tree.total[i], tree.total[tree.parent[i]]) + " of its caller" : "",
    " · itself " + share(tree.self[i], tree.whole),
    tree.count[i] && tree.meta.is_counted ? " (" + plural(tree.count[i], tree.meta.from_calls ? "call" : "sample", tree.meta.from_calls ? "calls" : "samples") + ")" : ""];
}

/** Sentences about the limits of the picture. @param {Tree} tree */
function remarks(tree) {
  const m = tree.meta;
  const said = [];
  if (m.from_calls)
    said.push("Widths are time in calls, the tracer's own cost included.");
  if (m.rebuilt)
    said.push("Rebuilt from a printed report.");
  if (m.partly)
    said.push("From a printed report, as far as it shows chains.");
  if (tree.whole > tree.total[0] * 1.0001)
    said.push(share(tree.whole - tree.total[0], tree.whole) + " of the whole is not in it.");
  if (m.hidden_frames)
    said.push(plural(m.hidden_frames, "frame", "frames") + " with " + share(m.hidden, tree.whole) + " of the weight are too many for a page and not drawn.");
  said.push("Narrower than a pixel: shaded by how much of it they cover.");
  return said.join(" ");
}

// frames that are no code, but states of threads (transform/wall_clock.h): names, meanings, colours in the palette
const STATES = ["", "[running]", "[ready]", "[waiting]"];
const STATE_TEXTS = ["no code", "running", "ready, without a CPU", "waiting"];
const STATE_PLACES = [0, 1, 8, 3];

/**
 * Colours by thread state: each frame has the colour of the nearest state frame that contains it. Empty: no state frames.
 * @param {Tree} tree
 * @returns {FlameOptions["colours"]}
 */
function stateColours(tree) {
  const s = tree.symbols;
  const state = new Uint8Array(tree.n);
  const weights = [0, 0, 0, 0];
  for (let i = 1; i < tree.n; i++) {
    const sym = tree.sym[i];
    const mark = s.spaces[s.space[sym]] === "command" ? STATES.indexOf(s.name[sym], 1) : -1;
    state[i] = mark > 0 ? mark : state[tree.parent[i]];
    weights[state[i]] += tree.self[i];
  }
  if (!weights[1] && !weights[2] && !weights[3])
    return [];
  return [{
    id: "state", text: "colour: running and waiting",
    of: () => ({
      place: (i) => STATE_PLACES[state[i]], shades: palette,
      legend: () => STATES.map((_, k) => k).filter((k) => weights[k] > 0).map((k) => ({
        colour: palette()[STATE_PLACES[k]], text: STATE_TEXTS[k], note: share(weights[k], tree.whole) + ", " + amount(weights[k], tree.meta),
      })),
    }),
  }];
}

/**
 * The choices of colours: by thread state if the tree has state frames, by kind of code, module, and kind of work.
 * @param {Tree} tree
 * @returns {FlameOptions["colours"]}
 */
export function symbolColours(tree) {
  const self = selfBySymbol(tree);
  return stateColours(tree).concat([["space", "kind of code"], ["dso", "module"], ["category", "kind of work"]].map(([id, text]) => ({
    id, text: "colour: " + text,
    of: () => {
      const c = colourSymbols(tree.symbols, id, self);
      return {
        place: (i) => c.place[tree.sym[i]], shades: palette,
        legend: () => c.legend.map((l) => ({ colour: palette()[l.place], text: l.text, note: share(l.weight, tree.whole) })),
      };
    },
  })));
}

/**
 * Show the tab Flame graph for a capture.
 * @param {HTMLElement} host
 * @param {any} capture element of index.captures
 */
export async function showFlame(host, capture) {
  const began = performance.now();
  const block = await readBlock(capture.flame);
  const tree = makeTree(block);
  // in other formats, an element can be several samples, or a part of one
  tree.meta.is_counted = tree.meta.from_calls || capture.format === "perf-data" || capture.format === "perf-script";
  const view = flameView(host, {
    id: "search", label: "Flame graph", tree, zoomKey: "z", colours: symbolColours(tree),
    nameOf: (i) => nameOf(tree, i), describe: (i) => describe(tree, i), remarks: remarks(tree),
  });
  host.dataset.nodes = String(tree.n);
  host.dataset.readyMs = (performance.now() - began).toFixed(1);
  return view;
}

/**
 * Show a flame graph with its controls.
 * @param {HTMLElement} host
 * @param {FlameOptions} o
 */
export function flameView(host, o) {
  const tree = o.tree;
  const nameOf = o.nameOf;
  const modeOf = () => o.colours.find((c) => c.id === stateGet("col")) || o.colours[0];
  let colours = modeOf().of();
  /** @type {number[]} */
  let bright = [];
  /** @type {number[]} */
  let dimmed = [];
  let zoom = 0;
  let focus = -1;
  /** @type {Uint8Array | null} */
  let hit = null;
  /** @type {Float64Array | null} */
  let marks = null;
  /** @type {number[]} */
  let path = [0];
  let nShown = tree.nRows;

  const details = el("div.details", { "aria-live": "polite" });
  const found = el("span.found", { role: "status" });
  const crumbs = el("nav.crumbs", { "aria-label": "Zoomed path" });
  const legend = el("div.legend");
  const search = el("input", { type: "search", id: o.id, placeholder: 'search: text, "whole name" or /regex/', "aria-label": "Search functions", spellcheck: false, autocomplete: "off" });
  const colourBy = el("select", { "aria-label": "Colours" }, ...o.colours.map((c) => el("option", { value: c.id }, c.text)));
  const direction = el("button", { type: "button", onclick: () => stateSet({ dir: stateGet("dir") === "up" ? "" : "up" }) }, "");
  const reset = el("button", { type: "button", onclick: () => zoomTo(0) }, "reset zoom");

  const view = rasterView({
    label: o.label + "; arrows move, Enter zooms, Escape goes back, slash searches",
    picture: () => ({
      rows: tree.rows, nShown, isUp: stateGet("dir") === "up",
      v0: tree.start[zoom], v1: zoom === 0 ? tree.whole : tree.start[zoom] + tree.total[zoom],
      colour: (i) => (i < zoom && tree.end[i] > zoom ? dimmed : bright)[colours.place(i)],
      label: (i) => clean(nameOf(i).slice(0, 400)), marks, isDashed: o.isDashed,
      isMarked: (i) => hit !== null && hit[tree.sym[i]] === 1,
      bounds: (i) => ({ row: tree.depth[i], start: tree.start[i], end: tree.start[i] + tree.total[i] }),
      focus,
    }),
    describe: o.describe,
    onclick: (i) => {
      if (i < 0)
        return;
      focus = -1;
      zoomTo(i);
    },
  });

  /** @param {number} i */
  function zoomTo(i) {
    stateSet({ [o.zoomKey]: i ? String(i) : "" }, true);
  }

  function paint() {
    bright = colours.shades().map(pixel);
    dimmed = bright.map((c) => mix(c, pixel(theme().bg), 0.5));
    fill(legend, ...colours.legend().map((l) => {
      const swatch = el("i.swatch" + (l.isDashed ? ".dashed" : ""));
      swatch.style.background = l.colour;
      return el("span.key", null, swatch, l.text + " ", el("span.dim", null, l.note));
    }));
  }

  function applyZoom() {
    const z = Number(stateGet(o.zoomKey, "0"));
    zoom = Number.isInteger(z) && z > 0 && z < tree.n && tree.total[z] > 0 ? z : 0;
    path = [];
    for (let i = zoom; i >= 0; i = tree.parent[i])
      path.unshift(i);
    nShown = zoom ? tree.deepest[zoom] + 1 : tree.nRows;
    fill(crumbs, ...path.flatMap((i, at) => [at ? " › " : "",
      at === path.length - 1 ? el("b", null, cut(nameOf(i), 120))
        : el("button.link", { type: "button", onclick: () => zoomTo(i) }, cut(nameOf(i), 120))]));
    reset.disabled = zoom === 0;
    fill(details, ...o.describe(zoom));
    view.reveal(tree.depth[zoom]);
  }

  function applySearch() {
    const text = stateGet("q");
    if (search.value !== text)
      search.value = text;
    const m = matcher(text);
    hit = matchSymbols(tree.symbols, m);
    marks = hit ? markSums(tree.rows, (i) => hit !== null && hit[tree.sym[i]] === 1) : null;
    search.classList.toggle("wrong", !!(m && m.error));
    if (!m || !hit)
      fill(found);
    else if (m.error)
      fill(found, m.error);
    else {
      const h = hitWeight(tree, hit, 0);
      const inside = zoom ? hitWeight(tree, hit, zoom) : null;
      fill(found, plural(h.frames, "frame", "frames") + ", " + share(h.weight, o.whole || tree.whole) + " of all"
        + (inside ? "; " + share(inside.weight, tree.total[zoom]) + " of what is shown" : ""));
    }
  }

  function applyDirection() {
    fill(direction, stateGet("dir") === "up" ? "callers on top" : "callers below");
    view.home();
  }

  /** Whether the result of the search must be computed again for the current zoom. @param {Set<string>} changed */
  function needsSearch(changed) {
    return changed.has("q") || (changed.has(o.zoomKey) && hit !== null);
  }

  /**
   * The visible frame next to frame i in its row; i: none.
   * @param {number} i
   * @param {number} step 1: right, -1: left
   */
  function beside(i, step) {
    const r = tree.rows;
    const row = tree.depth[i];
    for (let k = r.offset[row]; k < r.offset[row + 1]; k++)
      if (r.node[k] === i) {
        const to = k + step;
        return to >= r.offset[row] && to < r.offset[row + 1] && r.start[to] < tree.start[zoom] + tree.total[zoom]
          && r.end[to] > tree.start[zoom] ? r.node[to] : i;
      }
    return i;
  }

  /** The heaviest callee of frame i; i: it has none. @param {number} i */
  function heaviest(i) {
    let best = i;
    for (let k = i + 1; k < tree.end[i]; k = tree.end[k])
      if (best === i || tree.total[k] > tree.total[best])
        best = k;
    return best;
  }

  view.canvas.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
    const isUp = stateGet("dir") === "up";
    const at = focus >= 0 ? focus : zoom;
    if (e.ctrlKey || e.metaKey || e.altKey)
      return;
    if (e.key === "ArrowLeft")
      focus = beside(at, -1);
    else if (e.key === "ArrowRight")
      focus = beside(at, 1);
    else if (e.key === (isUp ? "ArrowDown" : "ArrowUp"))
      focus = tree.parent[at] >= 0 ? tree.parent[at] : at;
    else if (e.key === (isUp ? "ArrowUp" : "ArrowDown"))
      focus = heaviest(at);
    else if (e.key === "Enter" && focus >= 0)
      zoomTo(focus);
    else if (e.key === "Escape")
      zoomTo(zoom ? tree.parent[zoom] : 0);
    else
      return;
    e.preventDefault();
    fill(details, ...o.describe(focus >= 0 ? focus : zoom));
    if (focus >= 0)
      view.reveal(tree.depth[focus]);
    view.redraw();
  });
  search.addEventListener("input", () => stateSet({ q: search.value }));
  search.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
    if (e.key === "Escape")
      stateSet({ q: "" });
    if (e.key === "Escape" || e.key === "Enter")
      view.canvas.focus();
  });
  colourBy.value = modeOf().id;
  colourBy.addEventListener("change", () => stateSet({ col: colourBy.value === o.colours[0].id ? "" : colourBy.value }));
  onTheme(() => {
    paint();
    view.redraw();
  });

  fill(host, el("div.bar", null, ...(o.bar || []), search, colourBy, direction, reset, found), crumbs, view.element, details, legend,
    el("p.dim.small", null, o.remarks));
  paint();
  applyZoom();
  applySearch();
  applyDirection();
  view.draw();

  return {
    host,
    /** @param {Set<string>} changed */
    onChange(changed) {
      if (changed.has("col")) {
        colourBy.value = modeOf().id;
        colours = modeOf().of();
        paint();
      }
      if (changed.has(o.zoomKey))
        applyZoom();
      if (needsSearch(changed))
        applySearch();
      if (changed.has("dir"))
        applyDirection();
      view.draw();
      host.dataset.drawMs = view.ms().toFixed(2);
    },
    focusSearch: () => search.focus(),
    // for tests: to find a frame by name
    probe: {
      tree, view,
      /** @param {string} name */
      find: (name) => { for (let i = 0; i < tree.n; i++) if (nameOf(i) === name) return i; return -1; },
      zoom: () => zoom,
      count,
    },
  };
}
