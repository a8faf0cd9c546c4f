// Requests, typed by the schema: `request("get", "/v1/servers/{serverId}", { path: { serverId } })`.
import { BASE } from "./base";
import { Problem, SignedOut, Unreachable } from "./problems";
import type { components, paths } from "./schema";
import { accessToken, renew } from "./session";

/** Assignable to any type whose fields are all optional, so that such an argument may be left out. */
type Nothing = object & { [name: string]: never };
type Method = "get" | "post" | "put" | "patch" | "delete";
type Operation<P extends keyof paths, M extends Method> = M extends keyof paths[P] ? paths[P][M] : never;
type PathsWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never;
}[keyof paths];

type Parameters<O, Where extends string> = O extends { parameters: Partial<Record<Where, infer T>> }
  ? [Exclude<T, undefined>] extends [never]
    ? unknown
    : Nothing extends Exclude<T, undefined>
      ? Partial<Record<Where, Exclude<T, undefined>>>
      : Record<Where, Exclude<T, undefined>>
  : unknown;
type Body<O> = O extends { requestBody: { content: { "application/json": infer B } } }
  ? { body: B }
  : O extends { requestBody?: { content: { "application/json": infer B } } }
    ? { body?: B }
    : unknown;
type Options<O> = Parameters<O, "path"> & Parameters<O, "query"> & Body<O> & { signal?: AbortSignal };

type JsonOf<R> = R extends { content: { "application/json": infer B } } ? B : undefined;
export type Answered<O> = O extends { responses: infer R }
  ? JsonOf<R[keyof R & (200 | 201 | 202 | 204)]>
  : never;

interface Loose {
  path?: Record<string, string>;
  query?: Record<string, string | number | boolean | null | undefined>;
  body?: unknown;
  signal?: AbortSignal;
}

/** Call the API as the signed-in user. Throws a Problem, Unreachable or SignedOut. */
export async function request<M extends Method, P extends PathsWith<M>>(
  method: M,
  path: P,
  ...options: Nothing extends Options<Operation<P, M>>
    ? [Options<Operation<P, M>>?]
    : [Options<Operation<P, M>>]
): Promise<Answered<Operation<P, M>>> {
  const loose = (options[0] ?? {}) as Loose;
  return (await send(method, address(path, loose), loose)) as Answered<Operation<P, M>>;
}

/** Call the API without a token, before signing in. */
export async function requestUnsigned<P extends PathsWith<"post">>(
  path: P,
  options: Options<Operation<P, "post">>,
): Promise<Answered<Operation<P, "post">>> {
  const loose = options as Loose;
  const answer = await once("post", address(path, loose), loose, null);
  return (await read(answer)) as Answered<Operation<P, "post">>;
}

type Received = components["schemas"]["ReceivedView"];

/** Upload a file; `onProgress` receives the sent fraction, from 0 to 1. */
export async function upload(
  file: File,
  purpose: "message" | "avatar",
  onProgress: (part: number) => void,
  signal: AbortSignal,
): Promise<Received> {
  const token = await accessToken();
  const query = new URLSearchParams({ name: file.name.slice(0, 200) || "file", purpose });
  return await new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest(); // fetch reports no upload progress
    sending.open("POST", `${BASE}/v1/attachments?${query}`);
    sending.setRequestHeader("authorization", `Bearer ${token}`);
    sending.setRequestHeader("content-type", "application/octet-stream");
    sending.responseType = "json";
    sending.upload.onprogress = (event) => onProgress(event.total > 0 ? event.loaded / event.total : 0);
    sending.onload = () => {
      if (sending.status < 300) resolve(sending.response as Received);
      else reject(new Problem(sending.status, sending.response));
    };
    sending.onerror = () => reject(new Unreachable());
    signal.addEventListener("abort", () => sending.abort());
    sending.onabort = () => reject(new Unreachable());
    sending.send(file);
  });
}

async function send(method: string, url: string, options: Loose): Promise<unknown> {
  const token = await accessToken();
  let answer = await once(method, url, options, token);
  if (answer.status === 401) {
    const session = await renew(token);
    answer = await once(method, url, options, session.accessToken);
    if (answer.status === 401) throw new SignedOut();
  }
  return await read(answer);
}

async function once(method: string, url: string, options: Loose, token: string | null): Promise<Response> {
  const headers: Record<string, string> = {};
  if (token !== null) headers["authorization"] = `Bearer ${token}`;
  if (options.body !== undefined) headers["content-type"] = "application/json";
  try {
    return await fetch(url, {
      method: method.toUpperCase(),
      headers,
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
  } catch (error) {
    if (options.signal?.aborted === true) throw error;
    throw new Unreachable();
  }
}

async function read(answer: Response): Promise<unknown> {
  const text = await answer.text().catch(() => {
    throw new Unreachable();
  });
  let body: unknown;
  try {
    body = text === "" ? undefined : JSON.parse(text);
  } catch {
    body = undefined;
  }
  if (!answer.ok) throw new Problem(answer.status, body);
  return body;
}

function address(template: string, options: Loose): string {
  const path =
    BASE +
    template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(options.path?.[name] ?? ""));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options.query ?? {}))
    if (value !== undefined && value !== null) query.set(name, String(value));
  return query.size > 0 ? `${path}?${query}` : path;
}
