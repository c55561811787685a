// Compare a time range with the rest of the same recording, by the methods that `assay diff` uses for
// two recordings (src/analyses/compare/compare.h): variance between time slices, intervals, tests, verdicts.
import { correctedP, difference, differenceP, fitPrior, tCritical } from "./stats.js";

const SLICES = 48;
const SLICES_MIN = 12;
const PER_SLICE = 6;
const GROWTH = 1.15;
const SPEAKER_MIN = 12;
const COUNT_MIN = 5;
const ALPHA = 0.05;
const MARGIN = 0.005;
const ASSUMED = 1.1;
export const VERDICTS = ["same", "more", "less", "cannot-tell"];

/**
 * Half: the samples of one side.
 *   at: their indexes, sorted by time slice; time: their times, 0 to 1; grain: weight of a sample, 0: weights differ;
 *   from: place in `at` of the first sample of each slice; share: each slice's part of the weight;
 *   total, squares: sums of the weights and of their squares.
 * Level: the rows of a table (functions, objects, kinds of work or frames).
 *   node: for each frame its row, or -1; climbs: a row has the weight of its callees, too.
 * Judged: the figures of each row.
 *   a, b: its share on both sides; low, high: interval of b - a; p, q: of the test; verdict: index in VERDICTS.
 * @typedef {{
 *   at: Uint32Array, time: Float64Array, total: number, squares: number, grain: number,
 *   hasTimes: boolean, from: Uint32Array, share: Float64Array
 * }} Half
 * @typedef {{n: number, node: Int32Array, isTopmost: Uint8Array | null, climbs: boolean}} Level
 * @typedef {{a: Float64Array, b: Float64Array, low: Float64Array, high: Float64Array, p: Float64Array,
 *   q: Float64Array, verdict: Uint8Array, ratio: Float64Array}} Judged
 */

/**
 * Compare the samples in a time range (side B) with the rest of the recording (side A).
 * @param {import("./flame_tree.js").Tree} tree
 * @param {{frame: ArrayLike<number>, weight: ArrayLike<number>, time: Float64Array, grain: number}} samples time: seconds
 * @param {(i: number) => boolean} isInside whether sample i is in the range, which is side B; the rest is side A
 * @param {[number, number]} hole the range in seconds; side A has no samples in it, so its later times are reduced by the length of the range
 */
export function compareRange(tree, samples, isInside, hole) {
  const sides = [makeSide(samples, (i) => !isInside(i), hole), makeSide(samples, isInside, null)];
  const s = tree.symbols;
  const functions = functionsOf(s);
  const own = level(tree, functions.n, (sym) => functions.of[sym], false);
  const nSlices = chooseSlices(tree, samples, sides, own);
  const objects = numbered(s, (sym) => (functions.of[sym] < 0 ? null : s.modules[s.module[sym]]));
  const kinds = numbered(s, (sym) => (functions.of[sym] < 0 ? null : s.categories[s.category[sym]]));
  const paths = level(tree, tree.n, null, true);
  /** @param {Level} l */
  const run = (l) => judge(tree, samples, sides, l, nSlices);
  return {
    n: [sides[0].at.length, sides[1].at.length],
    spread: spreadName(sides),
    nSlices,
    symbol: rowsOf(run(own), functions.names, functions.modules),
    children: rowsOf(run(level(tree, functions.n, (sym) => functions.of[sym], true)), functions.names, functions.modules),
    dso: rowsOf(run(level(tree, objects.names.length, (sym) => objects.of[sym], false)), objects.names, null, "dso"),
    category: rowsOf(run(level(tree, kinds.names.length, (sym) => kinds.of[sym], false)), kinds.names, null, "category"),
    paths: joinEchoes(tree, run(paths)),
  };
}

/** The source of the variance, as spread.from in `assay diff --json`. @param {Half[]} sides */
function spreadName(sides) {
  return sides[0].hasTimes && sides[1].hasTimes ? "slices" : sides[0].hasTimes || sides[1].hasTimes ? "slices-of-one" : "assumed";
}

/**
 * Collect the samples for which isIn is true, with times from 0 to 1.
 * @param {{frame: ArrayLike<number>, weight: ArrayLike<number>, time: Float64Array, grain: number}} samples
 * @param {(i: number) => boolean} isIn
 * @param {[number, number] | null} hole
 * @returns {Half}
 */
function makeSide(samples, isIn, hole) {
  const list = [];
  let total = 0;
  let squares = 0;
  for (let i = 0; i < samples.frame.length; i++) {
    if (!isIn(i))
      continue;
    list.push(i);
    total += samples.weight[i];
    squares += samples.grain > 0 ? samples.weight[i] * samples.grain : samples.weight[i] ** 2;
  }
  const at = Uint32Array.from(list);
  const time = Float64Array.from(list, (i) => samples.time[i] - (hole && samples.time[i] >= hole[1] ? hole[1] - hole[0] : 0));
  let first = Infinity;
  let last = -Infinity;
  for (const t of time) {
    first = Math.min(first, t);
    last = Math.max(last, t);
  }
  for (let i = 0; i < time.length; i++)
    time[i] = last > first ? (time[i] - first) / (last - first) : 0;
  return {
    at, time, total, squares, grain: samples.grain, hasTimes: last > first && list.length >= SLICES_MIN * PER_SLICE,
    from: new Uint32Array(1), share: new Float64Array(0),
  };
}

/**
 * Sort the samples of a side into n equal time slices.
 * @param {Half} side
 * @param {ArrayLike<number>} weight
 * @param {number} n
 */
function cut(side, weight, n) {
  const slice = new Uint8Array(side.at.length);
  const from = new Uint32Array(n + 1);
  side.share = new Float64Array(n);
  for (let i = 0; i < slice.length; i++) {
    slice[i] = Math.min(n - 1, Math.floor(side.time[i] * n));
    from[slice[i] + 1]++;
    side.share[slice[i]] += weight[side.at[i]] / side.total;
  }
  for (let k = 0; k < n; k++)
    from[k + 1] += from[k];
  const next = from.slice();
  const at = new Uint32Array(slice.length);
  const time = new Float64Array(slice.length);
  for (let i = 0; i < slice.length; i++) {
    time[next[slice[i]]] = side.time[i];
    at[next[slice[i]]++] = side.at[i];
  }
  side.at = at;
  side.time = time;
  side.from = from;
}

/** Number the functions: each symbol that is code, but all unresolved addresses of a module as one. @param {any} s */
function functionsOf(s) {
  const of = new Int32Array(s.name.length).fill(-1);
  /** @type {Map<number, number>} */
  const unnamed = new Map();
  /** @type {string[]} */
  const names = [];
  /** @type {string[]} */
  const modules = [];
  for (let i = 0; i < of.length; i++) {
    if (s.name[i] === "" || s.spaces[s.space[i]] === "command")
      continue;
    const known = s.flags[i] & 1 ? unnamed.get(s.module[i]) : undefined;
    if (known !== undefined) {
      of[i] = known;
      continue;
    }
    if (s.flags[i] & 1)
      unnamed.set(s.module[i], names.length);
    of[i] = names.length;
    names.push(s.flags[i] & 1 ? "[no symbol]" : s.name[i]);
    modules.push(s.modules[s.module[i]]);
  }
  return { of, names, modules, n: names.length };
}

/**
 * Number the different keys of symbols. `of`: the number for each symbol, -1: none.
 * @param {any} s
 * @param {(sym: number) => string | null} key
 */
function numbered(s, key) {
  /** @type {Map<string, number>} */
  const places = new Map();
  const of = new Int32Array(s.name.length).fill(-1);
  for (let i = 0; i < of.length; i++) {
    const k = key(i);
    if (k === null)
      continue;
    const known = places.get(k);
    of[i] = known === undefined ? places.size : known;
    if (known === undefined)
      places.set(k, of[i]);
  }
  return { of, names: [...places.keys()] };
}

/**
 * Assign each frame to a row. With callees (`climbs`), isTopmost marks the outermost frame of each row in a stack.
 * @param {import("./flame_tree.js").Tree} tree
 * @param {number} n rows
 * @param {((sym: number) => number) | null} of row of a symbol; null: each frame has a row of its own
 * @param {boolean} climbs
 * @returns {Level}
 */
function level(tree, n, of, climbs) {
  const node = new Int32Array(tree.n);
  for (let i = 0; i < tree.n; i++)
    node[i] = of ? of(tree.sym[i]) : i;
  if (!climbs)
    return { n, node, isTopmost: null, climbs };
  const isTopmost = new Uint8Array(tree.n);
  const open = new Uint32Array(n);
  for (let i = 0; i < tree.n; i++) {
    const row = node[i];
    if (row < 0 || open[row] > i)
      continue;
    isTopmost[i] = 1;
    open[row] = tree.end[i];
  }
  return { n, node, isTopmost, climbs };
}

/**
 * Add the weights of the side's samples from … to (exclusive) to the sum of their rows.
 * @param {import("./flame_tree.js").Tree} tree
 * @param {ArrayLike<number>} frame
 * @param {(i: number) => number} weigh weight of sample i
 * @param {Half} side
 * @param {number} from
 * @param {number} to
 * @param {Level} l
 * @param {Float64Array} sum zeroed
 * @param {Float64Array} scratch zeroed before and after the call
 */
function addUp(tree, frame, weigh, side, from, to, l, sum, scratch) {
  if (!l.climbs || !l.isTopmost) {
    for (let i = from; i < to; i++) {
      const row = l.node[frame[side.at[i]]];
      if (row >= 0)
        sum[row] += weigh(side.at[i]);
    }
    return;
  }
  for (let i = from; i < to; i++)
    scratch[frame[side.at[i]]] += weigh(side.at[i]);
  for (let i = tree.n - 1; i >= 0; i--) {
    const w = scratch[i];
    if (w === 0)
      continue;
    if (l.isTopmost[i])
      sum[l.node[i]] += w;
    if (i)
      scratch[tree.parent[i]] += w;
    scratch[i] = 0;
  }
}

/**
 * For each side, the share of each row, and the variance that it has if samples are independent.
 * @param {import("./flame_tree.js").Tree} tree
 * @param {{frame: ArrayLike<number>, weight: ArrayLike<number>, grain: number}} samples
 * @param {Half[]} sides
 * @param {Level} l
 */
function cellsOf(tree, samples, sides, l) {
  const scratch = new Float64Array(l.climbs ? tree.n : 0);
  return sides.map((side) => {
    const value = new Float64Array(l.n);
    const variance = new Float64Array(l.n);
    addUp(tree, samples.frame, (i) => samples.weight[i], side, 0, side.at.length, l, value, scratch);
    addUp(tree, samples.frame, (i) => (side.grain > 0 ? side.grain * samples.weight[i] : samples.weight[i] ** 2), side, 0, side.at.length, l, variance, scratch);
    for (let r = 0; r < l.n; r++) {
      value[r] /= side.total;
      variance[r] = Math.max(0, (1 - 2 * value[r]) * variance[r] + value[r] ** 2 * side.squares) / side.total ** 2;
    }
    return { value, variance, size: side.total ** 2 / side.squares };
  });
}

/**
 * Overdispersion of each row: its variance between slices, divided by the variance of independent samples. Slices of
 * both sides are taken in pairs. NaN if the latter variance is 0.
 * @param {import("./flame_tree.js").Tree} tree
 * @param {{frame: ArrayLike<number>, weight: ArrayLike<number>, grain: number}} samples
 * @param {Half[]} sides
 * @param {Level} l
 * @param {ReturnType<typeof cellsOf>} cells
 * @param {number} m slices
 */
function ratios(tree, samples, sides, l, cells, m) {
  const squares = new Float64Array(l.n);
  const scratch = new Float64Array(l.climbs ? tree.n : 0);
  const e = new Float64Array(l.n);
  const sum = new Float64Array(l.n);
  for (let k = 0; k < m; k++) {
    e.fill(0);
    for (const s of [0, 1]) {
      const side = sides[s];
      if (!side.hasTimes)
        continue;
      sum.fill(0);
      addUp(tree, samples.frame, (i) => samples.weight[i], side, side.from[k], side.from[k + 1], l, sum, scratch);
      const sign = s ? 1 : -1;
      const value = cells[s].value;
      for (let r = 0; r < l.n; r++)
        e[r] += sign * (sum[r] / side.total - value[r] * side.share[k]);
    }
    for (let r = 0; r < l.n; r++)
      squares[r] += e[r] * e[r];
  }
  const ratio = new Float64Array(l.n);
  for (let r = 0; r < l.n; r++) {
    const independent = (sides[0].hasTimes ? cells[0].variance[r] : 0) + (sides[1].hasTimes ? cells[1].variance[r] : 0);
    ratio[r] = independent > 0 ? squares[r] * m / (m - 1) / independent : NaN;
  }
  return ratio;
}

/**
 * The ratios of rows that have enough samples for an estimate.
 * @param {ReturnType<typeof cellsOf>} cells
 * @param {Float64Array} ratio
 */
function speakers(cells, ratio) {
  const said = [];
  for (let r = 0; r < ratio.length; r++) {
    let count = 0;
    for (const c of cells)
      count += c.variance[r] > 0 ? c.value[r] ** 2 / c.variance[r] * (1 - c.value[r]) : 0;
    if (!Number.isNaN(ratio[r]) && count >= SPEAKER_MIN)
      said.push(ratio[r]);
  }
  return said;
}

/**
 * Choose the number of slices: the largest for which slices are longer than bursts. 0: the samples have no times.
 * @param {import("./flame_tree.js").Tree} tree
 * @param {{frame: ArrayLike<number>, weight: ArrayLike<number>, grain: number}} samples
 * @param {Half[]} sides
 * @param {Level} l functions without callees
 */
function chooseSlices(tree, samples, sides, l) {
  const timed = sides.filter((s) => s.hasTimes);
  if (!timed.length)
    return 0;
  const fewest = Math.min(...timed.map((s) => s.at.length));
  const cells = cellsOf(tree, samples, sides, l);
  let n = SLICES;
  while (n > SLICES_MIN && Math.floor(fewest / n) < PER_SLICE)
    n /= 2;
  for (let last = 0; ; n /= 2) {
    timed.forEach((s) => cut(s, samples.weight, n));
    const said = speakers(cells, ratios(tree, samples, sides, l, cells, n));
    const mean = said.length ? said.reduce((a, x) => a + x, 0) / said.length : NaN;
    if (last > 0 && !(mean > last * GROWTH)) {
      n *= 2;
      timed.forEach((s) => cut(s, samples.weight, n));
      return n;
    }
    if (n / 2 < SLICES_MIN)
      return n;
    last = mean;
  }
}

/**
 * Compare the shares of each row on both sides: intervals, tests and verdicts.
 * @param {import("./flame_tree.js").Tree} tree
 * @param {{frame: ArrayLike<number>, weight: ArrayLike<number>, grain: number}} samples
 * @param {Half[]} sides
 * @param {Level} l
 * @param {number} nSlices
 * @returns {Judged}
 */
function judge(tree, samples, sides, l, nSlices) {
  const cells = cellsOf(tree, samples, sides, l);
  const ratio = nSlices ? ratios(tree, samples, sides, l, cells, nSlices) : new Float64Array(l.n).fill(ASSUMED);
  const df = nSlices ? nSlices - 1 : 1e4;
  const prior = nSlices ? fitPrior(speakers(cells, ratio), df) : { ratio: 1, df: 0 };
  const dfAll = nSlices ? prior.df + df : df;
  const t = tCritical(ALPHA, dfAll);
  const tNone = tCritical(ALPHA, Math.max(1, dfAll));
  /** @type {Judged} */
  const j = {
    a: cells[0].value, b: cells[1].value, low: new Float64Array(l.n), high: new Float64Array(l.n),
    p: new Float64Array(l.n).fill(NaN), q: new Float64Array(0), verdict: new Uint8Array(l.n), ratio,
  };
  for (let r = 0; r < l.n; r++) {
    let own = dfAll;
    let critical = t;
    if (nSlices && Number.isNaN(ratio[r])) {
      ratio[r] = Math.max(1, prior.ratio);
      own = Math.max(1, dfAll);
      critical = tNone;
    } else if (nSlices)
      ratio[r] = Math.max(1, (prior.df * prior.ratio + df * ratio[r]) / dfAll);
    const [a, b] = cells.map((c) => {
      const v = c.value[r];
      const size = v > 0 && v < 1 && c.variance[r] > 0 ? v * (1 - v) / c.variance[r] : c.size;
      return { value: v, size: size / ratio[r] };
    });
    [j.low[r], j.high[r]] = difference(a, b, critical);
    if (a.value * a.size + b.value * b.size >= COUNT_MIN)
      j.p[r] = a.value === b.value ? 1 : differenceP(a, b, own);
  }
  j.q = correctedP(j.p, j.a, j.b);
  for (let r = 0; r < l.n; r++)
    j.verdict[r] = verdict(j, r);
  return j;
}

/** @param {Judged} j @param {number} r @returns {number} index in VERDICTS */
function verdict(j, r) {
  if (j.q[r] <= ALPHA && (j.low[r] > 0 || j.high[r] < 0))
    return j.low[r] > 0 ? 1 : 2;
  return j.low[r] >= -MARGIN && j.high[r] <= MARGIN ? 0 : 3;
}

/**
 * If a caller has the same shares as its callee, test only the callee, and give the caller the same verdict.
 * @param {import("./flame_tree.js").Tree} tree
 * @param {Judged} j figures of each frame
 */
function joinEchoes(tree, j) {
  /** Whether frame i has the same shares as its caller. @param {number} i */
  const echoes = (i) => i > 0 && j.a[tree.parent[i]] === j.a[i] && j.b[tree.parent[i]] === j.b[i];
  j.p[0] = NaN;
  for (let i = 1; i < tree.n; i++)
    if (echoes(i))
      j.p[tree.parent[i]] = NaN;
  j.q = correctedP(j.p, j.a, j.b);
  for (let i = 0; i < tree.n; i++)
    j.verdict[i] = verdict(j, i);
  for (let i = tree.n - 1; i > 0; i--) {
    if (!echoes(i))
      continue;
    const up = tree.parent[i];
    j.verdict[up] = j.verdict[i];
    j.p[up] = j.p[i];
    j.q[up] = j.q[i];
  }
  return j;
}

/** @param {number} v @returns {number | null} */
function number(v) {
  return Number.isNaN(v) ? null : v;
}

/**
 * Rows with the members that they have in `assay diff --json`.
 * @param {Judged} j
 * @param {string[]} names
 * @param {string[] | null} modules
 * @param {string} [key]
 */
function rowsOf(j, names, modules, key = "symbol") {
  /** @type {any[]} */
  const rows = [];
  for (let r = 0; r < names.length; r++) {
    if (j.a[r] === 0 && j.b[r] === 0)
      continue;
    rows.push({
      [key]: names[r], ...(modules ? { dso: modules[r] } : {}), a: 100 * j.a[r], b: 100 * j.b[r], delta: 100 * (j.b[r] - j.a[r]),
      low: 100 * j.low[r], high: 100 * j.high[r], p: number(j.p[r]), p_adjusted: number(j.q[r]), verdict: VERDICTS[j.verdict[r]],
      new: j.a[r] === 0, vanished: j.b[r] === 0, dispersion: j.ratio[r],
    });
  }
  return rows;
}
