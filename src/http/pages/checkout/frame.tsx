import type { Child } from "hono/jsx";
import { Layout } from "../layout.js";
import { languages } from "./language.js";
import { checkoutScript } from "./script.js";
import { checkoutStyle } from "./style.js";
import { languageNames } from "./texts.js";
import type { CheckoutView } from "./view.js";

interface FrameProps {
  readonly view: CheckoutView;
  readonly title: string;
  /** Where the page may become another by itself: which version of the charge it shows, and the address of the next one. */
  readonly follows?: { readonly version: string; readonly next: string } | undefined;
  readonly head?: Child;
  readonly children?: Child;
}

/** What stands around every page of the checkout. */
export function Frame({ view, title, follows, head, children }: FrameProps) {
  const { language, texts, linkTo, statusUrl } = view;
  return (
    <Layout
      lang={language}
      title={title}
      root="../"
      styles={[checkoutStyle]}
      scripts={follows === undefined ? [] : [checkoutScript]}
      head={head}
    >
      <header class="mode">
        <p>{texts.testMode}</p>
        <nav aria-label={languages.map((other) => languageNames[other]).join(", ")}>
          {languages.map((other) => (
            <a
              href={linkTo({ lang: other })}
              lang={other}
              hreflang={other}
              aria-current={other === language ? "true" : undefined}
            >
              {languageNames[other]}
            </a>
          ))}
        </nav>
      </header>
      <main
        class="checkout"
        data-version={follows?.version}
        data-next={follows?.next}
        data-status={follows === undefined ? undefined : statusUrl}
      >
        {children}
      </main>
    </Layout>
  );
}
