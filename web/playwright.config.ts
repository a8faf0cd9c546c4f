import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

// The system browser if there is one, else that of e2e/browser, which `make e2e` installs.
const SYSTEM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

async function browser(): Promise<string> {
  const found = process.env["SOBREMESA_CHROMIUM"] ?? SYSTEM.find((path) => existsSync(path));
  if (found !== undefined) return found;
  const module = new URL(
    "./e2e/browser/node_modules/@sparticuz/chromium/build/esm/index.js",
    import.meta.url,
  );
  const packed = (await import(module.href)) as { default: { executablePath: () => Promise<string> } };
  return await packed.default.executablePath();
}

export default defineConfig({
  testDir: "e2e",
  timeout: 40_000,
  expect: { timeout: 8000 },
  workers: 2,
  fullyParallel: true,
  forbidOnly: true,
  reporter: "list",
  use: {
    launchOptions: { executablePath: await browser(), args: ["--no-sandbox", "--disable-dev-shm-usage"] },
    viewport: { width: 1280, height: 800 },
    // A trace costs as much as the test: `SOBREMESA_TRACE=on` records one.
    trace: process.env["SOBREMESA_TRACE"] === "on" ? "retain-on-failure" : "off",
    screenshot: "only-on-failure",
  },
});
