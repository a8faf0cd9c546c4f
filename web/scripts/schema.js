// Writes src/api/schema.ts from the API of this tree; with --check it only reports whether the file is current.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const FILE = new URL("../src/api/schema.ts", import.meta.url);
const PYTHON = process.env.SOBREMESA_PYTHON ?? "../.venv/bin/python";
const HEADER = "// Made by `npm run schema` from the API of this tree; not to be edited.\n\n";

const document = JSON.parse(
  execFileSync(PYTHON, ["scripts/openapi.py"], { encoding: "utf8", maxBuffer: 64 << 20 }),
);
// Types only: without documentation texts and error responses, so that rewording them changes nothing.
withoutProse(document);
const fresh =
  HEADER + astToString(await openapiTS(document, { alphabetize: true, defaultNonNullable: false }));

if (process.argv.includes("--check")) {
  if (readFileSync(FILE, "utf8") !== fresh) {
    console.error("web/src/api/schema.ts is stale: run `npm run schema` in web/.");
    process.exit(1);
  }
} else {
  writeFileSync(FILE, fresh);
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
