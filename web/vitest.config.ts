import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// Separate from vite.config.ts, so that a build does not need the test packages. Each file has its own context in a
// thread that has loaded jsdom once: as isolated as a process for each, for a quarter of the CPU time.
export default defineConfig({
  plugins: [react()],
  test: {
    environment: "jsdom",
    pool: "vmThreads",
    maxWorkers: 2,
    include: ["src/**/*.test.{ts,tsx}"],
    restoreMocks: true,
  },
});
