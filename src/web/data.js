// Read the data in the page: JSON texts, and blocks of columns (gzip, base64), written by src/render/web.

/**
 * @typedef {{meta: any, columns: Record<string, Uint8Array | Uint16Array | Uint32Array | Float64Array>}} Block
 */

/** The text of the element with this id. @param {string} id @returns {string} */
function text(id) {
  const e = document.getElementById(id);
  if (!e)
    throw new Error("no part " + id + " in the page");
  return e.textContent || "";
}

/** @param {string} id @returns {any} */
export function readJson(id) {
  return JSON.parse(text(id));
}

/** @param {string} base64 @returns {Uint8Array} */
function decode(base64) {
  const native = /** @type {any} */ (Uint8Array).fromBase64;
  if (native)
    return native.call(Uint8Array, base64);
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++)
    bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Decode and decompress the element with this id. @param {string} id @returns {Promise<ArrayBuffer>} */
async function unpack(id) {
  const stream = new Blob([/** @type {any} */ (decode(text(id)))]).stream()
    .pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** @param {string} id @returns {Promise<any>} */
export async function readPackedJson(id) {
  return JSON.parse(new TextDecoder().decode(await unpack(id)));
}

const TYPES = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array };
/** @type {Map<string, Promise<Block>>} */
const blocks = new Map();

/** Read a block: u32 length; head in JSON; columns. @param {string} id @returns {Promise<Block>} */
async function load(id) {
  const buffer = await unpack(id);
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  /** @type {Block} */
  const block = { meta: head.meta, columns: {} };
  for (const c of head.columns) {
    const Type = TYPES[/** @type {keyof typeof TYPES} */ (c.type)];
    block.columns[c.name] = new Type(buffer, 4 + length + c.at, c.n);
  }
  return block;
}

/** Read a block; further calls return the same object. @param {string} id @returns {Promise<Block>} */
export function readBlock(id) {
  let block = blocks.get(id);
  if (!block) {
    block = load(id);
    blocks.set(id, block);
  }
  return block;
}
