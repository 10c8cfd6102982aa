import type { DashboardPage } from "../page.js";

export const clockPage: DashboardPage = {
  path: "/clock",
  title: "Clock",
  render: () => <></>,
};
