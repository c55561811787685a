// Search: the text must be a part of a symbol's name or module. "A text in quotes" must be the whole name, and
// /a text between slashes/ is a regular expression.

/**
 * Parse the text of a search.
 * @param {string} text
 * @returns {{test: (name: string, module: string) => boolean, error: string} | null} null: no search
 */
export function matcher(text) {
  if (text === "")
    return null;
  const slashed = /^\/(.*)\/(i?)$/.exec(text);
  if (slashed) {
    try {
      const re = new RegExp(slashed[1], slashed[2]);
      return { test: (name, module) => re.test(name) || (module !== "" && re.test(module)), error: "" };
    } catch (e) {
      return { test: () => false, error: String(/** @type {Error} */ (e).message) };
    }
  }
  const quoted = /^"(.+)"$/s.exec(text);
  if (quoted)
    return { test: (name) => name === quoted[1], error: "" };
  const low = text.toLowerCase();
  return {
    test: (name, module) => name.toLowerCase().includes(low) || module.toLowerCase().includes(low),
    error: "",
  };
}

/** The text of a search that finds only this name. @param {string} name */
export function exactly(name) {
  return '"' + name + '"';
}

/**
 * For each symbol, 1 if the search finds it.
 * @param {any} symbols of a block
 * @param {ReturnType<typeof matcher>} search
 * @returns {Uint8Array | null}
 */
export function matchSymbols(symbols, search) {
  if (!search)
    return null;
  const hit = new Uint8Array(symbols.name.length);
  for (let i = 0; i < hit.length; i++)
    hit[i] = symbols.name[i] && search.test(symbols.name[i], symbols.modules[symbols.module[i]]) ? 1 : 0;
  return hit;
}
