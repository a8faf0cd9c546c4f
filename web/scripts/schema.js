// Writes the types of the API and of the gateway from the documents of this tree: src/api/schema.ts and
// src/live/schema.ts. With --check it only reports whether they are current.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const PYTHON = process.env.SOBREMESA_PYTHON ?? "../.venv/bin/python";
const HEADER = "// Made by `npm run schema` from the API of this tree; not to be edited.\n\n";

const files = {
  "src/api/schema.ts": document("scripts/openapi.py"),
  "src/live/schema.ts": gatewayTypes(document("scripts/asyncapi.py")),
};
let isStale = false;
for (const [name, source] of Object.entries(files)) {
  const file = new URL(`../${name}`, import.meta.url);
  // Types only: without documentation texts and error responses, so that rewording them changes nothing.
  withoutProse(source);
  // A field of a client's frame that has a default may be left out.
  const options = { alphabetize: true, defaultNonNullable: name !== "src/live/schema.ts" };
  const fresh = HEADER + astToString(await openapiTS(source, options));
  if (!process.argv.includes("--check")) writeFileSync(file, fresh);
  else if (readFileSync(file, "utf8") !== fresh) {
    console.error(`web/${name} is stale: run \`npm run schema\` in web/.`);
    isStale = true;
  }
}
if (isStale) process.exit(1);

function document(script) {
  return JSON.parse(execFileSync(PYTHON, [script], { encoding: "utf8", maxBuffer: 64 << 20 }));
}

/** The schemas of an AsyncAPI document as those of OpenAPI, with `Events` (name to payload) and a type of each frame. */
function gatewayTypes({ openapi = "3.1.0", info, operations, components }) {
  const schemas = { ...components.schemas };
  const isEvent = new Set(operations.dispatch.messages.map(({ $ref }) => $ref.split("/").at(-1)));
  const events = {};
  for (const [name, { payload }] of Object.entries(components.messages))
    if (isEvent.has(name)) events[name] = payload.allOf[1].properties.d;
    else schemas[`${name[0].toUpperCase()}${name.slice(1)}Frame`] = payload;
  schemas.Events = { type: "object", required: Object.keys(events), properties: events };
  return { openapi, info: { title: info.title, version: info.version }, paths: {}, components: { schemas } };
}

function withoutProse(node) {
  if (Array.isArray(node)) return node.forEach(withoutProse);
  if (node === null || typeof node !== "object") return;
  for (const word of ["description", "summary", "title", "example", "examples", "tags"])
    if (typeof node[word] !== "object" || word.startsWith("example") || word === "tags") delete node[word];
  if (node.responses)
    for (const status of Object.keys(node.responses)) if (!/^2/.test(status)) delete node.responses[status];
  Object.values(node).forEach(withoutProse);
}
