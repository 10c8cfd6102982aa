import type { Child } from "hono/jsx";
import { searchedFor } from "../view/lists.js";
import { ROWS_READ_MAX, type Searched } from "../view/search-list.js";
import { linkTo, type View } from "../view/view.js";
import { CommandLine } from "./action.js";

interface SearchProps {
  readonly view: View;
  /** The page's path below the dashboard. */
  readonly path: string;
  /** `id, externalId, phone number`. */
  readonly by: string;
}

/** Looks for a text within the list of the page; whatever else narrows that stays. */
export function Search({ view, path, by }: SearchProps) {
  const { q: _q, cursor: _cursor, ...others } = view.query;
  const action = new URL(linkTo(view, path), view.here);
  const kept = [...action.searchParams, ...Object.entries(others)];
  const text = searchedFor(view.query);
  return (
    <form class="search" role="search" method="get" action={linkTo(view, path).split("?")[0]}>
      {kept.map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <label class="visually-hidden" for="q">
        Search by {by}
      </label>
      <input
        id="q"
        name="q"
        type="search"
        class="input"
        placeholder={`Search by ${by}`}
        value={text}
        autocomplete="off"
        spellcheck={false}
      />
      <button class="act quiet">Search</button>
      {text !== undefined && <a href={linkTo(view, path, others)}>Clear</a>}
    </form>
  );
}

/** What narrows a list, beside each other. */
export function Tools({ children }: { readonly children?: Child }) {
  return <div class="tools">{children}</div>;
}

/** Said of a list that was not looked through to its end. */
export function CutNote({ list, what }: { readonly list: Searched<unknown>; readonly what: string }) {
  if (!list.isCut) return <></>;
  return (
    <p class="soft" role="status">
      Looked at {ROWS_READ_MAX.toLocaleString("en").replaceAll(",", "\u202f")} {what}. <b>Older</b> looks further back.
    </p>
  );
}

interface HintProps {
  readonly children?: Child;
  /** What the command does. */
  readonly of: string;
  readonly line: string;
}

/** In the place of a list that is empty: what would stand here, and a command that makes the first one. */
export function Hint({ children, of, line }: HintProps) {
  return (
    <div class="hint">
      <p class="soft">{children}</p>
      <CommandLine line={line} of={of} />
    </div>
  );
}
