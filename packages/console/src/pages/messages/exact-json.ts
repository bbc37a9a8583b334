/** JSON as a tree of texts: numbers keep all their digits, and nothing of it is a value of the program. */
export type JsonNode =
  | { readonly kind: 'object'; readonly entries: readonly (readonly [name: string, node: JsonNode])[] }
  | { readonly kind: 'list'; readonly items: readonly JsonNode[] }
  | { readonly kind: 'text' | 'other'; readonly text: string };

type Reviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** Deeper JSON is shown as text, because what walks the tree calls itself. */
const nestingMax = 500;

/** Returns `undefined` for text that is not JSON, or nested without measure. */
export function exactJson(text: string): JsonNode | undefined {
  if (nestingOf(text) > nestingMax) return undefined;
  const toNode: Reviver = (_key, value, { source }) => {
    if (typeof value === 'string') return { kind: 'text', text: value };
    if (Array.isArray(value)) return { kind: 'list', items: value };
    if (typeof value === 'object' && value !== null)
      return { kind: 'object', entries: Object.entries(value) };
    return { kind: 'other', text: source ?? String(value) };
  };
  try {
    return JSON.parse(text, toNode as (key: string, value: unknown) => unknown) as JsonNode;
  } catch {
    return undefined;
  }
}

/** How deep brackets are nested, outside of strings. */
function nestingOf(text: string): number {
  let [deepest, depth] = [0, 0];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/gs)) {
    if (token === '{' || token === '[') deepest = Math.max(deepest, ++depth);
    else if (token === '}' || token === ']') depth--;
  }
  return deepest;
}
