import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";
import type { AxeResults, RunOptions } from "axe-core";
import { rendered } from "./fixtures";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Collects the violations that axe finds on the screens of a page. */
export class Audit {
  readonly found: Record<string, string[]> = {};

  constructor(private readonly page: Page) {}

  /**
   * Check a screen, or the part of it that was not on the screen before: all rules in light, and the contrast in dark
   * too, since nothing else depends on the colors.
   */
  async look(screen: string, part = "html"): Promise<void> {
    await this.setTheme("light");
    const wrong = await this.violations(part, {});
    await this.setTheme("dark");
    wrong.push(...(await this.violations(part, { runOnly: ["color-contrast"] })));
    if (wrong.length > 0) this.found[screen] = wrong;
  }

  /** Change the theme, and wait until no color is on its way from one to the other. */
  private async setTheme(colorScheme: "light" | "dark"): Promise<void> {
    await this.page.emulateMedia({ colorScheme });
    await rendered(this.page);
    await this.page.evaluate(async () => {
      const transitions = document.getAnimations().filter((each) => each instanceof CSSTransition);
      await Promise.allSettled(transitions.map((each) => each.finished));
    });
  }

  private async violations(part: string, options: RunOptions): Promise<string[]> {
    if (!(await this.page.evaluate(() => "axe" in window))) await this.page.evaluate(axe);
    const results = await this.page.evaluate(
      ([context, given]) =>
        (
          window as unknown as { axe: { run: (part: string, options: RunOptions) => Promise<AxeResults> } }
        ).axe.run(context, given),
      [part, { ...options, resultTypes: ["violations"] }] satisfies [string, RunOptions] as [
        string,
        RunOptions,
      ],
    );
    return results.violations.flatMap((each) =>
      each.nodes.map((node) => `${each.id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`),
    );
  }
}
