// Sortable tables, whose rows are those of `assay report --json`.
import { count, cut, el, fill, plural, probability, signed, time } from "./dom.js";
import { counterLines } from "./counter_lines.js";
import { matcher } from "./search.js";
import { get as stateGet, set as stateSet } from "./state.js";

const STEP = 200;
const DISTRIBUTIONS = 50;

/**
 * @typedef {{key: string, title: string, kind: "text" | "pct" | "count" | "ns" | "number" | "signed" | "interval" | "probability", err?: string, isShort?: boolean, isBar?: boolean, digits?: (row: any) => number, text?: (row: any) => string | undefined}} Column isShort: not wrapped; isBar: a wide cell, for a bar; digits: number of decimals; text: replaces the value
 */

/** The text of a cell. @param {any} value @param {Column} c @param {any} row */
function cell(value, c, row) {
  const text = c.text && c.text(row);
  if (text !== undefined)
    return text;
  if (value === null || value === undefined)
    return "–";
  switch (c.kind) {
  case "pct": {
    const err = row[c.err || c.key + "_err"];
    return value.toFixed(c.digits ? c.digits(row) : 2) + (err >= 0.0051 ? " ± " + err.toFixed(2) : "");
  }
  case "count":
    return count(value);
  case "ns":
    return time(value);
  case "signed":
    return signed(value, c.digits ? c.digits(row) : 2);
  case "interval":
    return signed(value[0], c.digits ? c.digits(row) : 2) + " to " + signed(value[1], c.digits ? c.digits(row) : 2);
  case "probability":
    return probability(value);
  case "number":
    return typeof value === "number" && c.digits ? value.toFixed(c.digits(row)) : typeof value === "number" ? String(Math.round(value * 1e4) / 1e4) : String(value);
  default:
    return cut(String(value));
  }
}

/**
 * Make a table that can be sorted and filtered.
 * @param {{
 *   id: string, caption: string, columns: Column[], rows: any[],
 *   sort: string, onrow?: (row: any) => void
 * }} table sort: key, "-" in front: largest first
 * The filter and the order are in the URL's hash, as f-<id> and s-<id>; onChange() reads them.
 * @returns {HTMLElement & {onChange: (changed: Set<string>) => void}}
 */
export function sortableTable(table) {
  const most = Object.fromEntries(table.columns.map((c) => [c.key, c.isBar ? table.rows.reduce((a, r) => Math.max(a, r[c.key]), 0) : 100]));
  let order = table.rows;
  let shown = STEP;
  let sort = stateGet("s-" + table.id, table.sort);
  let wanted = stateGet("f-" + table.id);
  const body = el("tbody");
  const head = el("tr");
  const note = el("p.dim.small", { role: "status" });
  const more = el("button", { type: "button", onclick: () => {
    shown += STEP * 5;
    draw();
  } }, "show more");
  const filter = el("input", { type: "search", placeholder: "filter: text or /regex/", "aria-label": "Filter rows of " + table.caption, spellcheck: false, autocomplete: "off",
    value: wanted, oninput: () => {
      wanted = filter.value;
      shown = STEP;
      stateSet({ ["f-" + table.id]: wanted });
      arrange();
    } });

  function arrange() {
    const down = sort.startsWith("-");
    const key = down ? sort.slice(1) : sort;
    const m = matcher(wanted);
    const texts = table.columns.filter((c) => c.kind === "text").map((c) => c.key);
    order = m ? table.rows.filter((r) => texts.some((t) => m.test(String(r[t] ?? ""), ""))) : table.rows.slice();
    order.sort((a, b) => {
      const x = a[key];
      const y = b[key];
      const isNone = (x === undefined || x === null ? 1 : 0) - (y === undefined || y === null ? 1 : 0);
      if (isNone)
        return isNone;
      const c = Array.isArray(x) && Array.isArray(y) ? x[0] - y[0] : typeof x === "number" && typeof y === "number" ? x - y : String(x) < String(y) ? -1 : String(x) > String(y) ? 1 : 0;
      return down ? -c : c;
    });
    fill(note, plural(order.length, "row", "rows") + (order.length < table.rows.length ? " of " + count(table.rows.length) : ""));
    titles();
    draw();
  }

  function titles() {
    fill(head, ...table.columns.map((c) => {
      const is = sort.replace("-", "") === c.key;
      return el("th" + (c.kind === "text" ? "" : ".right"), { scope: "col", "aria-sort": is ? (sort.startsWith("-") ? "descending" : "ascending") : "none" },
        el("button.link", { type: "button", onclick: () => {
          sort = is && sort.startsWith("-") ? c.key : is ? "-" + c.key : c.kind === "text" ? c.key : "-" + c.key;
          stateSet({ ["s-" + table.id]: sort === table.sort ? "" : sort });
          arrange();
        } }, c.title + (is ? (sort.startsWith("-") ? " ↓" : " ↑") : "")));
    }));
  }

  function draw() {
    fill(body, ...order.slice(0, shown).map((row, at) => el("tr", table.onrow ? { onclick: () => table.onrow && table.onrow(row), tabIndex: at ? -1 : 0 } : null,
      ...table.columns.map((c) => {
        const td = el("td" + (c.kind !== "text" ? ".right" + (c.isBar ? ".bars" : "") : c.isShort ? ".short" : ""), null, cell(row[c.key], c, row));
        if (c.kind === "pct" && row[c.key] > 0)
          td.style.setProperty("--share", Math.min(100, 100 * row[c.key] / most[c.key]) + "%");
        return td;
      }))));
    more.hidden = shown >= order.length;
  }

  // the Tab key stops at one row only; arrows move to the other rows, Enter is a click
  if (table.onrow)
    body.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
      const row = /** @type {HTMLElement | null} */ (e.target instanceof HTMLElement ? e.target.closest("tr") : null);
      const to = !row ? null : e.key === "ArrowDown" ? row.nextElementSibling : e.key === "ArrowUp" ? row.previousElementSibling : null;
      if (row && e.key === "Enter")
        row.click();
      else if (to instanceof HTMLElement)
        to.focus();
      else
        return;
      e.preventDefault();
    });
  arrange();
  const element = el("section.table", null, el("div.bar", null, el("h3", null, table.caption), filter, note),
    el("div.wide", { tabIndex: 0, role: "region", "aria-label": table.caption }, el("table" + (table.onrow ? ".active" : ""), null, el("thead", null, head), body)), more);
  element.onChange = (/** @type {Set<string>} */ changed) => {
    if (!changed.has("s-" + table.id) && !changed.has("f-" + table.id))
      return;
    const text = stateGet("f-" + table.id);
    const order = stateGet("s-" + table.id, table.sort);
    if (text === wanted && order === sort)
      return;
    [wanted, sort] = [text, order];
    filter.value = wanted;
    arrange();
  };
  return element;
}

/** @type {Record<string, {title: string, kind: Column["kind"], isBar?: boolean}>} */
const KNOWN = {
  children: { title: "Children %", kind: "pct" }, self: { title: "Self %", kind: "pct" },
  samples: { title: "Samples", kind: "count" }, comm: { title: "Command", kind: "text" },
  symbol: { title: "Function", kind: "text" }, dso: { title: "Module", kind: "text" },
  category: { title: "Kind of work", kind: "text" }, line: { title: "Line", kind: "number" },
  self_ns: { title: "Self", kind: "ns" }, self_pct: { title: "Self %", kind: "pct" },
  total_ns: { title: "Total", kind: "ns" }, calls: { title: "Calls", kind: "count" },
  corrected_self_ns: { title: "Self without tracer", kind: "ns" }, corrected_total_ns: { title: "Total without tracer", kind: "ns" },
  min_ns: { title: "Min", kind: "ns" }, p50_ns: { title: "Median", kind: "ns" },
  p99_ns: { title: "p99", kind: "ns" }, max_ns: { title: "Max", kind: "ns" },
  module: { title: "Module", kind: "text" }, records: { title: "Records", kind: "count" },
  level: { title: "Level", kind: "text" }, text: { title: "Message", kind: "text" },
  process: { title: "Process", kind: "text" }, node: { title: "Node", kind: "text" },
  first_line: { title: "First line", kind: "number" }, last_line: { title: "Last line", kind: "number" },
  max_line: { title: "Line of max", kind: "number" }, rows: { title: "Rows", kind: "count" },
  values: { title: "Values", kind: "count" }, p50: { title: "Median", kind: "text" }, p90: { title: "p90", kind: "text" },
  p99: { title: "p99", kind: "text" }, longest: { title: "Longest", kind: "text" }, modes: { title: "Peaks", kind: "count" },
  range: { title: "Range", kind: "text" }, count: { title: "Count", kind: "count" },
  pct: { title: "Share %", kind: "pct", isBar: true }, percentiles: { title: "Percentiles", kind: "text" },
  name: { title: "Name", kind: "text" }, key: { title: "Of", kind: "text" }, time_s: { title: "At s", kind: "number" },
  interval: { title: "Snapshot", kind: "count" }, value: { title: "Value", kind: "number" }, unit: { title: "Unit", kind: "text" },
  spread_pct: { title: "± %", kind: "number" }, running_pct: { title: "Ran %", kind: "number" },
  state: { title: "State", kind: "text" }, comment: { title: "Comment", kind: "text" },
  title: { title: "Title", kind: "text" }, functions: { title: "Functions", kind: "count" },
};

/**
 * The columns for the given keys.
 * @param {any[]} rows
 * @param {string[]} keys
 * @returns {Column[]} those that some row has
 */
function columnsOf(rows, keys) {
  return keys.filter((k) => rows.some((r) => r[k] !== undefined && r[k] !== null))
    .map((k) => ({ key: k, ...(Object.hasOwn(KNOWN, k) ? KNOWN[k] : { title: k, kind: /** @type {"number"} */ ("number") }) }));
}

/**
 * Show all tables of a capture.
 * @param {HTMLElement} host
 * @param {any} c capture of the report
 * @param {(name: string) => void} look show a function in the flame graph
 */
export function showTables(host, c, look) {
  /** @type {any[]} */
  const parts = [];
  /**
   * Add a table, if it has rows.
   * @param {string} id
   * @param {string} caption
   * @param {any[] | undefined} rows
   * @param {string[]} keys
   * @param {string} sort
   * @param {boolean} [isFunction]
   */
  const add = (id, caption, rows, keys, sort, isFunction) => {
    if (rows && rows.length)
      parts.push(sortableTable({ id, caption, rows, columns: columnsOf(rows, keys), sort, onrow: isFunction ? (r) => r.symbol && look(r.symbol) : undefined }));
  };
  if (c.why_not)
    parts.push(el("p", null, "Not shown: " + c.why_not));
  if (c.kind && c.kind.includes("profile")) {
    const hasChildren = (c.rows || []).some((/** @type {any} */ r) => r.children !== undefined);
    add("rows", "Functions", c.rows, ["children", "self", "samples", "symbol", "dso", "comm", "category", "line"], hasChildren ? "-children" : "-self", true);
    add("dso", "Modules", c.by_dso, ["self", "dso", "rows"], "-self");
    add("cat", "Kinds of work", c.by_category, ["self", "category", "title", "rows"], "-self");
  }
  if (c.functions) {
    add("fn", "Functions", c.functions, ["self_ns", "self_pct", "corrected_self_ns", "total_ns", "corrected_total_ns", "calls", "p50_ns", "p99_ns", "max_ns", "symbol", "module", "category", "max_line"], "-self_ns", true);
    add("mod", "Modules", c.by_module, ["self_ns", "self_pct", "total_ns", "calls", "functions", "module"], "-self_ns");
    add("kind", "Kinds of work", c.by_category, ["self_ns", "self_pct", "total_ns", "calls", "category"], "-self_ns");
  }
  if (c.templates) {
    add("tpl", "Messages", c.templates, ["records", "level", "module", "text", "first_line", "last_line"], "-records");
    add("str", "Streams", c.streams, ["process", "node", "records", "first", "last", "missing", "line"], "-records");
  }
  if (c.buckets) {
    add("ser", "Distributions", c.series, ["values", "p50", "p90", "p99", "longest", "modes", "name", "key", "line"], "line");
    c.series.slice(0, DISTRIBUTIONS).forEach((/** @type {any} */ s, /** @type {number} */ i) => add("bkt" + (i + 1), [s.key, s.name].filter((x) => x).join(", ") || "Line " + s.line,
      c.buckets.filter((/** @type {any} */ b) => b.series === i + 1).map((/** @type {any} */ b, /** @type {number} */ at) => ({ ...b, at })), ["range", "count", "pct", "percentiles"], "at"));
    if (c.series.length > DISTRIBUTIONS)
      parts.push(el("p.dim.small", null, "The ranges of " + plural(c.series.length - DISTRIBUTIONS, "more distribution", "more distributions") + ": assay report"));
  }
  const lines = c.counters ? counterLines(c.counters) : null;
  if (lines)
    parts.push(lines.element);
  add("cnt", "Counters", c.counters, ["name", "key", "time_s", "interval", "value", "unit", "spread_pct", "running_pct", "state", "comment", "line"], "line");
  if (c.kind && c.kind.includes("metrics") && c.rows)
    add("met", "Functions", c.rows, Object.keys(c.rows[0] || {}), "line");
  fill(host, ...parts, parts.length ? null : el("p", null, "There is no table of this capture."));
  if (lines)
    requestAnimationFrame(lines.draw);
  return (/** @type {Set<string>} */ changed) => parts.forEach((p) => p.onChange && p.onChange(changed));
}
