// Draw rows of boxes, one pixel row at a time. Boxes narrower than a pixel are shaded by the part of the
// pixel that they cover together (by prefix sums), so that no box is lost and no row looks fuller than it is.
// Cost of a row: O(pixels * log boxes).

/**
 * Rows: the boxes of all rows, row by row; in a row they are sorted by start and do not overlap. offset: index of the
 * first box of each row; cover: prefix sums of the boxes' lengths. Box: a drawn box, x0 and x1 in pixels.
 * @typedef {{
 *   offset: Uint32Array, node: Uint32Array, start: Float64Array, end: Float64Array,
 *   cover: Float64Array
 * }} Rows
 * @typedef {{x0: number, x1: number, node: number}} Box
 */

/**
 * Sort the boxes of nodes into rows.
 * @param {number} nRows
 * @param {ArrayLike<number>} rowOf row of each node; the nodes of a row must be in the order of their starts
 * @param {Float64Array} start of each node
 * @param {ArrayLike<number>} length of each node
 * @returns {Rows}
 */
export function makeRows(nRows, rowOf, start, length) {
  const n = start.length;
  const offset = new Uint32Array(nRows + 1);
  for (let i = 0; i < n; i++)
    offset[rowOf[i] + 1]++;
  for (let r = 0; r < nRows; r++)
    offset[r + 1] += offset[r];
  const at = offset.slice();
  const rows = {
    offset, node: new Uint32Array(n), start: new Float64Array(n), end: new Float64Array(n),
    cover: new Float64Array(n + 1),
  };
  for (let i = 0; i < n; i++) {
    const k = at[rowOf[i]]++;
    rows.node[k] = i;
    rows.start[k] = start[i];
    rows.end[k] = start[i] + length[i];
  }
  let sum = 0;
  for (let k = 0; k < n; k++) {
    rows.cover[k] = sum;
    sum += rows.end[k] - rows.start[k];
  }
  rows.cover[n] = sum;
  return rows;
}

/**
 * Index of the first value in [from, to) that is above v; to: there is none.
 * @param {Float64Array} values ascending in this range
 * @param {number} from
 * @param {number} to
 * @param {number} v
 */
export function above(values, from, to, v) {
  let step = 1;
  let low = from;
  while (low + step < to && values[low + step - 1] <= v) {
    low += step;
    step *= 2;
  }
  let high = Math.min(to, low + step);
  while (low < high) {
    const mid = (low + high) >>> 1;
    if (values[mid] <= v)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

/**
 * The length of [left, right) that boxes cover. `sums`: prefix sums of the lengths of all boxes, or of
 * marked boxes, which are then the only ones to count. k: the first box that ends after left.
 * @param {Rows} rows
 * @param {Float64Array} sums
 * @param {number} k
 * @param {number} to
 * @param {number} left
 * @param {number} right
 */
function covered(rows, sums, k, to, left, right) {
  const j = above(rows.end, k, to, right);
  let sum = sums[j] - sums[k];
  if (j > k && rows.start[k] < left && sums[k + 1] > sums[k])
    sum -= left - rows.start[k];
  if (j < to && sums[j + 1] > sums[j] && rows.start[j] < right)
    sum += right - Math.max(rows.start[j], left);
  return sum;
}

/** Mix two colours. @param {number} a @param {number} b @param {number} t part of b, 0 to 1 @returns {number} pixel */
export function mix(a, b, t) {
  const u = 1 - t;
  const r = (a & 255) * u + (b & 255) * t;
  const g = (a >>> 8 & 255) * u + (b >>> 8 & 255) * t;
  const l = (a >>> 16 & 255) * u + (b >>> 16 & 255) * t;
  return (0xff000000 | l << 16 | g << 8 | r) >>> 0;
}

/**
 * Draw a row of boxes into one line of pixels.
 * @param {Rows} rows
 * @param {number} row
 * @param {number} v0 left edge of the view
 * @param {number} v1 right edge
 * @param {{
 *   bg: number, colour: (node: number) => number, minBox: number, least: number,
 *   marks: Float64Array | null, mark: number, isMarked: (node: number) => boolean
 * }} paint marks: prefix sums of marked boxes; least: minimum strength of a pixel that contains a box
 * @param {Uint32Array} out pixels of the row
 * @param {Box[]} boxes those at least minBox pixels wide are appended
 */
export function rasterRow(rows, row, v0, v1, paint, out, boxes) {
  const width = out.length;
  const to = rows.offset[row + 1];
  const per = (v1 - v0) / width;
  let k = above(rows.end, rows.offset[row], to, v0);
  let x = 0;
  out.fill(paint.bg);
  while (x < width && k < to) {
    const left = v0 + x * per;
    if (rows.end[k] <= left) {
      k = above(rows.end, k, to, left);
      continue;
    }
    const x0 = (rows.start[k] - v0) / per;
    if (x0 >= x + 1) {
      x = Math.floor(x0);
      continue;
    }
    const x1 = (rows.end[k] - v0) / per;
    const node = rows.node[k];
    if (x0 <= x + 1e-6 && x1 >= x + 1 - 1e-6) {
      const stop = Math.min(width, Math.floor(x1 + 1e-6));
      const isMarked = paint.marks !== null && paint.isMarked(node);
      const colour = isMarked ? paint.mark : paint.colour(node);
      out.fill(colour, x, stop);
      if (x1 - x0 >= 4)
        out[stop - 1] = mix(colour, paint.bg, 0.75);
      if (stop - x >= paint.minBox)
        boxes.push({ x0: x, x1: stop, node });
      x = stop;
      continue;
    }
    const part = Math.min(1, covered(rows, rows.cover, k, to, left, left + per) / per);
    let colour = mix(paint.bg, paint.colour(node), Math.max(part, paint.least));
    if (paint.marks !== null) {
      const marked = covered(rows, paint.marks, k, to, left, left + per) / per;
      if (marked > 0)
        colour = mix(colour, paint.mark, Math.min(1, Math.max(marked, 0.3)));
    }
    out[x] = colour;
    x++;
  }
}

/**
 * The node of the box in a row that contains v, or is at most `slack` away from it.
 * @param {Rows} rows
 * @param {number} row
 * @param {number} v
 * @param {number} slack
 * @returns {number} node, -1: none
 */
export function boxAt(rows, row, v, slack) {
  if (row < 0 || row >= rows.offset.length - 1)
    return -1;
  const to = rows.offset[row + 1];
  const k = above(rows.end, rows.offset[row], to, v);
  if (k < to && rows.start[k] <= v + slack)
    return rows.node[k];
  if (k > rows.offset[row] && rows.end[k - 1] >= v - slack)
    return rows.node[k - 1];
  return -1;
}

/**
 * Prefix sums of the lengths of marked boxes; other boxes count as 0.
 * @param {Rows} rows
 * @param {(node: number) => boolean} isMarked
 */
export function markSums(rows, isMarked) {
  const n = rows.node.length;
  const sums = new Float64Array(n + 1);
  let sum = 0;
  for (let k = 0; k < n; k++) {
    sums[k] = sum;
    if (isMarked(rows.node[k]))
      sum += rows.end[k] - rows.start[k];
  }
  sums[n] = sum;
  return sums;
}
