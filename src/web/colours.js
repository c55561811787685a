// Colours of frames, for the light and the dark theme. They differ in lightness, too, for colour-blind readers.

const LIGHT = ["#d9d9d9", "#f2c261", "#9fd4c0", "#8fc4ea", "#f6e58d", "#e0a9c9", "#eaa583", "#bfbfbf", "#bdaee6", "#c9d28b"];
const DARK = ["#4a4a4a", "#80570c", "#1f6350", "#1d5683", "#6b6210", "#7a3a60", "#8a4320", "#3a3a3a", "#554391", "#566019"];
// colours of frames in a comparison, by index in STEPS of difference.js: 0-2 less, 3 cannot tell, 4-6 more, 7 the same;
// 8: callers of frames that only the other side has; 9: root frames, which are not compared
const LIGHT_DIFF = ["#4f94d4", "#86b8e6", "#c3dcf2", "#cfcfcf", "#fbd0b5", "#f3a26f", "#e2763a", "#ebe4d0", "#ffffff", "#d9d9d9"];
const DARK_DIFF = ["#2368ab", "#1f4f7c", "#213a52", "#444444", "#573623", "#854720", "#b4561c", "#37332a", "#161616", "#4a4a4a"];
const SPACES = ["not resolved", "program", "libraries", "kernel", "inlined", "JIT", "guest, BPF", "no code"];
const SPACE_PLACES = [7, 1, 2, 3, 4, 5, 6, 0];

const dark = matchMedia("(prefers-color-scheme: dark)");

export function isDark() {
  return dark.matches;
}

/** Call f when the browser changes between light and dark. @param {() => void} f */
export function onTheme(f) {
  dark.addEventListener("change", f);
}

/** @param {string} hex "#rrggbb" @returns {number} as a pixel of ImageData, little endian */
export function pixel(hex) {
  const v = parseInt(hex.slice(1), 16);
  return (0xff000000 | (v & 0xff) << 16 | (v & 0xff00) | v >>> 16) >>> 0;
}

/** @returns {string[]} */
export function palette() {
  return dark.matches ? DARK : LIGHT;
}

/** The colours of the SVG of `assay flame --diff`. @returns {string[]} */
export function differencePalette() {
  return dark.matches ? DARK_DIFF : LIGHT_DIFF;
}

/** @returns {{bg: string, fg: string, dim: string, hit: string, hitText: string}} */
export function theme() {
  return dark.matches ? { bg: "#161616", fg: "#f2f2f2", dim: "#ababab", hit: "#f0abfc", hitText: "#161616" }
    : { bg: "#ffffff", fg: "#1b1b1b", dim: "#595959", hit: "#a21caf", hitText: "#ffffff" };
}

/** @param {any} symbols @param {number} i @returns {number} index in SPACES */
function spaceOf(symbols, i) {
  const space = symbols.spaces[symbols.space[i]];
  const name = symbols.name[i];
  if (space === "command" || name === "")
    return 7;
  if (symbols.flags[i] & 1 || name === "[unknown]")
    return 0;
  if (symbols.flags[i] & 2)
    return 4;
  if (space === "kernel")
    return 3;
  if (space === "user" || space === "unknown")
    return /\.so|\.dylib$|\.dll$/.test(symbols.modules[symbols.module[i]]) ? 2 : 1;
  return space === "jit" ? 5 : space === "vdso" ? 2 : 6;
}

/**
 * For each symbol (`place`), the index of its colour in the palette. `legend`: the meaning of each colour.
 * @param {any} symbols
 * @param {string} mode "space", "dso", "category"
 * @param {Float64Array} self self weight of each symbol
 * @returns {{place: Uint8Array, legend: {place: number, text: string, weight: number}[]}}
 */
export function colourSymbols(symbols, mode, self) {
  const n = symbols.name.length;
  const place = new Uint8Array(n);
  /** @type {Map<string, number>} */
  const weights = new Map();
  /** @type {string[]} */
  const keys = new Array(n);
  for (let i = 0; i < n; i++) {
    const isCode = symbols.name[i] !== "" && symbols.spaces[symbols.space[i]] !== "command";
    if (mode === "space")
      keys[i] = SPACES[spaceOf(symbols, i)];
    else if (!isCode)
      keys[i] = "";
    else if (mode === "dso")
      keys[i] = symbols.modules[symbols.module[i]] || "no module";
    else
      keys[i] = symbols.categories[symbols.category[i]].split("/")[0];
    weights.set(keys[i], (weights.get(keys[i]) || 0) + self[i]);
  }
  const order = [...weights.entries()].filter((e) => e[0] !== "").sort((a, b) => b[1] - a[1]);
  /** @type {Map<string, number>} */
  const placeOf = new Map([["", 0]]);
  const legend = [];
  let rest = 0;
  order.forEach(([key, weight], at) => {
    const p = mode === "space" ? SPACE_PLACES[SPACES.indexOf(key)] : at < 9 ? at + 1 : 0;
    placeOf.set(key, p);
    if (mode === "space" || at < 9)
      legend.push({ place: p, text: key, weight });
    else
      rest += weight;
  });
  if (mode !== "space" && order.length > 9)
    legend.push({ place: 0, text: plural(order.length - 9), weight: rest });
  for (let i = 0; i < n; i++)
    place[i] = placeOf.get(keys[i]) || 0;
  return { place, legend: legend.filter((l) => l.weight > 0) };
}

/** @param {number} n */
function plural(n) {
  return n === 1 ? "1 other" : n + " others";
}
