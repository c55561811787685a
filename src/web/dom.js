// Make elements, and format numbers for people. Names from the input only become text nodes, never markup.

const HOSTILE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/**
 * Replace control characters and bidirectional controls by their codes, such as \x1b and \u202e.
 * @param {string} text
 * @returns {string}
 */
export function clean(text) {
  return text.replace(HOSTILE, (c) => {
    const code = c.charCodeAt(0);
    return code < 256 ? "\\x" + code.toString(16).padStart(2, "0")
      : "\\u" + code.toString(16).padStart(4, "0");
  });
}

/** Truncate a name to `most` characters, and append its length. @param {string} text @param {number} [most] */
export function cut(text, most = 300) {
  return text.length <= most ? text : text.slice(0, most) + "… (" + count(text.length) + " letters)";
}

/**
 * Make an element.
 * @param {string} tag "p", "p.dim"
 * @param {Record<string, any> | null} [props] properties; on… are listeners, aria-… and data-… attributes
 * @param {...(Node | string | number | null | undefined | false)} children
 * @returns {any}
 */
export function el(tag, props, ...children) {
  const [name, ...classes] = tag.split(".");
  const e = document.createElement(name);
  if (classes.length)
    e.className = classes.join(" ");
  for (const [key, value] of Object.entries(props || {})) {
    if (key.startsWith("on"))
      e.addEventListener(key.slice(2), value);
    else if (key.includes("-") || key === "role" || key === "for" || key === "scope")
      e.setAttribute(key, value);
    else
      /** @type {any} */ (e)[key] = value;
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false)
      continue;
    e.append(child instanceof Node ? child : clean(String(child)));
  }
  return e;
}

/** Replace the children of e; null, undefined and false are left out. @param {Element} e @param {...any} children */
export function fill(e, ...children) {
  e.replaceChildren(...children.filter((c) => c !== null && c !== undefined && c !== false)
    .map((c) => (c instanceof Node ? c : clean(String(c)))));
}

/** Format a number with grouped digits: 1 234 567. @param {number | string} n @returns {string} */
export function count(n) {
  return String(n).replace(/^-?\d+/, (d) => d.replace(/\B(?=(\d{3})+$)/g, "\u202f"));
}

/** Format a number. @param {number} v @returns {string} with the three or four significant digits */
export function short(v) {
  const a = Math.abs(v);
  if (a === 0)
    return "0";
  if (a >= 1000 || Number.isInteger(v))
    return count(Math.round(v));
  return a >= 100 ? v.toFixed(0) : a >= 10 ? v.toFixed(1) : a >= 0.01 ? v.toFixed(2) : v.toPrecision(2);
}

/** Format a duration. @param {number} ns @returns {string} "1.28 ms" */
export function time(ns) {
  const a = Math.abs(ns);
  if (a < 1e3)
    return short(ns) + " ns";
  if (a < 1e6)
    return short(ns / 1e3) + " µs";
  if (a < 1e9)
    return short(ns / 1e6) + " ms";
  return short(ns / 1e9) + " s";
}

/**
 * Format times that stand side by side, such as labels of an axis: in one unit, with the digits that tell them apart.
 * @param {number[]} ns ascending, at equal distances
 * @returns {string[]} ["2.8301 s", "2.8302 s"]
 */
export function times(ns) {
  const most = ns[ns.length - 1];
  const [unit, name] = most < 1e3 ? [1, " ns"] : most < 1e6 ? [1e3, " µs"] : most < 1e9 ? [1e6, " ms"] : [1e9, " s"];
  const apart = ns.length > 1 && ns[1] > ns[0] ? ns[1] - ns[0] : unit;
  const digits = Math.min(9, Math.max(0, 2 - Math.floor(Math.log10(apart / unit))));
  return ns.map((t) => count((t / unit).toFixed(digits)) + name);
}

/** Format a share of a whole. @param {number} part @param {number} whole @returns {string} "12.3 %" */
export function share(part, whole) {
  if (!(whole > 0))
    return "–";
  const p = 100 * part / whole;
  return (p === 0 ? "0" : p < 0.01 ? "< 0.01" : p >= 99.995 ? "100" : p.toFixed(2)) + "\u2009%";
}

/**
 * Format a weight with its unit.
 * @param {number} weight
 * @param {{unit: string, decimals: number}} scale
 * @returns {string}
 */
export function amount(weight, scale) {
  const v = weight / 10 ** scale.decimals;
  switch (scale.unit) {
  case "ns":
    return time(v);
  case "percent":
    return v.toFixed(Math.min(scale.decimals, 4)) + "\u2009%";
  case "samples":
    return count(v) + (v === 1 ? " sample" : " samples");
  default:
    return count(v) + (scale.unit ? " " + scale.unit : "");
  }
}

/** Format a difference. @param {number} v @param {number} [digits] @returns {string} with its sign */
export function signed(v, digits = 2) {
  const shown = Math.abs(v) < 0.5 * 10 ** -digits ? 0 : v;
  return (shown < 0 ? "−" : "+") + Math.abs(shown).toFixed(digits);
}

/** Format a p-value. @param {number | null | undefined} q */
export function probability(q) {
  return q === null || q === undefined || Number.isNaN(q) ? "–" : q < 1e-4 ? "< 0.0001" : q.toFixed(4);
}

/** @param {number} n @param {string} one @param {string} many */
export function plural(n, one, many) {
  return count(n) + " " + (n === 1 ? one : many);
}

/** The last component of a path. @param {string} path */
export function baseName(path) {
  return path.slice(path.lastIndexOf("/") + 1) || path;
}
