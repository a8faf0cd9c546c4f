// The tree of a text as React elements: text stays text, whatever it says.
import { Fragment, memo, useMemo, type ReactNode } from "react";
import { Link } from "wouter";
import { isOnlyEmoji, parse, type Block, type Inline } from "./parse";

export interface Names {
  /** The user name of the reader: a mention of it stands out. */
  me: string;
  /** Where a channel of this name is, if the reader can go there. */
  channelAt: (name: string) => string | null;
  isPerson: (name: string) => boolean;
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
  switch (block.kind) {
    case "paragraph":
      return <p>{inlines(block.children, names)}</p>;
    case "code":
      return (
        <pre tabIndex={0} aria-label={block.language === "" ? "Code" : `Code, ${block.language}`}>
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
      return (
        <a href={node.href} target="_blank" rel="noopener noreferrer nofollow">
          {inlines(node.children, names)}
        </a>
      );
    case "mention": {
      if (!names.isPerson(node.name)) return `@${node.name}`;
      const isMe = node.name.toLowerCase() === names.me.toLowerCase();
      return <span className={isMe ? "mention mention-me" : "mention"}>@{node.name}</span>;
    }
    case "channel": {
      const place = names.channelAt(node.name);
      if (place === null) return `#${node.name}`;
      return (
        <Link href={place} className="mention">
          #{node.name}
        </Link>
      );
    }
  }
}
