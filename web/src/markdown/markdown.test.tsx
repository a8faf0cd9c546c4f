import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Markdown, type Names } from "./Markdown";
import { isOnlyEmoji, plainText, safeHref } from "./parse";

const names: Names = {
  me: "ana",
  channelAt: (name) => (name === "general" ? "/c/S/C" : null),
  personOf: (name) => (name === "ana" || name === "ben" ? name : null),
};
const html = (text: string) =>
  renderToStaticMarkup(<Markdown text={text} names={names} />).replace(
    /^<div class="markdown">|<\/div>$/g,
    "",
  );

describe("markdown", () => {
  it.each([
    [
      "**bold** and *italic* and ~~gone~~",
      "<p><strong>bold</strong> and <em>italic</em> and <s>gone</s></p>",
    ],
    ["a **b *c* d** e", "<p>a <strong>b <em>c</em> d</strong> e</p>"],
    ["***both***", "<p><strong><em>both</em></strong></p>"],
    ["`**raw**`", "<p><code>**raw**</code></p>"],
    ["snake_case_name", "<p>snake_case_name</p>"],
    ["2 * 3 * 4", "<p>2 * 3 * 4</p>"],
    ["\\*not\\*", "<p>*not*</p>"],
    ["```py\nx = 1\n**y**\n```", '<pre tabindex="0" aria-label="Code, py"><code>x = 1\n**y**</code></pre>'],
    ["```\nopen", "<p>```\nopen</p>"],
    ["> said\n> so\nthen", "<blockquote><p>said\nso</p></blockquote><p>then</p>"],
    ["- one\n- two", "<ul><li>one</li><li>two</li></ul>"],
    ["3. three\n4. four", '<ol start="3"><li>three</li><li>four</li></ol>'],
    ["hi @ana.", '<p>hi <span class="mention mention-me">@ana</span>.</p>'],
    ["@nobody a@ben.com", "<p>@nobody a@ben.com</p>"],
    ["see #general, not #other", '<p>see <a href="/c/S/C" class="mention">#general</a>, not #other</p>'],
  ])("shows %j", (text, shown) => {
    expect(html(text)).toBe(shown);
  });

  it("links addresses, without the punctuation after them", () => {
    expect(html("(see https://example.org/a_(b).)")).toContain('href="https://example.org/a_(b)"');
    expect(html("[here](https://example.org)")).toContain('rel="noopener noreferrer nofollow">here</a>');
  });

  it.each([
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:msgbox)",
    "javascript:alert(1)",
    '"><svg onload=alert(1)>',
    "```\n</code></pre><script>alert(1)</script>\n```",
    "`<b onmouseover=alert(1)>`",
    "> <iframe src=//evil>",
    '[x](https://e.org" onclick="alert(1))',
    "@ana<script>",
  ])("shows %j as text", (text) => {
    const shown = html(text);
    const element = document.createElement("div");
    element.innerHTML = shown; // oxlint-disable-line no-restricted-properties -- to see what a browser would make of it
    expect(element.querySelectorAll("script, img, svg, iframe, [onclick], [onload], [onerror]")).toHaveLength(
      0,
    );
    for (const link of element.querySelectorAll("a")) expect(link.href).toMatch(/^https?:/);
  });

  it("accepts only safe link schemes", () => {
    expect(safeHref("mailto:ana@example.org")).toBe("mailto:ana@example.org");
    for (const bad of ["javascript:1", "data:,x", "file:///etc", "blob:x", "/relative", " "])
      expect(safeHref(bad)).toBeNull();
  });

  // A parser that backtracks would take minutes or more; the timeout is no measure of speed.
  it("parses long hostile texts in bounded time", { timeout: 60_000 }, () => {
    for (const hostile of [
      "*".repeat(4000),
      "_a ".repeat(1300),
      "[".repeat(4000),
      "> ".repeat(2000),
      "`".repeat(3999) + "a",
    ])
      expect(html(hostile)).not.toBe("");
  });

  it("renders plain text in one line, without marks", () => {
    expect(plainText("**Menu**:\n- *figs*\n- `wine`\n> @ana chooses")).toBe("Menu: figs, wine @ana chooses");
  });

  it("detects a text of emoji only", () => {
    expect(isOnlyEmoji("👍🏽 🎉")).toBe(true);
    expect(isOnlyEmoji("👍 ok")).toBe(false);
    expect(isOnlyEmoji("12")).toBe(false);
  });
});
