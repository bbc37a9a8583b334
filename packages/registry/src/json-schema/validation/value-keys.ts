import { isArray, isObject, type JsonNode, JsonNumber } from '../../exact-json.ts';

/** A text that is the same for equal JSON values, whatever the order of their keys. */
export function keyOfValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(keyOfValue).join()}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${keyOfValue(item)}`).join()}}`;
  }
  if (typeof value === 'number') return String(value === 0 ? 0 : value);
  return JSON.stringify(value);
}

/** The same for a value in a schema. Its numbers become those that a parsed payload would have. */
export function keyOfTree(tree: JsonNode): string {
  if (isArray(tree)) return `[${tree.map(keyOfTree).join()}]`;
  if (isObject(tree)) {
    const entries = [...tree].sort(([left], [right]) => (left < right ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${keyOfTree(item)}`).join()}}`;
  }
  return tree instanceof JsonNumber ? keyOfValue(Number(tree.text)) : JSON.stringify(tree);
}
