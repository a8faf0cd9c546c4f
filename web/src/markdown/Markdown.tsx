// Renders parsed Markdown as React elements, never as HTML.
import { Fragment, memo, useMemo, type ReactNode } from "react";
import { Link } from "wouter";
import { BASE, pathInside } from "../api/base";
import { useTabIndex } from "../view/tabStop";
import { isOnlyEmoji, parse, type Block, type Inline } from "./parse";

export interface Names {
  /** The username of the reader, whose mentions are highlighted. */
  me: string;
  /** The path of a channel by name, if the reader can open it. */
  channelAt: (name: string) => string | null;
  /** The id of a user by username, if known. */
  personOf: (name: string) => string | null;
  /** Opens the profile of a mentioned user; without it mentions are not buttons. */
  openPerson?: (userId: string, anchor: HTMLElement) => void;
}

/** The paths of this client. */
const INTERNAL = /^\/(?:(?:c|d|t|w|inbox|settings|invite|admin)(?:\/|$)|$)/;

/** The path of a link to a page of this client; null for any other link. */
export function internalPath(href: string, base = BASE): string | null {
  const url = URL.canParse(href, location.href) ? new URL(href, location.href) : null;
  const path = url?.origin === location.origin ? pathInside(url.pathname, base) : null;
  return url === null || path === null || !INTERNAL.test(path) ? null : path + url.search + url.hash;
}

export const Markdown = memo(function Markdown({ text, names }: { text: string; names: Names }) {
  const blocks = useMemo(() => parse(text), [text]);
  return (
    <div className={isOnlyEmoji(text) ? "markdown markdown-emoji" : "markdown"}>
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} names={names} />
      ))}
    </div>
  );
});

function BlockView({ block, names }: { block: Block; names: Names }): ReactNode {
  const tabIndex = useTabIndex();
  switch (block.kind) {
    case "paragraph":
      return <p>{inlines(block.children, names)}</p>;
    case "code":
      return (
        <pre tabIndex={tabIndex ?? 0} aria-label={block.language === "" ? "Code" : `Code, ${block.language}`}>
          <code>{block.text}</code>
        </pre>
      );
    case "quote":
      return (
        <blockquote>
          {block.children.map((child, index) => (
            <BlockView key={index} block={child} names={names} />
          ))}
        </blockquote>
      );
    case "list": {
      const items = block.items.map((item, index) => <li key={index}>{inlines(item, names)}</li>);
      return block.ordered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>;
    }
  }
}

function inlines(children: Inline[], names: Names): ReactNode {
  return children.map((child, index) => <Fragment key={index}>{inline(child, names)}</Fragment>);
}

function inline(node: Inline, names: Names): ReactNode {
  switch (node.kind) {
    case "text":
      return node.text;
    case "code":
      return <code>{node.text}</code>;
    case "bold":
      return <strong>{inlines(node.children, names)}</strong>;
    case "italic":
      return <em>{inlines(node.children, names)}</em>;
    case "strike":
      return <s>{inlines(node.children, names)}</s>;
    case "link":
      return <TextLink href={node.href}>{inlines(node.children, names)}</TextLink>;
    case "mention":
      return <Mention name={node.name} names={names} />;
    case "channel": {
      const path = names.channelAt(node.name);
      if (path === null) return `#${node.name}`;
      return (
        <InternalLink to={path} className="mention">
          #{node.name}
        </InternalLink>
      );
    }
  }
}

function TextLink({ href, children }: { href: string; children: ReactNode }) {
  const tabIndex = useTabIndex();
  const path = internalPath(href);
  if (path !== null) return <InternalLink to={path}>{children}</InternalLink>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" tabIndex={tabIndex}>
      {children}
    </a>
  );
}

function InternalLink({ to, className, children }: { to: string; className?: string; children: ReactNode }) {
  const tabIndex = useTabIndex();
  return (
    <Link href={to} tabIndex={tabIndex} {...(className === undefined ? {} : { className })}>
      {children}
    </Link>
  );
}

function Mention({ name, names }: { name: string; names: Names }) {
  const tabIndex = useTabIndex();
  const { openPerson } = names;
  const userId = names.personOf(name);
  if (userId === null) return `@${name}`;
  const isMe = name.toLowerCase() === names.me.toLowerCase();
  const className = isMe ? "mention mention-me" : "mention";
  if (openPerson === undefined) return <span className={className}>@{name}</span>;
  return (
    <button
      type="button"
      className={className}
      tabIndex={tabIndex}
      onClick={(event) => openPerson(userId, event.currentTarget)}
    >
      @{name}
    </button>
  );
}
