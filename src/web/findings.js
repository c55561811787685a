// The tab Findings: the findings of `assay explain`, with figures and the cited lines.
import { baseName, el, fill, plural, short, time } from "./dom.js";

/** @param {any} g figure */
function figure(g) {
  const unit = g.unit ? "\u2009" + (g.unit === "us" ? "µs" : g.unit) : "";
  const value = g.unit === "ns" ? time(g.value) : short(g.value) + unit;
  const err = g.low < g.high ? ` (95\u2009%: ${short(g.low)} to ${short(g.high)})` : g.err > 0 ? ` ± ${short(g.err)}` : "";
  return el("div.figure", null, el("span.value", null, value), el("span.dim", null, err), el("span.name", null, g.name));
}

/** The element for a finding. `at`: its index. @param {any} f finding @param {number} at */
function finding(f, at) {
  const place = (/** @type {any} */ e) => baseName(e.path || "") + (e.line ? ":" + e.line : "");
  return el("article.finding." + f.severity, { id: "finding-" + (at + 1) },
    el("h2", null, el("span.badge." + f.severity, null, f.severity), " ", f.claim),
    f.overruled_by !== undefined ? el("p.dim", null, "But: explained by finding " + (f.overruled_by + 1) + ".") : null,
    el("div.figures", null, ...f.figures.map(figure)),
    f.evidence.length ? el("div.evidence", { tabIndex: 0, role: "group", "aria-label": "Evidence" }, ...f.evidence.map((/** @type {any} */ e) =>
      el("div.line", null, el("span.place", null, place(e)), el("code", null, (e.text || "").trim())))) : null,
    f.causes ? el("div", null, el("b", null, "Usual causes"), el("ul", null, ...f.causes.map((/** @type {any} */ c) => el("li", null, c.cause + (c.if ? ", if " + c.if : "")))))
      : f.cause ? el("p", null, el("b", null, f.cause_is === "usual" ? "Usual cause " : "Cause "), f.cause) : null,
    f.not_known ? el("p", null, el("b", null, "Not known "), f.not_known) : null,
    f.next.length ? el("div", null, el("b", null, "Next"), el("ul", null, ...f.next.map((/** @type {string} */ n) => el("li", null, n)))) : null,
    el("p.dim.small", null, `${f.title} (${f.rule}), ${f.certainty}` + (f.certainty === "certain" ? "" : ` (${f.sure}\u2009%)`), f.sure_because ? ": " + f.sure_because : ""));
}

/**
 * The verdict on the data of a capture, and the reasons that limit conclusions.
 * @param {{verdict: string, doubts: string[]}} q
 * @param {string} [of] names of captures
 * @param {boolean} [isOpen] whether the reasons are shown
 */
export function judged(q, of = "", isOpen = false) {
  const said = ["Data ", el("span.badge." + q.verdict, null, q.verdict.replace("-", " ")), " " + of];
  return q.doubts.length ? el("details", { open: isOpen }, el("summary", null, ...said, (of ? ": " : "") + plural(q.doubts.length, "reason", "reasons") + " to be careful"),
    el("ul", null, ...q.doubts.map((d) => el("li", null, d)))) : el("p", null, ...said);
}

/** Captures with the same verdict for the same reasons. @param {any[]} captures @returns {any[][]} */
function alike(captures) {
  /** @type {Map<string, any[]>} */
  const groups = new Map();
  for (const c of captures) {
    const key = JSON.stringify(c.quality);
    groups.set(key, [...(groups.get(key) || []), c]);
  }
  return [...groups.values()];
}

/** Show the tab Findings. @param {HTMLElement} host @param {any} explain @param {any} index */
export function showFindings(host, explain, index) {
  const inputs = index.captures.filter((/** @type {any} */ c) => !c.is_excerpt);
  const account = (/** @type {any} */ a) => "Causes are named for " + short(a.share_pct) + "\u2009% of " + a.of
    + (inputs.length > 1 ? " (" + baseName(a.path) + ")" : "");
  fill(host,
    explain.findings.length ? null : el("p.big", null, explain.no_finding),
    ...explain.findings.map(finding),
    el("section", null,
      ...(explain.explained || []).map((/** @type {any} */ a) => el("p", null, account(a))),
      ...alike(inputs).map((group) => judged(group[0].quality, plural(group.length, "capture", "captures") + ", "
        + group.map((/** @type {any} */ c) => c.format + (c.event ? " of " + c.event : "") + " (" + baseName(c.path) + (c.first_line ? " lines " + c.first_line + "–" + c.last_line : "") + ")").join("; "), group[0].quality.doubts.length < 6))),
    explain.clean.length ? el("details", null, el("summary", null, plural(explain.clean.length, "check", "checks") + " clean"),
      el("ul", null, ...explain.clean.map((/** @type {any} */ c) => el("li", null, el("b", null, c.rule), ": " + c.sentence)))) : null,
    explain.not_assessed.length ? el("details", null, el("summary", null, plural(explain.not_assessed.length, "question", "questions") + " that this data cannot answer"),
      el("ul", null, ...explain.not_assessed.map((/** @type {any} */ c) => el("li", null, el("b", null, c.rule), ": " + c.sentence + " → " + c.to_find_out)))) : null);
}
