import type { AuditReport } from "../report.js";

export interface Style {
  /** Columns of the terminal. */
  readonly width: number;
  readonly good: Paint;
  readonly bad: Paint;
  readonly warning: Paint;
  readonly strong: Paint;
  readonly faint: Paint;
}

type Paint = (text: string) => string;

export type Reporter = (report: AuditReport, style: Style) => string;
