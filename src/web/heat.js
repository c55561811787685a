// When samples came: a column a second (or so), inside it a row a fiftieth; a range of it
// compared with the rest.
import { el, fill, plural, time } from "./dom.js";
import { isDark, onTheme, theme } from "./colours.js";
import { readBlock } from "./data.js";
import { makeTree } from "./flame_tree.js";
import { exactly } from "./search.js";
import { sortableTable } from "./table.js";
import { get as stateGet, set as stateSet } from "./state.js";

const ROWS = 50;
const LENGTHS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120, 300, 600, 1800, 3600];

/**
 * Newcombe's interval of a difference of two shares, from Wilson's of each.
 * @param {number} a @param {number} n @param {number} b @param {number} m @param {number} z
 * @returns {[number, number]}
 */
export function difference(a, n, b, m, z) {
  /** @param {number} k @param {number} of */
  const wilson = (k, of) => {
    const p = k / of;
    const q = 1 + z * z / of;
    const mid = (p + z * z / (2 * of)) / q;
    const half = z * Math.sqrt(p * (1 - p) / of + z * z / (4 * of * of)) / q;
    return [Math.max(0, mid - half), Math.min(1, mid + half)];
  };
  const p = a / n;
  const r = b / m;
  const [l1, u1] = wilson(a, n);
  const [l2, u2] = wilson(b, m);
  return [p - r - Math.hypot(p - l1, u2 - r), p - r + Math.hypot(u1 - p, r - l2)];
}

/**
 * For each function its share inside and outside of the range.
 * @param {import("./flame_tree.js").Tree} tree
 * @param {ArrayLike<number>} frame by sample
 * @param {(i: number) => boolean} isInside
 */
export function compare(tree, frame, isInside) {
  const n = tree.symbols.name.length;
  const self = [new Float64Array(n), new Float64Array(n)];
  const below = [new Float64Array(n), new Float64Array(n)];
  const ends = [new Float64Array(tree.n), new Float64Array(tree.n)];
  const sum = [0, 0];
  for (let i = 0; i < frame.length; i++) {
    const side = isInside(i) ? 0 : 1;
    ends[side][frame[i]]++;
    self[side][tree.sym[frame[i]]]++;
    sum[side]++;
  }
  for (const side of [0, 1]) {
    const total = ends[side].slice();
    for (let i = tree.n - 1; i > 0; i--)
      total[tree.parent[i]] += total[i];
    // topmost frames of a function only: recursion counts once
    const open = new Uint32Array(n);
    for (let i = 1; i < tree.n; i++) {
      if (open[tree.sym[i]] > i)
        continue;
      open[tree.sym[i]] = tree.end[i];
      below[side][tree.sym[i]] += total[i];
    }
  }
  return { self, below, inside: sum[0], outside: sum[1] };
}

/**
 * @param {HTMLElement} host
 * @param {any} capture of the index
 */
export async function showHeat(host, capture) {
  const block = await readBlock(capture.samples);
  const tree = makeTree(await readBlock(capture.flame));
  const c = block.columns;
  const tick = block.meta.tick_ns / 1e9;
  const n = c.time.length;
  let end = 0;
  for (let i = 0; i < n; i++)
    end = Math.max(end, c.time[i] * tick);
  // a column is wide enough that most cells hold some samples, yet there are some columns
  const maxColumns = Math.min(120, Math.max(8, n / ROWS / 3));
  const length = LENGTHS.find((l) => end / l <= maxColumns) || end / maxColumns;
  const nColumns = Math.floor(end / length) + 1;
  const cells = new Uint32Array(nColumns * ROWS);
  for (let i = 0; i < n; i++)
    cells[Math.min(cells.length - 1, Math.floor(c.time[i] * tick / length * ROWS))]++;
  let most = 1;
  for (const v of cells)
    most = Math.max(most, v);
  const canvas = el("canvas.heat", { tabIndex: 0, role: "img", "aria-label": "Samples along time; drag a range to compare it with the rest, Escape forgets it" });
  const details = el("div.details", { role: "status" });
  const result = el("div");
  /** @type {[number, number] | null} first and last cell */
  let range = null;
  /** @type {number | null} */
  let anchor = null;
  const high = 4;

  /** @param {number} v */
  function shade(v) {
    if (!v)
      return isDark() ? "#1d1d1d" : "#f4f4f4";
    const t = Math.sqrt(v / most);
    const a = isDark() ? [45, 35, 60] : [253, 226, 190];
    const b = isDark() ? [255, 200, 90] : [150, 20, 40];
    return "rgb(" + a.map((x, i) => Math.round(x + (b[i] - x) * t)).join(",") + ")";
  }

  function draw() {
    const width = canvas.clientWidth;
    if (width < 2)
      return;
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(ROWS * high * ratio);
    const g = canvas.getContext("2d");
    const w = width / nColumns;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    for (let k = 0; k < cells.length; k++) {
      const x = Math.floor(k / ROWS) * w;
      const y = (ROWS - 1 - k % ROWS) * high;
      g.fillStyle = shade(cells[k]);
      g.fillRect(x, y, w + 0.5, high);
      if (range && k >= range[0] && k <= range[1]) {
        g.fillStyle = theme().hit + "66";
        g.fillRect(x, y, w + 0.5, high);
      }
    }
  }

  /** @param {number} cell */
  const at = (cell) => cell * length / ROWS;

  function judge() {
    if (!range) {
      fill(result);
      fill(details, plural(n, "sample", "samples") + " in " + time(end * 1e9) + "; a column is " + time(length * 1e9) + ", a row in it " + time(length / ROWS * 1e9) + ". Drag over a range to compare it with the rest.");
      return;
    }
    const [from, to] = range;
    const cell = (/** @type {number} */ i) => Math.min(cells.length - 1, Math.floor(c.time[i] * tick / length * ROWS));
    const r = compare(tree, c.frame, (i) => cell(i) >= from && cell(i) <= to);
    fill(details, plural(r.inside, "sample", "samples") + " from " + time(at(from) * 1e9) + " to " + time(at(to + 1) * 1e9) + ", " + plural(r.outside, "other", "others") + ".");
    if (!r.inside || !r.outside) {
      fill(result, el("p", null, "Nothing to compare: one side has no samples."));
      return;
    }
    /** @type {any[]} */
    const rows = [];
    let tests = 0;
    for (let s = 0; s < r.below[0].length; s++)
      if (r.below[0][s] + r.below[1][s] > 0 && tree.symbols.name[s])
        tests++;
    // as many intervals as functions: each is as wide as it takes that all hold at once
    const z = quantile(1 - 0.025 / Math.max(1, tests));
    for (let s = 0; s < r.below[0].length; s++) {
      const a = r.below[0][s];
      const b = r.below[1][s];
      if (a + b === 0 || !tree.symbols.name[s])
        continue;
      const [low, hi] = difference(a, r.inside, b, r.outside, z);
      rows.push({
        symbol: tree.symbols.name[s], dso: tree.symbols.modules[tree.symbols.module[s]],
        inside: 100 * a / r.inside, outside: 100 * b / r.outside, delta: 100 * (a / r.inside - b / r.outside),
        size: Math.abs(a / r.inside - b / r.outside), self_in: 100 * r.self[0][s] / r.inside, self_out: 100 * r.self[1][s] / r.outside,
        low: 100 * low, high: 100 * hi, interval: (100 * low).toFixed(2) + " to " + (100 * hi).toFixed(2),
        verdict: low > 0 ? "more" : hi < 0 ? "less" : "cannot tell",
      });
    }
    rows.sort((x, y) => (x.verdict === "cannot tell" ? 1 : 0) - (y.verdict === "cannot tell" ? 1 : 0) || y.size - x.size);
    rows.forEach((row, i) => { row.rank = i + 1; });
    const table = sortableTable({
      id: "heat", caption: "The range against the rest", rows, sort: "rank",
      columns: [
        { key: "rank", title: "#", kind: "count" },
        { key: "verdict", title: "In the range", kind: "text" }, { key: "inside", title: "Inside %", kind: "pct" }, { key: "outside", title: "Outside %", kind: "pct" },
        { key: "delta", title: "Difference", kind: "pct" }, { key: "interval", title: "95\u2009% interval", kind: "text" },
        { key: "self_in", title: "Self inside %", kind: "pct" }, { key: "self_out", title: "Self outside %", kind: "pct" },
        { key: "symbol", title: "Function", kind: "text" }, { key: "dso", title: "Module", kind: "text" },
      ],
      onrow: (row) => stateSet({ tab: "flame", q: exactly(row.symbol) }, true),
    });
    fill(result, table, el("p.dim.small", null, "Shares of samples, callees included; Newcombe's intervals, widened so that all "
      + tests + " hold together at 95\u2009%. Samples of one burst or thread are not independent: take the intervals as the least that is not known."));
  }

  function apply() {
    const m = /^(\d+)-(\d+)$/.exec(stateGet("r"));
    range = m ? [Math.min(Number(m[1]), Number(m[2])), Math.min(cells.length - 1, Math.max(Number(m[1]), Number(m[2])))] : null;
    draw();
    judge();
  }

  /** @param {PointerEvent} e */
  function cellAt(e) {
    const box = canvas.getBoundingClientRect();
    const col = Math.min(nColumns - 1, Math.max(0, Math.floor((e.clientX - box.left) / box.width * nColumns)));
    const row = ROWS - 1 - Math.min(ROWS - 1, Math.max(0, Math.floor((e.clientY - box.top) / high)));
    return col * ROWS + row;
  }
  canvas.addEventListener("pointerdown", (/** @type {PointerEvent} */ e) => {
    anchor = cellAt(e);
    canvas.setPointerCapture(e.pointerId);
  });
  canvas.addEventListener("pointermove", (/** @type {PointerEvent} */ e) => {
    if (anchor === null)
      return;
    const to = cellAt(e);
    range = [Math.min(anchor, to), Math.max(anchor, to)];
    draw();
  });
  canvas.addEventListener("pointerup", (/** @type {PointerEvent} */ e) => {
    if (anchor === null)
      return;
    const to = cellAt(e);
    const text = Math.min(anchor, to) + "-" + Math.max(anchor, to);
    const isClick = anchor === to;
    anchor = null;
    if (isClick && stateGet("r"))
      stateSet({ r: "" }, true);
    else
      stateSet({ r: text }, true);
  });
  canvas.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
    if (e.key === "Escape")
      stateSet({ r: "" }, true);
  });
  new ResizeObserver(draw).observe(canvas);
  onTheme(draw);
  canvas.style.height = ROWS * high + "px";
  fill(host, el("p.dim.small", null, "Time runs up in each column, then to the right; the colour is the number of samples, most " + most + ".",
    block.meta.samples > n ? " Every " + Math.round(block.meta.samples / n) + "th of " + block.meta.samples + " samples is here." : ""), canvas,
  el("div.axis", { "aria-hidden": "true" }, ...[0, 0.25, 0.5, 0.75].map((f) => el("span", null, time(f * nColumns * length * 1e9)))), details, result);
  apply();
  return {
    host,
    /** @param {Set<string>} changed */
    follow(changed) {
      if (changed.has("r"))
        apply();
    },
    focusSearch: () => {},
    probe: { cells, nColumns, length },
  };
}

/** Of the normal distribution (Acklam's approximation, 1e-9). @param {number} p above 0.5 */
export function quantile(p) {
  const a = [-39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239];
  const b = [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572];
  const c = [-0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968, 2.938163982698783];
  const d = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416];
  if (p > 0.97575) {
    const q = Math.sqrt(-2 * Math.log(1 - p));
    return -(((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) / ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
  }
  const q = p - 0.5;
  const r = q * q;
  return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q / (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}
