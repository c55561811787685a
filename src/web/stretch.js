// The time range that a canvas shows. The user selects it by dragging or keys, and the URL's hash stores it. The tabs
// for logs share it.
import { theme } from "./colours.js";
import { get as stateGet, set as stateSet } from "./state.js";

/**
 * Handle a key in a picture over time: arrows move the shown range, plus and minus zoom, Escape shows all.
 * @param {string} key of the keyboard
 * @param {number} v0 start of the shown range; v1: its end
 * @param {number} v1
 * @param {number} first start of the data; last: its end
 * @param {number} last
 * @returns {[number, number] | null | undefined} range to show; null: all; undefined: no such key
 */
function walk(key, v0, v1, first, last) {
  const w = v1 - v0;
  /** @type {Record<string, [number, number]>} */
  const to = {
    ArrowLeft: [v0 - w / 5, v1 - w / 5], ArrowRight: [v0 + w / 5, v1 + w / 5],
    "+": [v0 + w / 4, v1 - w / 4], "=": [v0 + w / 4, v1 - w / 4], "-": [v0 - w / 2, v1 + w / 2],
  };
  if (key === "Escape")
    return null;
  if (!Object.hasOwn(to, key))
    return undefined;
  let [a, b] = to[key];
  if (b - a >= last - first)
    return null;
  if (a < first)
    [a, b] = [first, first + b - a];
  if (b > last)
    [a, b] = [last - (b - a), last];
  return [a, b];
}

/**
 * Set a canvas to the resolution of the screen, and return its context, which draws in CSS pixels.
 * @param {HTMLCanvasElement} canvas
 * @param {number} height CSS pixels
 * @returns {{g: any, width: number} | null} null: it is not visible
 */
export function sharp(canvas, height) {
  const width = canvas.clientWidth;
  if (width < 2)
    return null;
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { g, width };
}

/**
 * Tell drags along a canvas from clicks.
 * @param {HTMLCanvasElement} canvas
 * @param {{
 *   moved: () => void, dragged: (from: number, to: number) => void, clicked?: (event: PointerEvent) => void
 * }} options moved: the dragged range changed, draw again; dragged: its ends, 0 to 1 of the width
 */
export function dragging(canvas, { moved, dragged, clicked }) {
  /** @type {[number, number] | null} pixels */
  let drag = null;
  /** @param {PointerEvent} e */
  const x = (e) => e.clientX - canvas.getBoundingClientRect().left;
  canvas.addEventListener("pointerdown", (e) => {
    if (e.button)
      return;
    drag = [x(e), x(e)];
    canvas.setPointerCapture(e.pointerId);
  });
  canvas.addEventListener("pointermove", (e) => {
    if (!drag)
      return;
    drag[1] = x(e);
    moved();
  });
  canvas.addEventListener("pointercancel", () => {
    drag = null;
    moved();
  });
  canvas.addEventListener("pointerup", (e) => {
    const d = drag;
    drag = null;
    if (!d)
      return;
    const at = (/** @type {number} */ px) => Math.min(1, Math.max(0, px / canvas.clientWidth));
    if (Math.abs(d[1] - d[0]) > 4)
      dragged(at(Math.min(...d)), at(Math.max(...d)));
    else if (clicked)
      clicked(e);
    moved();
  });
  return {
    /** Shade the range that the user is dragging over. @param {any} g @param {number} height */
    shade(g, height) {
      if (!drag)
        return;
      g.fillStyle = theme().hit + "40";
      g.fillRect(Math.min(...drag), 0, Math.abs(drag[1] - drag[0]), height);
    },
  };
}

/**
 * Let the user select the time range that a canvas shows.
 * @param {HTMLCanvasElement} canvas
 * @param {{
 *   key: string, digits: number, draw: () => void
 * }} options key: in the URL's hash; digits: decimals of milliseconds there; draw: called when the dragged range changes
 */
export function stretch(canvas, { key, digits, draw }) {
  const view = { v0: 0, v1: 1, first: 0, last: 1 };

  /**
   * Store the range to show in the URL's hash.
   * @param {number[] | null} to start and end; null: all
   * @param {boolean} isStep that Back undoes
   */
  function show(to, isStep) {
    stateSet({ [key]: to ? to[0].toFixed(digits) + "~" + to[1].toFixed(digits) : "" }, isStep);
  }

  const drag = dragging(canvas, {
    moved: draw,
    dragged: (from, to) => show([from, to].map((f) => view.v0 + f * (view.v1 - view.v0)), true),
  });
  canvas.addEventListener("keydown", (e) => {
    const to = e.ctrlKey || e.metaKey || e.altKey ? undefined : walk(e.key, view.v0, view.v1, view.first, view.last);
    if (to === undefined)
      return;
    e.preventDefault();
    e.stopPropagation();
    show(to, to === null);
  });
  return {
    /** The shown range (v0, v1) and that of the data (first, last), in milliseconds. */
    view,
    /** Set the shown range from the URL's hash. @param {number} first @param {number} last range of the data */
    readState(first, last) {
      const m = /^(-?[\d.]+)~(-?[\d.]+)$/.exec(stateGet(key));
      view.first = first;
      view.last = last;
      view.v0 = m ? Number(m[1]) : first;
      view.v1 = m ? Math.max(Number(m[2]), view.v0 + 10 ** -digits) : last;
    },
    all: () => show(null, true),
    shade: drag.shade,
  };
}
