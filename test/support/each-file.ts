import { afterAll } from "vitest";
import { endChildren } from "./children.js";

/** Vitest runs this before each test file. */
afterAll(endChildren);
