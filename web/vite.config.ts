import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

// The build goes into the Python package, which serves it. `vite dev` proxies the API to a running server.
const server = process.env.SOBREMESA_URL ?? "http://127.0.0.1:8080";

// The page names its files by absolute paths, since it is served at every path of the client; where the site is mounted
// in another application, the server prefixes them. The files refer to each other by relative paths.
const absoluteInPage: Plugin = {
  name: "absolute-in-page",
  apply: "build",
  transformIndexHtml: { order: "post", handler: (html) => html.replaceAll('="./', '="/') },
};

export default defineConfig({
  base: "./",
  plugins: [react(), absoluteInPage],
  build: {
    outDir: "../src/sobremesa/web/dist",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/v1": { target: server, ws: true } } },
});
