import type { Child } from "hono/jsx";
import { type Asset, ASSETS, icon, pageStyle } from "./assets.js";

export interface LayoutProps {
  readonly lang: string;
  readonly title: string;
  /** The relative path from the page to the sandbox's root, `../`: behind a proxy the root may be anywhere (`--public-url https://host/sandbox`). */
  readonly root: string;
  readonly styles?: readonly Asset[];
  readonly scripts?: readonly Asset[];
  readonly head?: Child;
  readonly children?: Child;
}

/** The document around every page. Styles and scripts are files, so that the Content-Security-Policy can be strict. */
export function Layout({ lang, title, root, styles = [], scripts = [], head, children }: LayoutProps) {
  const hrefOf = ({ file }: Asset): string => root + ASSETS + file;
  return (
    <html lang={lang}>
      <head>
        <meta charset="utf-8" />
        <title>{title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="icon" type="image/svg+xml" href={hrefOf(icon)} />
        {[pageStyle, ...styles].map((style) => (
          <link rel="stylesheet" href={hrefOf(style)} />
        ))}
        {scripts.map((script) => (
          <script src={hrefOf(script)} defer />
        ))}
        {head}
      </head>
      <body>{children}</body>
    </html>
  );
}
