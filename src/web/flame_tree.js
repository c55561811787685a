// A flame graph as columns in preorder: parents, ends of subtrees, starts, rows of boxes.
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

/** Weight that ends in each symbol. @param {Tree} tree */
export function selfBySymbol(tree) {
  const self = new Float64Array(tree.symbols.name.length);
  for (let i = 0; i < tree.n; i++)
    self[tree.sym[i]] += tree.self[i];
  return self;
}

/**
 * Weight under frames whose symbol is hit, each moment once, and how many frames.
 * @param {Tree} tree
 * @param {Uint8Array} hit by symbol
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

/**
 * The same frames with other weights: of some samples only.
 * @param {Tree} tree
 * @param {Float64Array} self by frame
 * @param {Float64Array} count by frame
 * @returns {Tree}
 */
export function withWeights(tree, self, count) {
  const total = self.slice();
  for (let i = tree.n - 1; i > 0; i--)
    total[tree.parent[i]] += total[i];
  const start = new Float64Array(tree.n);
  const cursor = new Float64Array(tree.nRows + 1);
  for (let i = 0; i < tree.n; i++) {
    const d = tree.depth[i];
    start[i] = cursor[d];
    cursor[d] += total[i];
    cursor[d + 1] = start[i];
  }
  return { ...tree, total, self, count, start, rows: makeRows(tree.nRows, tree.depth, start, total), whole: total[0] };
}
