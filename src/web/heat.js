// The heat map: the number of samples over time. A column is a time of 1 ms to 1 h; each of its 50 cells is a fiftieth.
// A selected range is compared with the rest.
import { el, fill, plural, time, times } from "./dom.js";
import { isDark, onTheme, theme } from "./colours.js";
import { compareRange } from "./compare.js";
import { readBlock } from "./data.js";
import { differenceView } from "./difference.js";
import { UNIT, makeTree } from "./flame_tree.js";
import { get as stateGet, set as stateSet } from "./state.js";
import { sharp } from "./stretch.js";

const ROWS = 50;
const LENGTHS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120, 300, 600, 1800, 3600];

/**
 * The layout of the map: `length` of a column in seconds, `rows`: its number of cells.
 * @param {import("./data.js").Block} block
 */
export function geometry(block) {
  const n = block.columns.time.length;
  let end = 0;
  for (let i = 0; i < n; i++)
    end = Math.max(end, block.columns.time[i] * block.meta.tick_ns / 1e9);
  // columns are long enough for some samples in most cells, but there are at least about 8 columns
  const maxColumns = Math.min(120, Math.max(8, n / ROWS / 3));
  const length = LENGTHS.find((l) => end / l <= maxColumns) || end / maxColumns;
  return { length, end, nColumns: Math.floor(end / length) + 1, rows: ROWS };
}

/**
 * Convert the result of compareRange() for differenceView().
 * @param {import("./flame_tree.js").Tree} tree
 * @param {ReturnType<typeof compareRange>} r
 * @returns {import("./difference.js").Difference}
 */
function differenceOf(tree, r) {
  const j = r.paths;
  /** @param {Float64Array} v */
  const shares = (v) => Float64Array.from(v.subarray(1), (x) => Math.round(x * UNIT));
  return {
    id: "heat", a: "the rest", b: "the range", unit: "%", zoomKey: "hz", isPrint: false,
    stacks: {
      n: tree.n - 1, sym: Array.prototype.slice.call(tree.sym, 1), depth: Array.prototype.slice.call(tree.depth, 1),
      a: shares(j.a), b: shares(j.b), symbols: tree.symbols, verdict: j.verdict.subarray(1),
      low: (i) => 100 * j.low[i + 1], high: (i) => 100 * j.high[i + 1], q: (i) => j.q[i + 1],
    },
    tables: [
      { id: "symbol", title: "Functions", rows: r.symbol }, { id: "children", title: "With callees", rows: r.children },
      { id: "dso", title: "Modules", rows: r.dso }, { id: "category", title: "Kinds of work", rows: r.category },
    ],
  };
}

/** A sentence with the number of rows by verdict. @param {any[]} rows */
function verdicts(rows) {
  const n = { more: 0, less: 0, same: 0, "cannot-tell": 0 };
  for (const row of rows)
    n[/** @type {keyof typeof n} */ (row.verdict)]++;
  return n.more + n.less ? plural(n.more, "function", "functions") + ` more in the range, ${n.less} less, ${n.same} the same, ${n["cannot-tell"]} undecided`
    : "No difference shown: " + plural(n.same, "function", "functions") + ` the same, ${n["cannot-tell"]} undecided`;
}

/**
 * Show the tab Heat map for a capture.
 * @param {HTMLElement} host
 * @param {any} capture element of index.captures
 */
export async function showHeat(host, capture) {
  const block = await readBlock(capture.samples);
  const tree = makeTree(await readBlock(capture.flame));
  const c = block.columns;
  const tick = block.meta.tick_ns / 1e9;
  const n = c.time.length;
  const { length, end, nColumns } = geometry(block);
  const cells = new Uint32Array(nColumns * ROWS);
  for (let i = 0; i < n; i++)
    cells[Math.min(cells.length - 1, Math.floor(c.time[i] * tick / length * ROWS))]++;
  let most = 1;
  for (const v of cells)
    most = Math.max(most, v);
  const canvas = el("canvas.heat", { tabIndex: 0, role: "img", "aria-label": "Samples along time; drag a range to compare it with the rest; arrows move it, with Shift they end it elsewhere, Escape forgets it" });
  const details = el("div.details", { role: "status" });
  const result = el("div");
  /** @type {[number, number] | null} first and last cell */
  let range = null;
  /** @type {number | null} */
  let anchor = null;
  const high = 4;
  const samples = {
    frame: c.frame, weight: c.weight, time: Float64Array.from(c.time, (t) => t * tick),
    grain: tree.meta.unit === "samples" ? 10 ** tree.meta.decimals : 0,
  };
  /** @type {ReturnType<typeof differenceView> | null} */
  let found = null;

  /** The colour of a cell with v samples. @param {number} v */
  function shade(v) {
    if (!v)
      return isDark() ? "#1d1d1d" : "#f4f4f4";
    const t = Math.sqrt(v / most);
    const a = isDark() ? [45, 35, 60] : [253, 226, 190];
    const b = isDark() ? [255, 200, 90] : [150, 20, 40];
    return "rgb(" + a.map((x, i) => Math.round(x + (b[i] - x) * t)).join(",") + ")";
  }

  function draw() {
    const sheet = sharp(canvas, ROWS * high);
    if (!sheet)
      return;
    const { g, width } = sheet;
    const w = width / nColumns;
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

  /** Start time of a cell in seconds. @param {number} cell */
  const at = (cell) => cell * length / ROWS;

  function judge() {
    found = null;
    if (!range) {
      fill(result);
      fill(details, plural(n, "sample", "samples") + " in " + time(end * 1e9) + "; a column is " + time(length * 1e9) + ", a row in it " + time(length / ROWS * 1e9) + ". Drag over a range to compare it with the rest.");
      return;
    }
    const [from, to] = range;
    const cell = (/** @type {number} */ i) => Math.min(cells.length - 1, Math.floor(c.time[i] * tick / length * ROWS));
    const isIn = (/** @type {number} */ i) => cell(i) >= from && cell(i) <= to;
    let inside = 0;
    for (let i = 0; i < n; i++)
      inside += isIn(i) ? 1 : 0;
    fill(details, plural(inside, "sample", "samples") + " from " + times([at(from) * 1e9, at(to + 1) * 1e9]).join(" to ") + ", " + plural(n - inside, "other", "others") + ".");
    if (!inside || inside === n) {
      fill(result, el("p", null, "Nothing to compare: one side has no samples."));
      return;
    }
    const r = compareRange(tree, samples, isIn, [at(from), at(to + 1)]);
    found = differenceView(el("div"), differenceOf(tree, r), el("h2", null, verdicts(r.symbol)),
      el("p.dim.small", null, "Judged as two recordings are: shares of the weight, spread " + (r.nSlices ? `measured between ${r.nSlices} slices of time` + (r.spread === "slices" ? " of both" : " of the longer part")
        : "assumed (1.1 times that of independent samples): too few samples to measure it") + ". More, less: at most 1 of 20 is wrong (Benjamini–Hochberg), if the range was not chosen for what it shows."));
    fill(result, found.host);
  }

  function apply() {
    const m = /^(\d+)-(\d+)$/.exec(stateGet("r"));
    range = m ? [Math.min(Number(m[1]), Number(m[2])), Math.min(cells.length - 1, Math.max(Number(m[1]), Number(m[2])))] : null;
    draw();
    judge();
  }

  /** Index of the cell under the pointer. @param {PointerEvent} e */
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
      stateSet({ r: "", hz: "" }, true);
    else
      stateSet({ r: text, hz: "" }, true);
  });
  canvas.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
    if (e.key === "Escape")
      stateSet({ r: "", hz: "" }, true);
    const by = e.key === "ArrowRight" ? ROWS : e.key === "ArrowLeft" ? -ROWS : e.key === "ArrowUp" ? 1 : e.key === "ArrowDown" ? -1 : 0;
    if (!by || e.ctrlKey || e.metaKey || e.altKey)
      return;
    e.preventDefault();
    let [from, to] = range || [0, ROWS - 1];
    if (range && e.shiftKey)
      to += by;
    else if (range)
      [from, to] = [from + by, to + by];
    if (from < 0 || to < from || to >= cells.length)
      return;
    stateSet({ r: from + "-" + to, hz: "" });
  });
  new ResizeObserver(draw).observe(canvas);
  onTheme(draw);
  canvas.style.height = ROWS * high + "px";
  fill(host, el("p.dim.small", null, "Time runs up in each column, then to the right; the colour is the number of samples, most " + most + ".",
    block.meta.samples > n ? " Every " + Math.round(block.meta.samples / n) + "th of " + block.meta.samples + " samples is here." : ""), canvas,
  el("div.axis", { "aria-hidden": "true" }, ...times([0, 0.25, 0.5, 0.75].map((f) => f * nColumns * length * 1e9)).map((t) => el("span", null, t))), details, result);
  apply();
  return {
    host,
    /** @param {Set<string>} changed */
    onChange(changed) {
      if (changed.has("r"))
        apply();
      else if (found)
        found.onChange(changed);
    },
    focusSearch: () => found && found.focusSearch(),
    /** @param {KeyboardEvent} e */
    key: (e) => found && found.key(e),
    get probe() {
      return { cells, nColumns, length, found };
    },
  };
}
