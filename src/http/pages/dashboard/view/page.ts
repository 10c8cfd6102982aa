import type { Child } from "hono/jsx";
import type { View } from "./view.js";

/** One page of the dashboard. What it renders stands below the page's heading; throw UsageError("not-found") for what there is not. */
export interface DashboardPage {
  /** Below `/_sandbox/dashboard`: `/charges`, `/charges/:id`; empty for the first page, `/_sandbox` itself. */
  readonly path: string;
  /** Its heading, and its name in the navigation. */
  readonly title: string | ((view: View) => string);
  /** One sentence below the heading. */
  readonly lead?: string;
  readonly render: (view: View) => Child | Promise<Child>;
}
