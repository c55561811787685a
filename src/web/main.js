// Start of the page: makes the tabs, and shows the tab and capture that the URL's hash selects.
import { baseName, el, fill, plural } from "./dom.js";
import { readJson, readPackedJson } from "./data.js";
import { get as stateGet, listen, set as stateSet } from "./state.js";
import { exactly } from "./search.js";
import { showCalls } from "./calls.js";
import { showCharts } from "./charts.js";
import { showDifference } from "./difference.js";
import { judged, showFindings } from "./findings.js";
import { showFlame } from "./flame.js";
import { showHeat } from "./heat.js";
import { showLogs } from "./logs.js";
import { showTables } from "./table.js";
import { hasTimes, showLogTimeline } from "./log_timeline.js";

const index = readJson("index");
const explain = readJson("explain");
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const header = /** @type {HTMLElement} */ (document.getElementById("top"));
/** @type {Promise<any> | null} */
let report = null;
/** The views made so far, by tab and capture. @type {Map<string, any>} */
const views = new Map();
/** @type {any} */
let current = null;
let turn = 0;

const TABS = [
  ...(index.difference ? [{ id: "diff", title: "Difference", has: () => true }] : []),
  { id: "findings", title: "Findings", has: () => true },
  { id: "flame", title: "Flame graph", has: (/** @type {any} */ c) => c.flame },
  { id: "time", title: "Timeline", has: (/** @type {any} */ c) => c.calls || (c.samples && c.flame) },
  { id: "table", title: "Table", has: () => true },
  { id: "heat", title: "Heat map", has: (/** @type {any} */ c) => c.samples && c.flame },
  { id: "log", title: "Log", has: (/** @type {any} */ c) => c.log },
  // only if there are a log and a recording with times
  ...(index.captures.some(hasTimes) ? [{ id: "together", title: "Log and recording", has: (/** @type {any} */ c) => c.log }] : []),
  { id: "charts", title: "Charts", has: (/** @type {any} */ c) => c.log },
];
// tabs that show one capture at a time
const SINGLE = new Set(["flame", "time", "table", "heat"]);

/** @param {string} tab @returns {number} index of the capture that the tab shows */
function captureOf(tab) {
  const t = TABS.find((x) => x.id === tab) || TABS[0];
  const wanted = Number(stateGet("c", "-1"));
  if (index.captures[wanted] && t.has(index.captures[wanted]))
    return wanted;
  const better = [(/** @type {any} */ c) => c.is_first, (/** @type {any} */ c) => !c.is_excerpt && c.flame, (/** @type {any} */ c) => !c.is_excerpt, () => true];
  return better.map((is) => index.captures.findIndex((/** @type {any} */ c) => is(c) && t.has(c))).find((i) => i >= 0) ?? -1;
}

/** @param {any} c */
function captureName(c) {
  return (c.event || c.format) + (index.captures.length > 1 ? ", " + baseName(c.path) + (c.first_line ? " lines " + c.first_line + "–" + c.last_line : "") : "");
}

/** Draw the tabs and the choice of captures. @param {string} tab */
function drawHeader(tab) {
  const at = captureOf(tab);
  const t = TABS.find((x) => x.id === tab) || TABS[0];
  const chooser = el("select", { "aria-label": "Capture", onchange: () => stateSet({ c: chooser.value, z: "", t: "", r: "", hz: "" }, true) },
    ...index.captures.map((/** @type {any} */ c, /** @type {number} */ i) => t.has(c) ? el("option", { value: String(i), selected: i === at }, captureName(c)) : null));
  fill(header, el("h1", null, index.title),
    el("nav.tabs", { role: "tablist" }, ...TABS.filter((x) => index.captures.some(x.has)).map((x) =>
      el("button" + (x.id === tab ? ".on" : ""), { type: "button", role: "tab", id: "tab-" + x.id, "aria-selected": String(x.id === tab), "aria-controls": "main", onclick: () => stateSet({ tab: x === TABS[0] ? "" : x.id }, true) },
        x.title, x.id === "findings" ? el("span.count", null, explain.findings.length) : null))),
    SINGLE.has(tab) && chooser.options.length > 1 ? chooser : null,
    SINGLE.has(tab) ? el("div.small", null, judged(index.captures[at].quality)) : null);
}

/**
 * Make the view of a tab. `at`: index of the capture.
 * @param {string} tab
 * @param {number} at
 * @param {HTMLElement} host
 */
async function make(tab, at, host) {
  const capture = index.captures[at];
  const still = { host, onChange: () => {}, focusSearch: () => {} };
  switch (tab) {
  case "diff":
    return showDifference(host, index);
  case "flame":
    return showFlame(host, capture);
  case "time":
    return showCalls(host, capture);
  case "heat":
    return showHeat(host, capture);
  case "charts":
    return showCharts(host, index.captures.filter((/** @type {any} */ c) => c.log), explain.findings);
  case "together":
    return showLogTimeline(host, index, explain.findings);
  case "log":
    return showLogs(host, index.captures.filter((/** @type {any} */ c) => c.log), explain.findings);
  case "table":
    report = report || readPackedJson("report");
    return { ...still, onChange: showTables(host, (await report).captures[at] || {}, (name) => capture.flame && stateSet({ tab: "flame", q: exactly(name), z: "", c: String(at) }, true)) };
  default:
    showFindings(host, explain, index);
    return still;
  }
}

async function show() {
  const tab = TABS.some((t) => t.id === stateGet("tab")) ? stateGet("tab") : TABS[0].id;
  const at = captureOf(tab);
  const key = tab + (SINGLE.has(tab) ? "-" + at : "");
  const mine = ++turn;
  drawHeader(tab);
  let view = views.get(key);
  if (!view) {
    const host = el("div.view." + tab);
    fill(main, host);
    try {
      view = await make(tab, at, host);
    } catch (e) {
      fill(host, el("p.wrong", null, "This part of the page cannot be shown: " + /** @type {Error} */ (e).message));
      console.error(e);
      return;
    }
    views.set(key, view);
    if (mine !== turn)
      return;
  }
  current = view;
  if (main.firstChild !== view.host || main.childNodes.length !== 1)
    fill(main, view.host);
  view.onChange(new Set(["z", "dz", "hz", "q", "col", "dir", "lay", "by", "t", "r", "shift", ...["utc", "boot", "year", "day", "none"].flatMap((x) => ["log-" + x, "tg-" + x])]));
  document.documentElement.dataset.shown = key;
}

listen((changed) => {
  if (changed.has("tab") || changed.has("c"))
    show();
  else if (current)
    current.onChange(changed);
});
addEventListener("keydown", (e) => {
  const isTyping = e.target instanceof HTMLInputElement || e.target instanceof HTMLSelectElement;
  if (e.key === "/" && !isTyping && current) {
    e.preventDefault();
    current.focusSearch();
  } else if (!isTyping && !e.ctrlKey && !e.metaKey && !e.altKey && /^[1-9]$/.test(e.key)) {
    const tab = /** @type {HTMLElement | undefined} */ (header.querySelectorAll("nav button")[Number(e.key) - 1]);
    if (tab)
      tab.click();
  } else if (!isTyping && current && current.key && !e.ctrlKey && !e.metaKey && !e.altKey)
    current.key(e);
});
main.insertAdjacentElement("afterend", el("footer.dim.small", null, "assay " + index.version + " · " + plural(index.captures.length, "capture", "captures")
  + " · this page holds all its data and fetches nothing · keys: 1 to 9 tabs, / search, arrows walk, Enter zooms, Escape goes back, + and − along time, l the other layout of a difference"));
// for tests
Object.defineProperty(window, "assay", { value: { index, explain, view: () => current } });
show();
