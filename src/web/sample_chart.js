// Samples over time as a flame chart. Each sample lasts until the next one of its thread. Frames that successive
// samples have in common form one box.

const BOXES_MAX = 3000000;
const GAP = 2.5;

/** @param {Float64Array} gaps */
function median(gaps) {
  const sorted = gaps.slice().sort();
  return sorted.length ? sorted[sorted.length >> 1] : 1;
}

/**
 * Convert samples to a block with the columns of calls, which are the boxes of the chart.
 * @param {import("./data.js").Block} samples
 * @param {import("./flame_tree.js").Tree} tree
 * @returns {import("./data.js").Block}
 */
export function samplesAsCalls(samples, tree) {
  const c = samples.columns;
  const n = c.time.length;
  const tick = samples.meta.tick_ns;
  const thread = c.thread || new Uint8Array(n);
  const order = Uint32Array.from(c.time, (_, i) => i).sort((a, b) => thread[a] - thread[b] || c.time[a] - c.time[b] || a - b);
  // median distance between samples of a thread; after a much longer gap, a sample counts for this time only
  const gaps = [];
  for (let k = 1; k < n; k++)
    if (thread[order[k]] === thread[order[k - 1]] && c.time[order[k]] > c.time[order[k - 1]])
      gaps.push((c.time[order[k]] - c.time[order[k - 1]]) * tick);
  const apart = median(Float64Array.from(gaps));
  /** @type {number[]} */
  const start = [];
  /** @type {number[]} */
  const dur = [];
  /** @type {number[]} */
  const sym = [];
  /** @type {number[]} */
  const depth = [];
  /** @type {number[]} */
  const lane = [];
  /** @type {number[]} */
  const count = [];
  /**
   * The open boxes, indexed by depth. from: start; n: number of samples.
   * @type {{frame: number, from: number, n: number}[]}
   */
  let open = [];
  let drawn = 0;

  /**
   * End the boxes at depth `keep` and deeper at the time `at`.
   * @param {number} keep
   * @param {number} at
   * @param {number} of thread
   */
  const close = (keep, at, of) => {
    for (let d = open.length - 1; d >= keep; d--) {
      start.push(open[d].from);
      dur.push(at - open[d].from);
      sym.push(tree.sym[open[d].frame]);
      depth.push(d);
      lane.push(of);
      count.push(open[d].n);
    }
    open.length = Math.min(open.length, keep);
  };
  for (let k = 0; k < n && start.length < BOXES_MAX; k++, drawn++) {
    const i = order[k];
    const from = c.time[i] * tick;
    const isLast = k + 1 === n || thread[order[k + 1]] !== thread[i];
    const next = isLast ? from + apart : c.time[order[k + 1]] * tick;
    const to = next - from > GAP * apart ? from + apart : next;
    const path = [];
    for (let f = c.frame[i]; f > 0; f = tree.parent[f])
      path.push(f);
    path.reverse();
    let same = 0;
    while (same < path.length && same < open.length && path[same] === open[same].frame)
      same++;
    close(same, from, thread[i]);
    for (const frame of path.slice(same))
      open.push({ frame, from, n: 0 });
    for (const o of open)
      o.n++;
    if (isLast || to !== next)
      close(0, to, thread[i]);
  }
  close(0, c.time[order[Math.max(0, drawn - 1)]] * tick + apart, thread[order[Math.max(0, drawn - 1)]]);
  return {
    meta: {
      calls: samples.meta.samples, drawn, has_times: true, is_samples: true, apart, symbols: tree.symbols,
      lanes: samples.meta.threads.length && c.thread ? samples.meta.threads : ["all threads"],
    },
    columns: {
      start: Float64Array.from(start), dur: Float64Array.from(dur), sym: Uint32Array.from(sym),
      depth: Uint16Array.from(depth), lane: Uint32Array.from(lane), count: Uint32Array.from(count),
    },
  };
}
