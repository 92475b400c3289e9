// A text of a model, with its Markdown.
import { Fragment, type ReactNode, useMemo } from "react";
import { type Block, type Inline, parseMarkdown } from "./markdown-tree.ts";

/** Made of elements of ours alone: no HTML of the text is one. A link opens in a tab that knows nothing of this one. */
export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => parseMarkdown(text), [text]);
  return <div className="markdown">{blocks.map(showBlock)}</div>;
}

function showBlock(block: Block, key: number): ReactNode {
  switch (block.kind) {
    case "paragraph":
      return <p key={key}>{block.children.map(showInline)}</p>;
    case "heading":
      // The screen has headings of its own, which these are none of.
      return (
        <p key={key} className={`markdown-heading markdown-heading-${block.level}`}>
          {block.children.map(showInline)}
        </p>
      );
    case "code":
      return (
        <pre key={key} tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    case "quote":
      return <blockquote key={key}>{block.children.map(showBlock)}</blockquote>;
    case "list": {
      const items = block.items.map((item, index) => <li key={index}>{item.map(showBlock)}</li>);
      return block.start === null ? (
        <ul key={key}>{items}</ul>
      ) : (
        <ol key={key} start={block.start}>
          {items}
        </ol>
      );
    }
    case "table": {
      const [head = [], ...rows] = block.rows;
      return (
        <table key={key}>
          <thead>
            <tr>
              {head.map((cell, index) => (
                <th key={index}>{cell.map(showInline)}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <tr key={at}>
                {row.map((cell, index) => (
                  <td key={index}>{cell.map(showInline)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      );
    }
    default:
      return <hr key={key} />;
  }
}

function showInline(node: Inline, key: number): ReactNode {
  switch (node.kind) {
    case "text":
      return <Fragment key={key}>{node.text}</Fragment>;
    case "code":
      return <code key={key}>{node.text}</code>;
    case "link":
      return (
        <a key={key} href={node.href} target="_blank" rel="noopener noreferrer nofollow">
          {node.children.map(showInline)}
        </a>
      );
    case "strong":
      return <strong key={key}>{node.children.map(showInline)}</strong>;
    case "del":
      return <del key={key}>{node.children.map(showInline)}</del>;
    default:
      return <em key={key}>{node.children.map(showInline)}</em>;
  }
}
