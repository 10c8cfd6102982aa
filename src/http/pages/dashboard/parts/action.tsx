import type { Child } from "hono/jsx";
import { quote } from "../../../../kernel/messages/text.js";
import { type ActionName, type Fields, orderOf } from "../view/actions.js";
import type { Outcome } from "../view/memory.js";
import { curlOf } from "../view/curl.js";
import { DASHBOARD, type View } from "../view/view.js";

interface ActionProps {
  readonly view: View;
  readonly name: ActionName;
  readonly label: string;
  readonly fields?: Fields;
  /** Fields for the reader to fill in. The line of curl has values for the required ones. */
  readonly inputs?: readonly FieldProps[];
  readonly tone?: "main" | "quiet" | "danger";
  /** Whether to show the line of curl beside the button; default true. The result always shows it. */
  readonly curl?: boolean;
  /** The button's accessible name, where the label needs context: `Remove the rule "slow"`. */
  readonly describes?: string;
  readonly asks?: string;
}

/** A button as a form, which needs no script, and the same call as a command. With `asks` the form is in a dialog that asks first. */
export function Action(props: ActionProps) {
  const { name, label, fields = {}, describes = label, asks } = props;
  if (asks === undefined) return <ActionForm {...props} />;
  const id = `ask-${[name, ...Object.values(fields)].join("-").replaceAll(/[^\w-]/g, "_")}`;
  return (
    <>
      <button type="button" class="button danger" popovertarget={id} aria-label={`${describes}…`}>
        {label}…
      </button>
      <div id={id} class="menu dialog" popover="auto" role="dialog" aria-label={describes}>
        <p>{asks}</p>
        <ActionForm {...props} describes={describes} />
      </div>
    </>
  );
}

function ActionForm({
  view,
  name,
  label,
  fields = {},
  inputs = [],
  tone = "main",
  curl = true,
  describes,
}: ActionProps) {
  const refused = refusedForm(view.outcome, name, fields, inputs.length > 0);
  const example = inputs.flatMap(({ required, name: input, value, placeholder = "" }) =>
    required === true ? [[input, value ?? placeholder] as const] : [],
  );
  return (
    <PostForm
      view={view}
      path={`/actions/${name}`}
      fields={fields}
      hasFile={inputs.some(({ type }) => type === "file")}
    >
      {inputs.length > 0 && (
        <div class="fields">
          {inputs.map((input) => (
            <Field {...input} refused={refused} />
          ))}
        </div>
      )}
      {refused?.problemsOf("").map((problem) => (
        <p class="error">{problem}</p>
      ))}
      <div class="action-line">
        <button class={`button ${tone}`} aria-label={describes}>
          {label}
        </button>
        {curl && (
          <details class="curl">
            <summary aria-label={`${describes ?? label} with curl`}>curl</summary>
            <CommandLine
              line={curlOf(view, orderOf(name, { ...fields, ...Object.fromEntries(example) }))}
              of={describes ?? label}
            />
          </details>
        )}
      </div>
    </PostForm>
  );
}

/** The refused form: its values, and its problems by field. `""` stands for problems about no field that was filled in. */
export function refusedForm(outcome: Outcome | undefined, name: string, fields: Fields, hasInput: boolean) {
  const { refused, problems = [] } = outcome ?? {};
  if (refused?.name !== name || Object.entries(fields).some(([field, value]) => refused.fields[field] !== value))
    return undefined;
  const filled = Object.keys(refused.fields).filter((field) => !(field in fields));
  if (hasInput !== filled.length > 0) return undefined;
  // A message begins with the name of the field that it is about, or quotes the field's value.
  const fieldOf = (problem: string): string =>
    filled.find((field) => problem.startsWith(field)) ??
    filled.find((field) => problem.includes(quote(refused.fields[field] ?? ""))) ??
    (filled.length === 1 ? (filled[0] ?? "") : "");
  const problemsOf = (field: string) => problems.filter((problem) => fieldOf(problem) === field);
  return { values: refused.fields, problemsOf };
}

/** A form above a list that makes something new. It is unfolded while the list is empty. */
export interface MakeSpec extends Omit<ActionProps, "view"> {
  /** What it makes, such as `charge`. */
  readonly what: string;
}

export function Make({
  what,
  isFirst,
  ...action
}: MakeSpec & Pick<ActionProps, "view"> & { readonly isFirst: boolean }) {
  return (
    <details class="make" id={`new-${what}`} open={isFirst || action.view.outcome?.refused?.name === action.name}>
      <summary class="button">New {what}</summary>
      <Action {...action} />
    </details>
  );
}

interface PostFormProps {
  readonly view: Pick<View, "root" | "formToken" | "here"> & Partial<Pick<View, "company">>;
  /** The path below the dashboard. */
  readonly path: string;
  readonly fields?: Fields;
  readonly hasFile?: boolean;
  readonly children?: Child;
}

/** A form that changes something. It sends the session's token, and the page to return to. */
export function PostForm({ view, path, fields = {}, hasFile, children }: PostFormProps) {
  const { root, formToken, here, company } = view;
  const query = company === undefined ? "" : `?${String(new URLSearchParams({ company: company.id }))}`;
  return (
    <form
      class="action"
      method="post"
      action={root + DASHBOARD.slice(1) + path + query}
      enctype={hasFile === true ? "multipart/form-data" : undefined}
    >
      {Object.entries({ formToken, back: here.pathname + here.search, ...fields }).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {children}
    </form>
  );
}

export function CommandLine({ line, of }: { readonly line: string; readonly of: string }) {
  return (
    <div class="command">
      <code tabindex={0} role="region" aria-label={`Command: ${of}`}>
        {line}
      </code>
      <button type="button" class="button quiet copy scripted-only" data-copy aria-label={`Copy the command: ${of}`}>
        Copy
      </button>
    </div>
  );
}

type Options = readonly (readonly [value: string, label: string])[];

interface FieldProps {
  readonly name: string;
  readonly label: string;
  /** The number of lines of a multi-line field. */
  readonly rows?: number;
  readonly choices?: Options;
  /** Values that are suggested; any other may be typed too. */
  readonly suggested?: Options;
  readonly type?: string;
  readonly value?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly autocomplete?: string;
  readonly autofocus?: true;
}

export function Field({
  refused,
  name,
  label,
  rows,
  choices,
  suggested,
  ...input
}: FieldProps & { readonly refused?: ReturnType<typeof refusedForm> }) {
  const problems = refused?.problemsOf(name) ?? [];
  const invalid = { "aria-invalid": "true", "aria-describedby": `${name}-problem`, autofocus: true } as const;
  const value = refused?.values[name] ?? input.value;
  const list = suggested && `${name}-suggested`;
  const options = (choices ?? suggested ?? []).map(([choice, text]) => (
    <option value={choice} selected={choices !== undefined && choice === value}>
      {text}
    </option>
  ));
  const shared = { id: name, name, class: "field", ...(problems.length > 0 && invalid) };
  return (
    <label class="labelled" for={name}>
      <span>{label}</span>
      {choices !== undefined ? (
        <select {...shared}>{options}</select>
      ) : rows !== undefined ? (
        <textarea {...shared} {...input} rows={rows} spellcheck={false}>
          {value}
        </textarea>
      ) : (
        <input autocomplete="off" spellcheck={false} {...shared} {...input} value={value} list={list} />
      )}
      {problems.length > 0 && (
        <small class="error" id={`${name}-problem`}>
          {problems.join(" ")}
        </small>
      )}
      {list !== undefined && <datalist id={list}>{options}</datalist>}
    </label>
  );
}
