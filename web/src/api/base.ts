// Where the site is served: at the root of its origin, or under a path of another application.

/** The path before every path of the site: empty at the root, `/chat` for a site that is mounted there. */
export const BASE = baseOf(document);

/** The base path in a page, which the server writes where the site is mounted. */
export function baseOf(page: Document): string {
  return page.querySelector('meta[name="sobremesa-base"]')?.getAttribute("content") ?? "";
}

/** The URL of the gateway, for the page at a location. */
export function gatewayUrl({ protocol, host }: Pick<Location, "protocol" | "host">, base = BASE): string {
  return `${protocol === "https:" ? "wss" : "ws"}://${host}${base}/v1/gateway`;
}

/** The path inside the client of a path of this origin; null if it is outside of the base. */
export function pathInside(path: string, base = BASE): string | null {
  if (path === base) return "/";
  return path.startsWith(`${base}/`) ? path.slice(base.length) : null;
}
