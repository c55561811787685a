// The state of the view (tab, zoom, search ...), stored in the URL's hash, so that a link shows the same view.

/** @type {Map<string, string>} */
let values = new Map();
/** @type {((changed: Set<string>) => void)[]} */
const listeners = [];

/** @returns {Map<string, string>} */
function parse() {
  return new Map(new URLSearchParams(location.hash.slice(1)));
}

/** @param {string} key @param {string} [otherwise] @returns {string} */
export function get(key, otherwise = "") {
  return values.get(key) ?? otherwise;
}

/** Call all listeners. @param {Set<string>} changed */
function tell(changed) {
  if (changed.size)
    for (const f of listeners)
      f(changed);
}

/**
 * Set values of the state; the value "" removes a key. isStep: add an entry to the browser's history, for Back.
 * @param {Record<string, string>} pairs
 * @param {boolean} [isStep]
 */
export function set(pairs, isStep = false) {
  const changed = new Set();
  for (const [key, value] of Object.entries(pairs)) {
    if (get(key) === value)
      continue;
    changed.add(key);
    if (value === "")
      values.delete(key);
    else
      values.set(key, value);
  }
  if (!changed.size)
    return;
  const hash = "#" + new URLSearchParams([...values]).toString();
  if (isStep)
    history.pushState(null, "", hash);
  else
    history.replaceState(null, "", hash);
  tell(changed);
}

/** Call f after each change, with the keys that changed. @param {(changed: Set<string>) => void} f */
export function listen(f) {
  listeners.push(f);
}

function readHash() {
  const old = values;
  values = parse();
  const keys = new Set([...old.keys(), ...values.keys()]);
  tell(new Set([...keys].filter((k) => old.get(k) !== values.get(k))));
}

values = parse();
addEventListener("hashchange", readHash);
addEventListener("popstate", readHash);
