import { configDefaults, defineConfig } from "vitest/config";

/**
 * Six suites, chosen by `--mode`. `fast` is the default: all that runs in process and over sockets, and one smoke test for
 * each verb. `slow` has what starts processes, runs the code of the docs, or takes more than a second (`*.slow.test.ts`), and
 * repeats the properties (`*.property.test.ts`) with all their cases. `prism` is the API suite behind a validating proxy. None
 * retries: a flake is a bug.
 */
const suites = {
  fast: { include: ["src/**/*.test.{ts,tsx}", "test/**/*.test.ts"], testTimeout: 30_000 },
  slow: { include: ["{src,test}/**/*.{slow,property}.test.ts"], testTimeout: 300_000 },
  browser: { include: ["test/browser/**/*.test.ts"], testTimeout: 60_000 },
  package: { include: ["test/package/**/*.test.ts"], testTimeout: 300_000 },
  prism: { include: ["test/api/**/*.test.ts"], testTimeout: 60_000 },
  fuzz: { include: ["test/fuzz/**/*.test.ts"], testTimeout: 3_600_000 },
};
const notFast = ["test/{browser,fuzz,package}/**", "**/*.slow.test.ts"];
const isSuite = (mode: string): mode is keyof typeof suites => Object.hasOwn(suites, mode);

export default defineConfig(({ mode }) => {
  const name = isSuite(mode) ? mode : "fast";
  const { include, testTimeout } = suites[name];
  const inCi = process.env["CI"] !== undefined;
  return {
    test: {
      name,
      include,
      exclude: name === "fast" || name === "prism" ? [...configDefaults.exclude, ...notFast] : configDefaults.exclude,
      env: { TEST_SUITE: name },
      setupFiles: ["test/support/each-file.ts"],
      globalSetup: ["seed", "build", ...(name === "prism" ? ["prism"] : [])].map((setup) => `test/support/${setup}.ts`),
      testTimeout,
      hookTimeout: testTimeout,
      retry: 0,
      slowTestThreshold: 1_000,
      // Nothing in src/ keeps state in a module, so the files of a worker share one module graph: many times faster than a fresh
      // one for each file, and state that leaks from one sandbox into another shows.
      pool: "threads",
      isolate: false,
      // Packing changes package.json for a moment.
      maxWorkers: name === "package" ? 1 : "100%",
      // Without it Vitest makes every style sheet empty, also with ?raw.
      css: true,
      restoreMocks: true,
      unstubEnvs: true,
      unstubGlobals: true,
      reporters: inCi ? ["default", "junit", "json"] : ["default"],
      outputFile: { junit: `reports/${name}.xml`, json: `reports/${name}.json` },
    },
  };
});
