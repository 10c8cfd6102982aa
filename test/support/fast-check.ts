/** fast-check with the seed of this run (`seed.ts`); imported directly, each property draws and reports its own. */
import fc from "fast-check";

const seed = Number(process.env["FAST_CHECK_SEED"]);
if (Number.isInteger(seed)) fc.configureGlobal({ seed });

export default fc;
