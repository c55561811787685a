// Statistics for comparisons. The formulas are those of src/analyses/compare/stats_compare.c, which cites their sources.

const DF_NORMAL = 1e4;
const SMALL_COUNT = 60;
const RATIO_MIN = 0.02;
const PRIOR_MIN = 8;
const EVEN = 0.5;

const LANCZOS = [0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
  -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7];

/** @param {number} x above 0 @returns {number} */
function logGamma(x) {
  if (x < 0.5)
    return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  let sum = LANCZOS[0];
  for (let i = 1; i < LANCZOS.length; i++)
    sum += LANCZOS[i] / (x - 1 + i);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

/** The continued fraction of the incomplete beta function. @param {number} a @param {number} b @param {number} x */
function betaFraction(a, b, x) {
  const tiny = 1e-300;
  let c = 1;
  let d = 1 - (a + b) * x / (a + 1);
  d = 1 / (Math.abs(d) < tiny ? tiny : d);
  let f = d;
  for (let m = 1; m <= 300; m++) {
    const even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 + even * d;
    c = 1 + even / c;
    d = 1 / (Math.abs(d) < tiny ? tiny : d);
    c = Math.abs(c) < tiny ? tiny : c;
    f *= d * c;
    d = 1 + odd * d;
    c = 1 + odd / c;
    d = 1 / (Math.abs(d) < tiny ? tiny : d);
    c = Math.abs(c) < tiny ? tiny : c;
    f *= d * c;
    if (Math.abs(d * c - 1) < 1e-14)
      break;
  }
  return f;
}

/** Regularised incomplete beta function. @param {number} a @param {number} b @param {number} x */
export function beta(a, b, x) {
  if (!(a > 0) || !(b > 0) || Number.isNaN(x))
    return NaN;
  if (x <= 0)
    return 0;
  if (x >= 1)
    return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * betaFraction(a, b, x) / a : 1 - front * betaFraction(b, a, 1 - x) / b;
}

/** P(|Z| >= t) for the standard normal distribution. @param {number} t at least 0 */
function normalTails(t) {
  const x = t / Math.SQRT2;
  if (x < 2) { // series of the error function
    let term = x;
    let sum = x;
    for (let n = 1; Math.abs(term) > 1e-17 * sum; n++) {
      term *= -x * x / n;
      sum += term / (2 * n + 1);
    }
    return 1 - 2 / Math.sqrt(Math.PI) * sum;
  }
  let f = 0; // continued fraction
  for (let k = 60; k > 0; k--)
    f = k / 2 / (x + f);
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + f);
}

/** P(|T| >= |t|) for Student's distribution. @param {number} t @param {number} df */
export function tTwoSided(t, df) {
  if (Number.isNaN(t) || !(df > 0))
    return NaN;
  return df >= DF_NORMAL ? normalTails(Math.abs(t)) : beta(df / 2, 0.5, df / (df + t * t));
}

/** The t with P(|T| >= t) = alpha. @param {number} alpha @param {number} df */
export function tCritical(alpha, df) {
  let low = 0;
  let high = 1;
  while (high < 1e12 && tTwoSided(high, df) > alpha)
    high *= 2;
  for (let i = 0; i < 60 && high - low > 1e-10 * high; i++) {
    const middle = (low + high) / 2;
    if (tTwoSided(middle, df) > alpha)
      low = middle;
    else
      high = middle;
  }
  return high;
}

/** @param {number} x above 0 */
function digamma(x) {
  let sum = 0;
  for (; x < 10; x++)
    sum -= 1 / x;
  const y = 1 / (x * x);
  return sum + Math.log(x) - 0.5 / x - y * (1 / 12 - y * (1 / 120 - y / 252));
}

/** @param {number} x above 0 */
function trigamma(x) {
  let sum = 0;
  for (; x < 10; x++)
    sum += 1 / (x * x);
  const y = 1 / (x * x);
  return sum + 1 / x + y / 2 + y / x * (1 / 6 - y * (1 / 30 - y / 42));
}

/** @typedef {{value: number, size: number}} Side a share, and how many independent samples it is worth */

/** Wilson's interval of a share. @param {Side} s @param {number} t @returns {[number, number]} */
function limits(s, t) {
  if (!(s.size > 0))
    return [0, 1];
  const p = Math.min(1, Math.max(0, s.value));
  const z = t * t;
  const under = 1 + z / s.size;
  const centre = (p + z / (2 * s.size)) / under;
  const half = t / under * Math.sqrt(p * (1 - p) / s.size + z / (4 * s.size * s.size));
  return [Math.max(0, centre - half), Math.min(1, centre + half)];
}

/**
 * Newcombe's interval of the difference b - a.
 * @param {Side} a
 * @param {Side} b
 * @param {number} t
 * @returns {[number, number]}
 */
export function difference(a, b, t) {
  const [la, ua] = limits(a, t);
  const [lb, ub] = limits(b, t);
  const d = b.value - a.value;
  return [d - Math.hypot(b.value - lb, ua - a.value), d + Math.hypot(ub - b.value, a.value - la)];
}

/**
 * p-value of the score test of a = b; for small counts, at least that of the exact test.
 * @param {Side} a
 * @param {Side} b
 * @param {number} df
 */
export function differenceP(a, b, df) {
  if (!(a.size > 0) || !(b.size > 0))
    return NaN;
  const size = a.size + b.size;
  const mean = (a.value * a.size + b.value * b.size) / size;
  const variance = mean * (1 - mean) * (1 / a.size + 1 / b.size);
  if (!(variance > 0))
    return 1;
  let p = tTwoSided((b.value - a.value) / Math.sqrt(variance), df);
  if (mean * size < SMALL_COUNT) {
    const na = a.value * a.size;
    const nb = b.value * b.size;
    const share = b.size / size;
    const upper = (nb > 0 ? beta(nb, na + 1, share) : 1) / 2 + (na > 0 ? beta(nb + 1, na, share) : 0) / 2;
    p = Math.max(p, Math.min(1, 2 * Math.min(upper, 1 - upper)));
  }
  return p;
}

/**
 * Adjusted p-values (false discovery rate); NaN: no test. Half of the error budget is split equally among the tests,
 * half in proportion to their shares.
 * @param {ArrayLike<number>} p
 * @param {ArrayLike<number>} a shares of one side
 * @param {ArrayLike<number>} b and of the other
 * @returns {Float64Array}
 */
export function correctedP(p, a, b) {
  const q = new Float64Array(p.length).fill(NaN);
  const order = [];
  for (let i = 0; i < p.length; i++)
    if (!Number.isNaN(p[i]))
      order.push(i);
  const mean = order.reduce((sum, i) => sum + (a[i] + b[i]) / 2, 0) / Math.max(1, order.length);
  const weighed = new Float64Array(p.length);
  for (const i of order)
    weighed[i] = p[i] / (mean > 0 ? EVEN + (1 - EVEN) * (a[i] + b[i]) / 2 / mean : 1);
  order.sort((x, y) => weighed[x] - weighed[y] || x - y);
  let smallest = 1;
  for (let k = order.length - 1; k >= 0; k--) {
    smallest = Math.min(smallest, weighed[order[k]] * order.length / (k + 1));
    q[order[k]] = Math.max(smallest, p[order[k]]);
  }
  return q;
}

/** The x with trigamma(x) = y. @param {number} y */
function trigammaInverse(y) {
  let x = 0.5 + 1 / y;
  for (let i = 0; i < 60; i++) {
    const f = trigamma(x);
    const h = x * 1e-4;
    const slope = (trigamma(x + h) - trigamma(x - h)) / (2 * h);
    let step = f * (1 - f / y) / slope;
    if (x + step <= 0)
      step = -x / 2;
    x += step;
    if (Math.abs(step) < 1e-8 * x)
      break;
  }
  return x;
}

/**
 * Fit a prior distribution of the overdispersion to the estimates for all functions: its centre `ratio`, and `df`.
 * @param {number[]} ratio
 * @param {number} df of each
 * @returns {{ratio: number, df: number}}
 */
export function fitPrior(ratio, df) {
  if (ratio.length < PRIOR_MIN)
    return { ratio: 1, df: 0 };
  const half = df / 2;
  const logs = ratio.map((r) => Math.log(Math.max(r, RATIO_MIN)) - digamma(half) + Math.log(half));
  const mean = logs.reduce((a, x) => a + x, 0) / logs.length;
  const squares = logs.reduce((a, x) => a + (x - mean) * (x - mean), 0);
  const variance = squares / (logs.length - 1) - trigamma(half);
  if (variance <= 2e-4)
    return { ratio: Math.exp(mean), df: DF_NORMAL };
  const own = 2 * trigammaInverse(variance);
  return { ratio: Math.exp(mean + digamma(own / 2) - Math.log(own / 2)), df: own };
}
