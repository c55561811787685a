// A canvas with rows of boxes (flame graph, timeline): draws and scrolls it, and reports pointer events.
import { el, fill } from "./dom.js";
import { pixel, theme } from "./colours.js";
import { boxAt, rasterRow } from "./raster.js";
import { dragging } from "./stretch.js";

const ROW = 18;
const FONT = "12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";

/**
 * @typedef {{
 *   rows: import("./raster.js").Rows,
 *   nShown: number, isUp: boolean, v0: number, v1: number,
 *   colour: (node: number) => number, label: (node: number) => string,
 *   isMarked: (node: number) => boolean, marks: Float64Array | null,
 *   bounds: (node: number) => {row: number, start: number, end: number},
 *   focus: number, isDashed?: (node: number) => boolean, least?: number, titles?: Map<number, string>
 * }} Picture
 */

/**
 * Make the canvas. It asks for `picture` whenever it draws.
 * @param {{
 *   label: string, picture: () => Picture | null,
 *   describe: (node: number) => any[], onclick: (node: number) => void,
 *   ondrag?: (from: number, to: number) => void
 * }} options describe: shown at the pointer; ondrag: a range was dragged over, in the unit of Picture.v0
 */
export function rasterView(options) {
  const canvas = el("canvas", { tabIndex: 0, role: "application", "aria-label": options.label });
  const spacer = el("div.spacer");
  const tip = el("div.tip", { role: "tooltip", hidden: true });
  const scroller = el("div.scroller", null, canvas, spacer, tip);
  let asked = false;
  let hover = -1;
  let lastMs = 0;
  let height = 0;
  /** @type {ImageData | null} */
  let image = null;

  /**
   * Set the height of the visible part and of the scrolled content. Returns the latter in pixels.
   * @param {Picture} p
   */
  function place(p) {
    const full = Math.max(p.nShown, 3) * ROW;
    const most = Math.max(200, Math.round(innerHeight * 0.68));
    height = Math.min(full, most);
    scroller.style.height = height + "px";
    spacer.style.height = Math.max(0, full - height) + "px";
    return full;
  }

  /** Index in p.rows of the row that is drawn as row r from the top. @param {Picture} p @param {number} r */
  function rowAt(p, r) {
    return p.isUp ? Math.max(p.nShown, 3) - 1 - r : r;
  }

  /**
   * Write the labels of a row of boxes at height y. `ratio`: device pixels per CSS pixel.
   * @param {CanvasRenderingContext2D} g
   * @param {Picture} p
   * @param {{x0: number, x1: number, node: number}[]} boxes
   * @param {number} y
   * @param {number} ratio
   */
  function labels(g, p, boxes, y, ratio) {
    const t = theme();
    const wide = g.measureText("0").width;
    for (const b of boxes) {
      const room = Math.floor(((b.x1 - b.x0) / ratio - 6) / wide);
      if (p.isDashed && p.isDashed(b.node)) {
        g.strokeStyle = t.dim;
        g.lineWidth = 1;
        g.setLineDash([3, 2]);
        g.strokeRect(b.x0 / ratio + 0.5, y + 0.5, (b.x1 - b.x0) / ratio - 1.5, ROW - 2.5);
        g.setLineDash([]);
      }
      if (room < 2)
        continue;
      const text = p.label(b.node);
      if (!text)
        continue;
      g.fillStyle = p.marks && p.isMarked(b.node) ? t.hitText : t.fg;
      g.fillText(text.length > room ? text.slice(0, room - 1) + "…" : text, b.x0 / ratio + 3, y + 13);
    }
  }

  /**
   * Draw an outline around the box of a node.
   * @param {CanvasRenderingContext2D} g
   * @param {Picture} p
   * @param {number} node
   * @param {number} width
   */
  function outline(g, p, node, width) {
    if (node < 0)
      return;
    const b = p.bounds(node);
    const per = width / (p.v1 - p.v0);
    const x0 = Math.max(0, (b.start - p.v0) * per);
    const x1 = Math.min(width, (b.end - p.v0) * per);
    const r = p.isUp ? Math.max(p.nShown, 3) - 1 - b.row : b.row;
    if (x1 < 0 || x0 > width)
      return;
    g.strokeStyle = theme().fg;
    g.lineWidth = 1.5;
    g.strokeRect(x0 + 0.75, r * ROW - scroller.scrollTop + 0.75, Math.max(2, x1 - x0 - 1.5), ROW - 2.5);
  }

  function draw() {
    asked = false;
    const p = options.picture();
    const width = scroller.clientWidth;
    if (!p || width < 2)
      return;
    const began = performance.now();
    place(p);
    const ratio = devicePixelRatio || 1;
    const w = Math.max(1, Math.round(scroller.clientWidth * ratio));
    const h = Math.max(1, Math.round(height * ratio));
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
      canvas.style.width = scroller.clientWidth + "px";
      canvas.style.height = height + "px";
    }
    const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
    if (!image || image.width !== w || image.height !== h)
      image = g.createImageData(w, h);
    const pixels = new Uint32Array(image.data.buffer);
    const t = theme();
    const bg = pixel(t.bg);
    const paint = {
      bg, colour: p.colour, minBox: Math.round((p.isDashed ? 6 : 26) * ratio), marks: p.marks, mark: pixel(t.hit), least: p.least || 0.04,
      isMarked: p.isMarked,
    };
    const first = Math.floor(scroller.scrollTop / ROW);
    const last = Math.min(Math.max(p.nShown, 3) - 1, Math.floor((scroller.scrollTop + height) / ROW));
    /** @type {{y: number, boxes: {x0: number, x1: number, node: number}[]}[]} */
    const written = [];
    const line = new Uint32Array(w);
    pixels.fill(bg);
    for (let r = first; r <= last; r++) {
      const row = rowAt(p, r);
      if (row < 0 || row >= p.rows.offset.length - 1 || row >= p.nShown)
        continue;
      /** @type {{x0: number, x1: number, node: number}[]} */
      const boxes = [];
      rasterRow(p.rows, row, p.v0, p.v1, paint, line, boxes);
      const y = r * ROW - scroller.scrollTop;
      const from = Math.max(0, Math.round(y * ratio));
      const to = Math.min(h, Math.round((y + ROW - 1) * ratio));
      for (let yy = from; yy < to; yy++)
        pixels.set(line, yy * w);
      written.push({ y, boxes });
    }
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.putImageData(image, 0, 0);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.font = FONT;
    for (const r of written)
      labels(g, p, r.boxes, r.y, ratio);
    g.fillStyle = t.dim;
    for (let r = first; p.titles && r <= last; r++) {
      const title = p.titles.get(rowAt(p, r));
      if (title)
        g.fillText(title, 3, r * ROW - scroller.scrollTop + 13);
    }
    outline(g, p, hover, width);
    outline(g, p, p.focus, width);
    if (options.ondrag)
      drag.shade(g, height);
    lastMs = performance.now() - began;
  }

  function redraw() {
    if (asked)
      return;
    asked = true;
    requestAnimationFrame(draw);
  }

  /** The node under the pointer. @param {MouseEvent} event @returns {number} node, -1: none */
  function at(event) {
    const p = options.picture();
    if (!p)
      return -1;
    const box = canvas.getBoundingClientRect();
    const r = Math.floor((event.clientY - box.top + scroller.scrollTop) / ROW);
    const row = rowAt(p, r);
    if (row >= p.nShown)
      return -1;
    const per = (p.v1 - p.v0) / box.width;
    return boxAt(p.rows, row, p.v0 + (event.clientX - box.left) * per, per);
  }

  /** Describe the node next to the pointer, inside the window. @param {number} node -1: none @param {MouseEvent} e */
  function point(node, e) {
    if (node !== hover) {
      hover = node;
      canvas.style.cursor = node < 0 ? "default" : "pointer";
      tip.hidden = node < 0;
      fill(tip, ...(node < 0 ? [] : options.describe(node)));
      redraw();
    }
    const below = e.clientY + 20;
    tip.style.left = Math.max(4, Math.min(e.clientX + 12, innerWidth - tip.offsetWidth - 8)) + "px";
    tip.style.top = (below + tip.offsetHeight < innerHeight ? below : Math.max(4, e.clientY - tip.offsetHeight - 8)) + "px";
  }
  canvas.addEventListener("pointermove", (/** @type {PointerEvent} */ e) => point(e.buttons || e.pointerType === "touch" ? -1 : at(e), e));
  canvas.addEventListener("pointerleave", (/** @type {PointerEvent} */ e) => point(-1, e));
  const drag = dragging(canvas, {
    moved: redraw,
    dragged(from, to) {
      const p = options.picture();
      if (p && options.ondrag)
        options.ondrag(p.v0 + from * (p.v1 - p.v0), p.v0 + to * (p.v1 - p.v0));
    },
    clicked: (e) => options.onclick(at(e)),
  });
  scroller.addEventListener("scroll", redraw);
  new ResizeObserver(redraw).observe(scroller);

  return {
    element: scroller,
    canvas,
    redraw,
    draw,
    /** Milliseconds that the last drawing took. */
    ms: () => lastMs,
    /** Scroll until the row is visible. @param {number} row index in p.rows */
    reveal(row) {
      const p = options.picture();
      if (!p)
        return;
      place(p);
      const r = p.isUp ? Math.max(p.nShown, 3) - 1 - row : row;
      const top = r * ROW;
      if (top < scroller.scrollTop)
        scroller.scrollTop = top;
      else if (top + ROW > scroller.scrollTop + height)
        scroller.scrollTop = top + ROW - height;
    },
    /** Scroll to the end that has the outermost row: the bottom if isUp, otherwise the top. */
    home() {
      const p = options.picture();
      if (p)
        scroller.scrollTop = p.isUp ? place(p) : 0;
    },
  };
}
