import type { Child } from "hono/jsx";
import { type ActionName, type Fields, orderOf } from "../view/actions.js";
import { curlOf } from "../view/curl.js";
import { formUrl, type View } from "../view/view.js";

interface ActionProps {
  readonly view: View;
  readonly name: ActionName;
  readonly label: string;
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
export function Action({ view, name, label, fields = {}, children, example = {}, ...look }: ActionProps) {
  const { tone = "main", curl = true, inline = false, describes } = look;
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
        {curl && (
          <details class="curl">
            <summary aria-label={`${describes ?? label} with curl`}>curl</summary>
            <CommandLine line={curlOf(view, orderOf(name, { ...fields, ...example }))} of={describes ?? label} />
          </details>
        )}
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

interface LabelledProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly children?: Child;
}

export function Labelled({ id, label, hint, children }: LabelledProps) {
  return (
    <label class="labelled" for={id}>
      <span>{label}</span>
      {children}
      {hint !== undefined && <small class="soft">{hint}</small>}
    </label>
  );
}

interface NamedProps extends Omit<LabelledProps, "id"> {
  readonly name: string;
  /** Default: the name. */
  readonly id?: string;
}

interface FieldProps extends NamedProps {
  readonly type?: string;
  readonly value?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly list?: string;
}

/** A text field; `children` come after it. */
export function Field({ id, label, hint, children, ...input }: FieldProps) {
  return (
    <Labelled id={id ?? input.name} label={label} hint={hint}>
      <input id={id ?? input.name} {...input} class="input" autocomplete="off" spellcheck={false} />
      {children}
    </Labelled>
  );
}

interface ChoiceProps extends NamedProps {
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly chosen?: string | undefined;
  /** Whether choosing submits the form. */
  readonly submits?: boolean;
}

/** A list to choose from; `children` are further options. */
export function Choice({ name, id = name, label, choices, chosen, submits, children }: ChoiceProps) {
  return (
    <Labelled id={id} label={label}>
      <select id={id} name={name} class="input" data-submits={submits}>
        {choices.map(([value, text]) => (
          <option value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
        {children}
      </select>
    </Labelled>
  );
}

interface TextAreaProps extends NamedProps {
  readonly rows: number;
}

export function TextArea({ id, label, children, ...area }: TextAreaProps) {
  return (
    <Labelled id={id ?? area.name} label={label}>
      <textarea id={id ?? area.name} {...area} class="input" spellcheck={false} required>
        {children}
      </textarea>
    </Labelled>
  );
}
