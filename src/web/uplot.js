// What draws charts, where the build has it: tools/pack-web.py puts it here, with its licence.

/** @type {any} null: it was built without */
export const uPlot = null;
export const licence = "";
