import { useState } from 'react';
import { cutText, visibleText } from '../../format/visible-text.ts';
import type { JsonNode } from './exact-json.ts';

const childrenShown = 100;
const textChars = 2_000;
/** Levels that are open at first. */
const openLevels = 3;

/** JSON that opens and closes. Only what is open is drawn. */
export function JsonTree({ node }: { readonly node: JsonNode }) {
  return (
    <div className="max-h-[60vh] overflow-auto rounded-md border border-line bg-page p-3 font-mono text-xs text-body">
      <Node node={node} level={0} />
    </div>
  );
}

function Node({ name, node, level }: { name?: string; node: JsonNode; level: number }) {
  const [isOpen, setOpen] = useState(level < openLevels);
  const [shown, setShown] = useState(childrenShown);
  const label = name === undefined ? null : <bdi className="text-muted">{visibleText(name)}: </bdi>;
  if ('text' in node)
    return (
      <div className="py-0.5 pl-5 break-all">
        {label}
        <bdi className={node.kind === 'text' ? 'text-ink' : 'text-info'} dir="ltr">
          {node.kind === 'text'
            ? `"${visibleText(cutText(node.text, textChars))}"`
            : cutText(node.text, textChars)}
        </bdi>
      </div>
    );
  const children: (readonly [string, JsonNode])[] =
    node.kind === 'object'
      ? [...node.entries]
      : node.items.map((item, index) => [String(index), item] as const);
  const count = node.kind === 'object' ? `{${children.length}}` : `[${children.length}]`;
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-6 w-full items-center gap-1 rounded text-left hover:bg-hover"
      >
        <span aria-hidden="true" className="inline-block w-4 text-center text-muted">
          {isOpen ? '▾' : '▸'}
        </span>
        {label}
        <span className="text-muted">{count}</span>
      </button>
      {isOpen && (
        <div className="border-l border-line pl-3">
          {children.slice(0, shown).map(([key, child]) => (
            <Node key={key} name={key} node={child} level={level + 1} />
          ))}
          {children.length > shown && (
            <button
              type="button"
              onClick={() => setShown(shown + childrenShown * 10)}
              className="min-h-6 rounded px-1 pl-5 text-accent hover:bg-hover"
            >
              {children.length - shown} more
            </button>
          )}
        </div>
      )}
    </div>
  );
}
