import type { SchemaType } from '../schema-format.ts';
import { type DiffLine, diffLines } from './line-diff.ts';
import { prettySchema } from './pretty-schema.ts';

/** A schema with what the diff calls it, such as `orders-value version 3`. */
interface NamedSchema {
  readonly name: string;
  readonly type: SchemaType;
  readonly text: string;
}

const contextLines = 3;

/** A unified diff of two schemas, both indented; empty if they are equal. Lines beyond `linesMax` are counted only. */
export function schemaDiff(
  before: NamedSchema,
  after: NamedSchema,
  { linesMax }: { readonly linesMax: number },
): string {
  const lines = unifiedDiff(linesOf(before), linesOf(after));
  if (lines.length === 0) return '';
  const all = [`--- ${before.name}`, `+++ ${after.name}`, ...lines];
  if (all.length <= linesMax) return all.join('\n');
  return [...all.slice(0, linesMax), `… ${all.length - linesMax} more lines`].join('\n');
}

function linesOf({ type, text }: NamedSchema): string[] {
  return prettySchema(type, text).split('\n');
}

function unifiedDiff(before: readonly string[], after: readonly string[]): string[] {
  const lines = diffLines(before, after);
  const output: string[] = [];
  let next = 0;
  let oldLine = 1;
  let newLine = 1;
  for (const { start, end } of hunks(lines)) {
    // What lies between two hunks is in both texts.
    oldLine += start - next;
    newLine += start - next;
    const hunk = lines.slice(start, end);
    const oldCount = hunk.filter(({ sign }) => sign !== '+').length;
    const newCount = hunk.filter(({ sign }) => sign !== '-').length;
    output.push(`@@ -${oldLine},${oldCount} +${newLine},${newCount} @@`);
    for (const { sign, text } of hunk) output.push(sign + text);
    oldLine += oldCount;
    newLine += newCount;
    next = end;
  }
  return output;
}

/** The ranges of changed lines with the lines around them; ranges that touch are one. */
function hunks(lines: readonly DiffLine[]): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (const [index, { sign }] of lines.entries()) {
    if (sign === ' ') continue;
    const start = Math.max(0, index - contextLines);
    const end = Math.min(lines.length, index + contextLines + 1);
    const last = found.at(-1);
    if (last !== undefined && start <= last.end) last.end = end;
    else found.push({ start, end });
  }
  return found;
}
