import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// Apart from vite.config.ts, so that a build needs nothing of the tests.
export default defineConfig({
  plugins: [react()],
  test: { environment: "jsdom", include: ["src/**/*.test.{ts,tsx}"], restoreMocks: true },
});
