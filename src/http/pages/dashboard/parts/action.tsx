import type { Child } from "hono/jsx";
import { type ActionName, type Fields, orderOf } from "../view/actions.js";
import { curlOf } from "../view/curl.js";
import { DASHBOARD, type View } from "../view/view.js";

interface ActionProps {
  readonly view: View;
  readonly name: ActionName;
  /** The button's words. */
  readonly label: string;
  /** Those that the reader does not choose. */
  readonly fields?: Fields;
  /** Fields of the form that the reader fills in, each with a name and an id. */
  readonly children?: Child;
  /** What the line of curl has in the place of those; default: what is in `fields`. */
  readonly example?: Fields;
  readonly tone?: "main" | "quiet" | "danger";
  /** Whether the line of curl stands beside the button; default true. It is in what the action answers in any case. */
  readonly curl?: boolean;
  /** The button stands beside the fields. */
  readonly inline?: boolean;
  /** For buttons that say too little without what stands beside them: `Remove the rule "slow"`. */
  readonly describes?: string;
}

/** A button that does something, as a form that needs no script, with the same as a command to copy. */
export function Action(props: ActionProps) {
  const {
    view,
    name,
    label,
    fields = {},
    children,
    example = {},
    tone = "main",
    curl = true,
    inline = false,
    describes,
  } = props;
  return (
    <form class={inline ? "action inline" : "action"} method="post" action={actionUrl(view, name)}>
      <FormToken view={view} />
      {Object.entries(fields).map(([field, value]) => (
        <input type="hidden" name={field} value={value} />
      ))}
      {children}
      <div class="action-line">
        <button class={`act ${tone}`} aria-label={describes}>
          {label}
        </button>
        {curl && <Curl line={curlOf(view, orderOf(name, { ...fields, ...example }))} of={describes ?? label} />}
      </div>
    </form>
  );
}

/** What every form carries: that it is one of this page, and where it leads back. */
export function FormToken({ view: { formToken, here } }: { readonly view: View }) {
  return (
    <>
      <input type="hidden" name="formToken" value={formToken} />
      <input type="hidden" name="back" value={here.pathname + here.search} />
    </>
  );
}

export function actionUrl({ root, company }: View, name: ActionName): string {
  return `${root}${DASHBOARD.slice(1)}/actions/${name}?${String(new URLSearchParams({ company: company.id }))}`;
}

/** A line for a shell, folded away. */
export function Curl({ line, of }: { readonly line: string; readonly of: string }) {
  return (
    <details class="curl">
      <summary aria-label={`${of} with curl`}>curl</summary>
      <CommandLine line={line} of={of} />
    </details>
  );
}

export function CommandLine({ line, of }: { readonly line: string; readonly of: string }) {
  return (
    <div class="command">
      <code tabindex={0} role="region" aria-label={`Command: ${of}`}>
        {line}
      </code>
      <button type="button" class="copy" data-copy aria-label={`Copy the command: ${of}`}>
        Copy
      </button>
    </div>
  );
}

interface FieldProps {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly list?: string;
  readonly hint?: string;
}

/** A text field with its label. */
export function Field({ id, name, label, hint, ...input }: FieldProps) {
  return (
    <label class="labelled" for={id}>
      <span>{label}</span>
      <input id={id} name={name} class="input" autocomplete="off" spellcheck={false} {...input} />
      {hint !== undefined && <small class="soft">{hint}</small>}
    </label>
  );
}

interface ChoiceProps {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly chosen?: string;
}

export function Choice({ id, name, label, choices, chosen }: ChoiceProps) {
  return (
    <label class="labelled" for={id}>
      <span>{label}</span>
      <select id={id} name={name} class="input">
        {choices.map(([value, text]) => (
          <option value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
