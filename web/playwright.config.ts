import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

// The system browser if there is one, else that of e2e/browser, which `make e2e` installs.
const BROWSERS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  `${import.meta.dirname}/e2e/browser/node_modules/.unpacked/chromium`,
];
const executablePath = process.env["SOBREMESA_CHROMIUM"] ?? BROWSERS.find((path) => existsSync(path));
if (executablePath === undefined) throw new Error("There is no browser; `make e2e` installs one.");

export default defineConfig({
  testDir: "e2e",
  // For what hangs: beside the other tests, a story of two browsers may take ten times as long as alone.
  timeout: 90_000,
  expect: { timeout: 30_000 },
  workers: 2,
  fullyParallel: true,
  forbidOnly: true,
  reporter: "list",
  use: {
    launchOptions: { executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] },
    viewport: { width: 1280, height: 800 },
    // A trace costs as much as the test: `SOBREMESA_TRACE=on` records one.
    trace: process.env["SOBREMESA_TRACE"] === "on" ? "retain-on-failure" : "off",
    screenshot: "only-on-failure",
  },
});
