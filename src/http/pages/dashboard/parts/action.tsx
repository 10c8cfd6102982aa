import type { Child } from "hono/jsx";
import { type ActionName, type Fields, orderOf } from "../view/actions.js";
import { curlOf } from "../view/curl.js";
import { formUrl, type View } from "../view/view.js";

interface ActionProps {
  readonly view: View;
  readonly name: ActionName;
  readonly label: string;
  /** Hidden fields. */
  readonly fields?: Fields;
  /** Fields for the reader to fill in, each with a name and an id. */
  readonly children?: Child;
  /** Values of those for the line of curl. */
  readonly example?: Fields;
  readonly tone?: "main" | "quiet" | "danger";
  /** Whether to show the line of curl beside the button; default true. The result shows it in any case. */
  readonly curl?: boolean;
  /** Puts the button beside the fields. */
  readonly inline?: boolean;
  /** The button's accessible name, where the label needs context: `Remove the rule "slow"`. */
  readonly describes?: string;
}

/** A button as a form, so that it needs no script, with the same call as a command. */
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
    <form class={inline ? "action inline" : "action"} method="post" action={formUrl(view, `/actions/${name}`)}>
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

/** Every form has the session's token and the page to return to. */
export function FormToken({ view: { formToken, here } }: { readonly view: View }) {
  return (
    <>
      <input type="hidden" name="formToken" value={formToken} />
      <input type="hidden" name="back" value={here.pathname + here.search} />
    </>
  );
}

/** A command that can be unfolded. */
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

interface TextAreaProps {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly rows: number;
  readonly tall?: boolean;
  readonly children?: Child;
}

export function TextArea({ id, name, label, rows, tall = false, children }: TextAreaProps) {
  return (
    <label class="labelled" for={id}>
      <span>{label}</span>
      <textarea id={id} name={name} class={tall ? "input tall" : "input"} rows={rows} spellcheck={false} required>
        {children}
      </textarea>
    </label>
  );
}
