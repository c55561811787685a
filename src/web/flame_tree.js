// A flame graph as columns, indexed by frame in preorder: parents, ends of subtrees, starts, rows of boxes.
import { makeRows } from "./raster.js";

/**
 * @typedef {{
 *   n: number, sym: ArrayLike<number>, depth: ArrayLike<number>, total: ArrayLike<number>,
 *   self: ArrayLike<number>, count: ArrayLike<number>, parent: Int32Array, end: Uint32Array,
 *   start: Float64Array, deepest: Uint16Array, rows: import("./raster.js").Rows, nRows: number, whole: number,
 *   symbols: any, meta: any
 * }} Tree
 */

/**
 * Compute the tree from the columns of a block.
 * @param {import("./data.js").Block} block
 * @returns {Tree}
 */
export function makeTree(block) {
  const c = block.columns;
  const n = c.sym.length;
  const parent = new Int32Array(n);
  const end = new Uint32Array(n);
  const start = new Float64Array(n);
  let nRows = 0;
  for (let i = 0; i < n; i++)
    if (c.depth[i] >= nRows)
      nRows = c.depth[i] + 1;
  const open = new Int32Array(nRows + 1).fill(-1);
  const cursor = new Float64Array(nRows + 1);
  let depthBefore = -1;
  for (let i = 0; i < n; i++) {
    const d = c.depth[i];
    for (let k = depthBefore; k >= d; k--)
      end[open[k]] = i;
    parent[i] = d ? open[d - 1] : -1;
    open[d] = i;
    start[i] = cursor[d];
    cursor[d] += c.total[i];
    cursor[d + 1] = start[i];
    depthBefore = d;
  }
  for (let k = depthBefore; k >= 0; k--)
    end[open[k]] = n;
  const deepest = new Uint16Array(n);
  for (let i = n - 1; i >= 0; i--) {
    if (c.depth[i] > deepest[i])
      deepest[i] = c.depth[i];
    if (i && deepest[i] > deepest[parent[i]])
      deepest[parent[i]] = deepest[i];
  }
  return {
    n, deepest, sym: c.sym, depth: c.depth, total: c.total, self: c.self, count: c.count, parent, end, start,
    rows: makeRows(nRows, c.depth, start, c.total), nRows, whole: block.meta.whole,
    symbols: block.meta.symbols, meta: block.meta,
  };
}

/** The self weight of each symbol. @param {Tree} tree */
export function selfBySymbol(tree) {
  const self = new Float64Array(tree.symbols.name.length);
  for (let i = 0; i < tree.n; i++)
    self[tree.sym[i]] += tree.self[i];
  return self;
}

/**
 * Weight and number of the frames in the subtree of `from` that a search finds. A frame inside another found frame adds
 * no weight, because its weight is part of the other's.
 * @param {Tree} tree
 * @param {Uint8Array} hit for each symbol, 1 if the search finds it
 * @param {number} from
 */
export function hitWeight(tree, hit, from) {
  let weight = 0;
  let frames = 0;
  let free = from;
  for (let i = from; i < tree.end[from]; i++) {
    if (!hit[tree.sym[i]])
      continue;
    frames++;
    if (i >= free) {
      weight += tree.total[i];
      free = tree.end[i];
    }
  }
  return { weight, frames };
}

/** Append a symbol with an empty name, for root frames. @param {any} s */
function withNoName(s) {
  const spaces = s.spaces.includes("command") ? s.spaces : [...s.spaces, "command"];
  return {
    ...s, spaces, name: [...s.name, ""], module: [...s.module, 0], category: [...s.category, 0],
    space: [...s.space, spaces.indexOf("command")], flags: [...s.flags, 0],
  };
}

/**
 * The stacks of two sides as one tree: frames in preorder, without the root, depths from 1.
 * Weights a and b are shares of the whole side, as integers in units of 1 / UNIT.
 * @typedef {{
 *   n: number, sym: ArrayLike<number>, depth: ArrayLike<number>, a: Float64Array, b: Float64Array, symbols: any
 * }} Union
 */
export const UNIT = 1e9;

/**
 * Parents, and weights that are at least the sum of the callees', which rounding can exceed.
 * @param {Union} u
 * @param {Float64Array} weight
 */
function fitted(u, weight) {
  const w = weight.slice();
  const kids = new Float64Array(u.n);
  const open = new Int32Array(65537).fill(-1);
  const parent = new Int32Array(u.n).fill(-1);
  for (let i = 0; i < u.n; i++) {
    parent[i] = open[u.depth[i] - 1];
    open[u.depth[i]] = i;
  }
  for (let i = u.n - 1; i >= 0; i--) {
    w[i] = Math.max(w[i], kids[i]);
    if (parent[i] >= 0)
      kids[parent[i]] += w[i];
  }
  return { w, parent };
}

/**
 * Lay out two sides as one picture. On the left, frames have the width of side A (isOfA) or B. On the right are the frames
 * that only the other side has, with their callers; their width is that of the other side.
 * @param {Union} u
 * @param {boolean} isOfA
 * @returns {Tree & {from: Int32Array, isGone: Uint8Array, gone: number}} from: index of each frame in u, -1: a root; isGone: the frame is on the right; gone: weight of the right part
 */
export function layOut(u, isOfA) {
  const { w, parent } = fitted(u, isOfA ? u.a : u.b);
  const other = fitted(u, isOfA ? u.b : u.a).w;
  const lost = new Float64Array(u.n);
  let gone = 0;
  let whole = UNIT;
  let sum = 0;
  for (let i = u.n - 1; i >= 0; i--) {
    if (w[i] === 0)
      lost[i] = other[i];
    if (parent[i] < 0)
      gone += lost[i];
    else if (w[parent[i]] > 0)
      lost[parent[i]] += lost[i];
    sum += parent[i] < 0 ? w[i] : 0;
  }
  whole = Math.max(whole, sum);
  let nWide = 1;
  let nLost = gone > 0 ? 1 : 0;
  for (let i = 0; i < u.n; i++) {
    nWide += w[i] > 0 ? 1 : 0;
    nLost += lost[i] > 0 ? 1 : 0;
  }
  const n = nWide + nLost;
  const c = { sym: new Uint32Array(n), depth: new Uint16Array(n), total: new Float64Array(n), self: new Float64Array(n), count: new Uint8Array(n) };
  const from = new Int32Array(n).fill(-1);
  const isGone = new Uint8Array(n);
  const symbols = withNoName(u.symbols);
  let at = 0;
  /**
   * Append a root frame of the weight `all`, and the frames with a weight above 0. `flag`: their isGone.
   * @param {Float64Array} weight
   * @param {number} all
   * @param {number} flag
   */
  const put = (weight, all, flag) => {
    c.sym[at] = symbols.name.length - 1;
    c.total[at] = all;
    isGone[at++] = flag;
    for (let i = 0; i < u.n; i++) {
      if (!(weight[i] > 0))
        continue;
      c.sym[at] = u.sym[i];
      c.depth[at] = u.depth[i];
      c.total[at] = weight[i];
      from[at] = i;
      isGone[at++] = flag;
    }
  };
  put(w, whole, 0);
  if (gone > 0)
    put(lost, gone, 1);
  const tree = makeTree({ meta: { whole: whole + gone, symbols }, columns: c });
  c.self.set(c.total);
  for (let i = 0; i < n; i++)
    if (tree.parent[i] >= 0)
      c.self[tree.parent[i]] -= c.total[i];
  return { ...tree, from, isGone, gone };
}
