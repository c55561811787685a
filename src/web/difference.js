// A comparison of two sides, with verdicts (more, less, same, cannot tell), as tables and as a flame
// graph whose frames are as wide as on one of the sides.
import { baseName, count, cut, el, fill, plural, probability, signed } from "./dom.js";
import { differencePalette } from "./colours.js";
import { UNIT, layOut } from "./flame_tree.js";
import { flameView, symbolColours } from "./flame.js";
import { exactly } from "./search.js";
import { readBlock, readPackedJson } from "./data.js";
import { sortableTable } from "./table.js";
import { get as stateGet, set as stateSet } from "./state.js";

/**
 * @typedef {{
 *   n: number, sym: ArrayLike<number>, depth: ArrayLike<number>, a: Float64Array, b: Float64Array, symbols: any,
 *   low: (i: number) => number, high: (i: number) => number, q: (i: number) => number, verdict: ArrayLike<number>
 * }} Stacks a, b: shares, in units of 1 / UNIT; low, high: interval of b - a in points; q: NaN if not tested
 * @typedef {{
 *   id: string, a: string, b: string, unit: string, stacks: Stacks | null, zoomKey: string,
 *   tables: {id: string, title: string, rows: any[]}[], isPrint: boolean
 * }} Difference a, b: names of the sides
 */

const VERDICTS = ["same", "more", "less", "cannot-tell"];
const STEPS = ["−5 points or below", "−1 to −5", "down to −1", "cannot tell", "up to +1", "+1 to +5", "+5 or above", "the same"];
const UNCLEAR = 3;
const SAME = 7;
const WAY = 8;
const NONE = 9;

/**
 * The colour step of stack i, by its verdict and the size of its difference.
 * @param {Stacks} s
 * @param {number} i
 * @returns {number} index in STEPS
 */
function step(s, i) {
  const by = Math.abs(s.b[i] - s.a[i]) / UNIT * 100;
  const size = by >= 5 ? 3 : by >= 1 ? 2 : 1;
  return s.verdict[i] === 1 ? UNCLEAR + size : s.verdict[i] === 2 ? UNCLEAR - size : s.verdict[i] === 0 ? SAME : UNCLEAR;
}

/** The figures of stack i as a sentence. @param {Difference} d @param {number} i index of a stack */
function figures(d, i) {
  const s = /** @type {Stacks} */ (d.stacks);
  const a = 100 * s.a[i] / UNIT;
  const b = 100 * s.b[i] / UNIT;
  const word = s.verdict[i] === 1 ? (a === 0 ? "new" : "more") : s.verdict[i] === 2 ? (b === 0 ? "gone" : "less") : VERDICTS[s.verdict[i]].replace("-", " ");
  return `${d.a} ${a.toFixed(2)}\u2009%, ${d.b} ${b.toFixed(2)}\u2009%: ${signed(b - a)} points, 95\u2009% interval ${signed(s.low(i))} to ${signed(s.high(i))}`
    + (Number.isNaN(s.q(i)) ? "" : ", q " + probability(s.q(i))) + ": " + word;
}

/** @type {WeakMap<Stacks, ReturnType<typeof layOut>[]>} */
const layouts = new WeakMap();

/** Lay out the stacks; further calls return the same object. @param {Stacks} s @param {boolean} isOfA */
function laidOut(s, isOfA) {
  const known = layouts.get(s) || [];
  layouts.set(s, known);
  return known[Number(isOfA)] || (known[Number(isOfA)] = layOut(s, isOfA));
}

/**
 * Show the flame graph, in the layout that the URL's hash selects.
 * @param {HTMLElement} host
 * @param {Difference} d with stacks
 */
function flame(host, d) {
  const s = /** @type {Stacks} */ (d.stacks);
  const isOfA = stateGet("lay") === "a";
  const [side, other] = isOfA ? [d.a, d.b] : [d.b, d.a];
  const tree = laidOut(s, isOfA);
  /** Index of the colour of frame i. @param {number} i of the picture */
  const place = (i) => (tree.from[i] < 0 ? (tree.isGone[i] ? WAY : NONE)
    : tree.isGone[i] && (isOfA ? s.a : s.b)[tree.from[i]] > 0 ? WAY : step(s, tree.from[i]));
  const used = new Set();
  for (let i = 0; i < tree.n; i++)
    used.add(place(i));
  /** Name of frame i. @param {number} i */
  const nameOf = (i) => (tree.from[i] >= 0 ? tree.symbols.name[tree.sym[i]] || "(no name)" : tree.isGone[i] ? "only in " + other : "all");
  const layout = el("button", { type: "button", title: "l", onclick: () => toggle() }, "as wide as in " + side);
  function toggle() {
    // keep the zoom: find the zoomed frame in the other layout
    const zoomed = tree.from[Number(stateGet(d.zoomKey, "0"))];
    const then = laidOut(s, !isOfA);
    let z = 0;
    if (zoomed >= 0)
      for (let i = 1; i < then.n && !z; i++)
        if (then.from[i] === zoomed)
          z = i;
    stateSet({ lay: isOfA ? "" : "a", [d.zoomKey]: z ? String(z) : "" }, true);
  }
  const gone = tree.gone > 0 ? `Dashed, on the right: what only ${other} has, ${(100 * tree.gone / UNIT).toFixed(2)}\u2009% of it, as wide as there. ` : "";
  const view = flameView(host, {
    id: d.id + "-search", label: "Difference as a flame graph", tree, zoomKey: d.zoomKey, nameOf, bar: [layout], whole: tree.total[0],
    colours: [{
      id: "difference", text: "colour: difference",
      of: () => ({
        place, shades: differencePalette,
        legend: () => [...STEPS, "only in " + other + " or the way to it"].map((text, at) => ({ colour: differencePalette()[at], text, note: "", at, isDashed: at === WAY }))
          .filter((l) => used.has(l.at)),
      }),
    }, ...symbolColours(tree)],
    isDashed: tree.gone > 0 ? (i) => tree.isGone[i] === 1 : undefined,
    describe: (i) => {
      const at = tree.from[i];
      const sym = tree.sym[i];
      const m = tree.symbols;
      return [el("b", null, cut(nameOf(i))), at >= 0 ? "  " + [m.modules[m.module[sym]], m.categories[m.category[sym]]].filter((x) => x).join(", ") : "", el("br"),
        at >= 0 ? figures(d, at) : tree.isGone[i] ? `frames that ${other} has and ${side} has not` : "100\u2009% of " + side];
    },
    remarks: `Frames are as wide as in ${side}; colours show where ${d.b} has more or less, grey is undecided. ${gone}Narrower than a pixel: shaded by how much of it they cover.`,
  });
  return { ...view, toggle, probe: { ...view.probe, place, nameOf, isOfA } };
}

/** @param {string} text */
function capital(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Make the table t of a comparison. @param {Difference} d @param {{id: string, title: string, rows: any[]}} t */
function table(d, t) {
  const isShare = d.unit === "%";
  const rank = (/** @type {any} */ r) => (r.verdict === "more" || r.verdict === "less" ? 0 : r.verdict === "same" ? 1 : 2);
  const rows = t.rows.slice().sort((x, y) => rank(x) - rank(y)
    || (rank(x) === 1 ? y.a - x.a : Math.abs(y.delta) - Math.abs(x.delta)) || y.a - x.a);
  const isCalls = rows.some((r) => r.calls_a !== undefined);
  // as many decimals as the width of the interval justifies
  const digits = (/** @type {any} */ r) => (!isShare ? 3 : d.isPrint || !r.gap || r.high - r.low >= 0.1 ? 2 : r.high - r.low >= 0.01 ? 3 : 4);
  // a truncated report may hide a function whose share is at most the smallest printed share
  const side = (/** @type {string} */ key, /** @type {string} */ none) => (/** @type {any} */ r) => (!r[none] ? undefined : r[key + "_high"] > 0 ? "< " + r[key + "_high"].toFixed(digits(r)) : "–");
  rows.forEach((r, i) => {
    r.rank = i;
    r.word = r.verdict === "more" ? (r.new && !(r.a_high > 0) ? "▲ new" : "▲ more") : r.verdict === "less" ? (r.vanished && !(r.b_high > 0) ? "▼ gone" : "▼ less")
      : r.verdict === "same" ? "= same" : isCalls && r.new ? "only in " + d.b : isCalls && r.vanished ? "only in " + d.a : "? cannot tell";
    r.gap = typeof r.low === "number" && typeof r.high === "number" ? [r.low, r.high] : null;
    if (r.samples_needed)
      r.samples_needed = Math.ceil(r.samples_needed);
    if (isCalls && (r.new || r.vanished))
      r.delta = null;
  });
  const name = t.id === "dso" ? "dso" : t.id === "category" ? "category" : t.id === "stack" ? "stack" : "symbol";
  const hasModules = name === "symbol" && rows.some((r) => r.dso);
  const figure = isShare ? "pct" : "number";
  return sortableTable({
    id: d.id + "-" + t.id, caption: t.title, rows, sort: "rank",
    columns: [
      { key: "word", title: "In " + d.b, kind: "text", isShort: true },
      { key: name, title: { dso: "Module", category: "Kind of work", stack: "Stack", symbol: "Function" }[name] || name, kind: "text" },
      { key: "a", title: capital(d.a) + (isShare ? " %" : " " + d.unit), kind: figure, digits, text: side("a", "new") }, { key: "b", title: capital(d.b) + (isShare ? " %" : " " + d.unit), kind: figure, digits, text: side("b", "vanished") },
      { key: "delta", title: "Difference", kind: "signed", digits }, { key: "gap", title: d.isPrint ? "By print" : "95\u2009%", kind: "interval", digits },
      ...(d.isPrint ? /** @type {any[]} */ ([{ key: "samples_needed", title: "Needs samples", kind: "count" }])
        : /** @type {any[]} */ ([{ key: "p_adjusted", title: "q", kind: "probability" }, { key: "p", title: "p", kind: "probability" }])),
      ...(isCalls ? /** @type {any[]} */ ([{ key: "calls_a", title: "Calls " + d.a, kind: "count" }, { key: "calls_b", title: "Calls " + d.b, kind: "count" }]) : []),
      ...(hasModules ? /** @type {any[]} */ ([{ key: "dso", title: "Module", kind: "text" }]) : []),
    ],
    onrow: name === "symbol" && d.stacks ? (r) => stateSet({ q: exactly(r.name_b || r.symbol) }, true) : undefined,
  });
}

/**
 * Show a comparison: the flame graph, if there are stacks, and one of the tables.
 * @param {HTMLElement} host
 * @param {Difference} d
 * @param {...any} head elements before the picture
 */
export function differenceView(host, d, ...head) {
  const picture = el("div");
  const below = el("div");
  const chooser = el("div.bar.choice", { role: "group", "aria-label": "Rows of the table" });
  const tables = d.tables.filter((t) => t.rows.length);
  const made = new Map();
  /** @type {ReturnType<typeof flame> | null} */
  let view = null;
  fill(host, ...head, d.stacks ? picture : null, tables.length > 1 ? chooser : null, below);

  function draw() {
    view = d.stacks ? flame(picture, d) : null;
  }
  function choose() {
    const t = tables.find((x) => x.id === stateGet("by")) || tables[0];
    if (!t)
      return;
    if (!made.has(t.id))
      made.set(t.id, table(d, t));
    fill(below, made.get(t.id));
    fill(chooser, ...tables.map((x) => el("button" + (x === t ? ".on" : ""), { type: "button", "aria-pressed": String(x === t), onclick: () => stateSet({ by: x === tables[0] ? "" : x.id }) }, x.title)));
  }
  draw();
  choose();
  return {
    host,
    /** @param {Set<string>} changed */
    onChange(changed) {
      if (changed.has("lay"))
        draw();
      else if (view)
        view.onChange(changed);
      if (changed.has("by"))
        choose();
      for (const t of made.values())
        t.onChange(changed);
    },
    focusSearch: () => view && view.focusSearch(),
    /** @param {KeyboardEvent} e */
    key(e) {
      if (e.key === "l" && view)
        view.toggle();
    },
    get probe() {
      return { d, ...(view ? view.probe : {}) };
    },
  };
}

/** Convert the block that web_diff.c writes. @param {import("./data.js").Block} block @returns {Stacks} */
function stacksOf(block) {
  const c = block.columns;
  const m = block.meta;
  const share = (/** @type {ArrayLike<number>} */ v) => Float64Array.from(v, (x) => Math.round(x / m.unit / 100 * UNIT));
  return {
    n: c.sym.length, sym: c.sym, depth: c.depth, a: share(c.a), b: share(c.b), symbols: m.symbols, verdict: c.verdict,
    low: (i) => c.low[i] / m.unit - m.zero, high: (i) => c.high[i] / m.unit - m.zero,
    q: (i) => (c.q[i] === m.none ? NaN : c.q[i] / m.unit),
  };
}

/**
 * A line with the captures and the number of samples of a side.
 * @param {any} side
 * @param {string} letter
 * @param {boolean} isCalls
 */
function sideLine(side, letter, isCalls) {
  return el("p", null, el("b", null, letter + " "), side.captures.map((/** @type {any} */ c) => baseName(c.source.path)
    + (c.source.first_line ? " lines " + c.source.first_line + "–" + c.source.last_line : "") + (c.event ? ", " + c.event : "")).join("; "),
  side.samples ? ", " + (isCalls ? plural(side.samples, "call", "calls") : plural(Math.round(side.samples), "sample", "samples")) : "");
}

/** A line with the totals of both sides. @param {any} t a total of whole runs */
function totalLine(t) {
  const scaled = (/** @type {number} */ v) => v.toPrecision(3);
  const signed = (/** @type {number} */ v) => (v < 0 ? "−" : "+") + Math.abs(v).toFixed(1);
  return el("p", null, el("b", null, t.what + " "), `${scaled(t.a)} to ${scaled(t.b)} ${t.unit || ""} (${signed(t.change)}\u2009%, 95\u2009%: ${signed(t.low)} to ${signed(t.high)}\u2009%): ${t.verdict === "cannot-tell" ? "cannot tell" : t.verdict}. `,
    el("span.dim", null, `Runs: ${t.runs_a} and ${t.runs_b}; spread of one ${t.spread.toFixed(1)}\u2009%, ${t.spread_from === "assumed" ? "assumed" : t.spread_from === "given" ? "given" : "measured"}.`));
}

/** A sentence about the source of the variance. @param {any} x the output of assay diff --json */
function spreadLine(x) {
  const by = Number(x.spread.dispersion || 0).toFixed(2) + " times the variance of independent samples";
  switch (x.spread.from) {
  case "runs":
  case "runs-of-one":
    return by + " (median), measured between runs" + (x.spread.from === "runs" ? "" : " of one side, taken for both");
  case "slices":
  case "slices-of-one":
    return by + " (median), measured between " + count(x.spread.slices) + " slices of time" + (x.spread.from === "slices" ? "" : " of the side that has times, taken for both");
  case "calls":
    return "measured between single calls, taken as independent";
  case "unknown":
    return "not known without the number of samples: intervals hold what the print allows";
  default:
    return by + (x.spread.from === "given" ? ", as was said" : ", assumed, not measured: bursts and threads may spread samples more");
  }
}

/**
 * Show the tab Difference, the comparison by `assay html --diff`.
 * @param {HTMLElement} host
 * @param {any} index
 */
export async function showDifference(host, index) {
  const x = await readPackedJson(index.difference);
  const isCalls = !!x.spread && x.spread.from === "calls";
  const head = [el("h2", null, x.summary ? x.summary.replace(/^no difference/, "No difference") : "These cannot be compared"), sideLine(x.a, "A", isCalls), sideLine(x.b, "B", isCalls), ...(x.totals || []).map(totalLine)];
  const notes = [...(x.refused || []), ...(x.notes || [])];
  if (notes.length)
    head.push(el("ul", null, ...notes.map((/** @type {any} */ n) => el("li" + (n.warning ? ".warning" : ""), null, n.sentence))));
  if (!x.rows && !x.by_children) {
    fill(host, ...head);
    return { host, onChange: () => {}, focusSearch: () => {}, probe: { x } };
  }
  const unit = x.unit === "%" ? "points" : x.unit;
  head.push(el("p.dim.small", null, "Spread: " + spreadLine(x) + ". ",
    x.spread.from === "unknown" ? "" : "More, less: at most 1 of " + Math.round(1 / (x.alpha || 0.05)) + " is wrong (Benjamini–Hochberg). Same: the 95\u2009% interval lies within ± " + (isCalls ? "5\u2009% of A's time" : x.margin + " " + unit) + ". ",
    x.smallest_visible_heaviest ? `A change of ${x.smallest_visible_heaviest.toPrecision(3)} ${unit} in the hottest function would have shown, of ${x.smallest_visible.toPrecision(3)} in one of 1\u2009%.` : ""));
  const stacks = index.stacks ? stacksOf(await readBlock(index.stacks)) : null;
  const levels = [["symbol", "Functions"], ["children", "With callees"], ["dso", "Modules"], ["category", "Kinds of work"], ["stack", "Stacks that differ"]];
  return differenceView(host, {
    id: "diff", a: "A", b: "B", unit: x.unit, stacks, zoomKey: "dz", isPrint: x.spread.from === "unknown",
    tables: levels.map(([id, title]) => ({ id, title, rows: (x.by === id ? x.rows : x["by_" + id]) || [] })),
  }, ...head);
}
