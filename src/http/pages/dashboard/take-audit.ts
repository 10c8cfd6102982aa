import type { Sandbox } from "../../../sandbox/sandbox.js";
import { refusalOf } from "../../control/control-endpoint.js";
import type { HttpContext } from "../../shared/env.js";
import type { Fields } from "./view/actions.js";
import type { Outcomes } from "./view/outcomes.js";
import { linkTo, rootOf } from "./view/view.js";
import { auditReceiver } from "./audit-receiver.js";
import type { Auditor } from "./view/auditor.js";
import type { Audits } from "./view/audits.js";
import type { Company } from "../../../sandbox/company/company.js";

interface Deps {
  readonly sandbox: Sandbox;
  readonly audits: Audits;
  readonly auditor: Auditor;
  readonly outcomes: Outcomes;
}

/**
 * The one form of the dashboard that is no call of the control API, which has none for it: an audit is about a receiver, not about the sandbox, and programs have
 * `sandbox audit` and the library. Leads to the report, or back to the form with the reason why there is none.
 */
export async function takeAudit(
  { sandbox, audits, auditor, outcomes }: Deps,
  c: HttpContext,
  company: Company,
  fields: Fields,
): Promise<Response> {
  const place = { sandbox, company, root: rootOf(c.req.path) };
  try {
    const { system } = sandbox;
    const done = await audits.alone(() => auditReceiver({ system, company, auditor }, c, fields));
    if (done === undefined) return refused(BUSY);
    const { id } = audits.keep(company.id, { at: company.now(), ...done });
    return c.redirect(linkTo(place, `/audit/${id}`), 303);
  } catch (thrown) {
    const { status, messages } = refusalOf(thrown);
    if (status === 500) throw thrown;
    return refused(messages);
  }

  function refused(problems: readonly string[]): Response {
    const title = "There is no report: the receiver was not audited.";
    const { id: outcome } = outcomes.keep({ ok: false, title, problems, curl: "", answer: "" });
    const { url = "", topic, only } = fields;
    // What may be a password does not go into an address.
    const shown = url === "" || url.includes("@") ? undefined : url.slice(0, URL_MAX);
    return c.redirect(linkTo(place, "/audit", { url: shown, topic, only, outcome }), 303);
  }
}

const BUSY: readonly string[] = [
  "Another audit of this sandbox is under way. Wait until it is over: it takes seconds.",
];
/** It is in the address of the page that shows the form again. */
const URL_MAX = 2000;
