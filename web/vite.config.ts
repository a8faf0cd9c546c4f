import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The build goes into the Python package, which serves it. `vite dev` proxies the API to a running server.
const server = process.env.SOBREMESA_URL ?? "http://127.0.0.1:8080";

export default defineConfig({
  plugins: [react()],
  build: {
    outDir: "../src/sobremesa/web/dist",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/v1": { target: server, ws: true } } },
});
