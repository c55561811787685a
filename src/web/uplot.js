// The library that draws charts. If the build has it, tools/pack-web.py replaces this module by the library and its licence.

/** @type {any} null: the build does not have it */
export const uPlot = null;
export const licence = "";
