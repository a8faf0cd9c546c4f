// Writes a .br and a .gz beside every compressible file of the build, so that the server compresses nothing.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const DIST = new URL("../../src/sobremesa/web/dist/", import.meta.url).pathname;
const COMPRESSIBLE = /\.(js|css|html|svg|webmanifest)$/;
let total = 0;

for (const name of readdirSync(DIST, { recursive: true })) {
  const path = join(DIST, name);
  if (!statSync(path).isFile() || !COMPRESSIBLE.test(name)) continue;
  const plain = readFileSync(path);
  const brotli = brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  total += brotli.length;
  writeFileSync(`${path}.br`, brotli);
  writeFileSync(`${path}.gz`, gzipSync(plain, { level: 9 }));
}
console.log(`compressed: ${(total / 1024).toFixed(1)} KB in all (brotli)`);
