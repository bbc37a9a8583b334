import { HttpProblem } from '@weir/http';
import { gatewayLimits } from '../limits.ts';

/** Labels of a stream, or structured metadata of a line. */
export type Labels = ReadonlyMap<string, string>;

const { logIntakeAttributesMax, logIntakeLabelsBytesMax } = gatewayLimits;
const label =
  /\s*([A-Za-z_][\w.:-]*|"[^"\\]*(?:\\.[^"\\]*)*")\s*=\s*("[^"\\]*(?:\\.[^"\\]*)*"|`[^`]*`)\s*(,|\})/sy;
const escaped = /\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{3}|.)/gs;
const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Parses `{name="value", …}`, as clients of Loki and Prometheus write labels. */
export function parseLabels(text: string): Labels {
  checkLabelsBytes(text.length);
  const labels = new Map<string, string>();
  const trimmed = text.trim();
  if (!trimmed.startsWith('{')) throw unreadable('do not begin with {');
  if (/^\{\s*\}$/.test(trimmed)) return labels;
  label.lastIndex = 1;
  for (;;) {
    const found = label.exec(trimmed);
    if (found === null) throw unreadable('are not a list of name="value"');
    const [, name = '', value = '', end] = found;
    labels.set(unquoted(name), unquoted(value));
    checkCount(labels.size);
    if (end === '}') break;
    // A comma may stand before the end.
    if (/^\s*\}$/.test(trimmed.slice(label.lastIndex))) return labels;
  }
  if (label.lastIndex !== trimmed.length) throw unreadable('go on behind }');
  return labels;
}

/** Labels as Loki prints them, in the order of their names. */
export function labelsText(labels: Labels): string {
  const inOrder = [...labels].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${inOrder.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(', ')}}`;
}

export function checkLabelsBytes(bytes: number): void {
  if (bytes > logIntakeLabelsBytesMax) throw unreadable('are too long');
}

export function checkCount(count: number): void {
  if (count > logIntakeAttributesMax) throw unreadable(`are more than ${logIntakeAttributesMax}`);
}

/** Texts in quotes have the escapes of Go; those in backquotes have none. */
function unquoted(text: string): string {
  if (text.startsWith('`')) return text.slice(1, -1);
  if (!text.startsWith('"')) return text;
  return text.slice(1, -1).replace(escaped, (_, code: string) => unescaped(code));
}

function unescaped(code: string): string {
  if (code.length === 1) return escapes[code] ?? code;
  const number = /^\d/.test(code) ? Number.parseInt(code, 8) : Number.parseInt(code.slice(1), 16);
  return number <= 0x10ffff ? String.fromCodePoint(number) : '\ufffd';
}

function unreadable(what: string): HttpProblem {
  return new HttpProblem(400, `The labels of a stream ${what}.`);
}
