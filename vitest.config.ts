import { configDefaults, defineConfig } from "vitest/config";

/**
 * Four suites, chosen by `--mode`: the fast one (the default), the one that drives a browser, the one that packs and
 * installs the package, and the one that sends what nobody sends by good will. None retries: a flake is a bug.
 */
const suites = {
  unit: { include: ["src/**/*.test.{ts,tsx}", "test/**/*.test.ts"], testTimeout: 10_000 },
  browser: { include: ["test/browser/**/*.test.ts"], testTimeout: 60_000 },
  package: { include: ["test/package/**/*.test.ts"], testTimeout: 300_000 },
  fuzz: { include: ["test/fuzz/**/*.test.ts"], testTimeout: 3_600_000 },
};
const isSuite = (mode: string): mode is keyof typeof suites => Object.hasOwn(suites, mode);

export default defineConfig(({ mode }) => {
  const name = isSuite(mode) ? mode : "unit";
  const { include, testTimeout } = suites[name];
  const inCi = process.env["CI"] !== undefined;
  return {
    test: {
      name,
      include,
      exclude: name === "unit" ? [...configDefaults.exclude, "test/{browser,fuzz,package}/**"] : configDefaults.exclude,
      globalSetup: ["test/support/seed.ts", "test/support/build.ts"],
      testTimeout,
      hookTimeout: testTimeout,
      retry: 0,
      // Nothing in src/ keeps state in a module, so the files of a worker share one module graph: many times faster than a fresh
      // one for each file, and whatever leaked from one sandbox into another would show.
      pool: "threads",
      isolate: false,
      restoreMocks: true,
      unstubEnvs: true,
      unstubGlobals: true,
      reporters: inCi ? ["default", "junit", "json"] : ["default"],
      outputFile: { junit: `reports/${name}.xml`, json: `reports/${name}.json` },
    },
  };
});
