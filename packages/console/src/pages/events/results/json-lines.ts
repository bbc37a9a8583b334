import { cutText, visibleText } from '../../../format/visible-text.ts';

/** One line of a value that is printed as JSON. */
export interface JsonLine {
  readonly depth: number;
  /** The keys that lead to the value; none for a closing bracket. */
  readonly path?: readonly string[];
  /** The key as it is printed, with quotes. Entries of a list have none. */
  readonly key?: string;
  readonly text: string;
  readonly kind: 'string' | 'number' | 'word' | 'bracket';
  /** A value that a filter can compare. */
  readonly value?: string | number | boolean | null;
  readonly isCut?: boolean;
  readonly hasComma: boolean;
}

const textCharsMax = 500;
const linesMax = 400;

/**
 * Prints a value as JSON, line by line. Unless all of it is wanted, long texts are cut and further lines left out,
 * because an event may have a megabyte.
 */
export function jsonLines(
  value: unknown,
  { isWhole }: { readonly isWhole: boolean },
): {
  readonly lines: readonly JsonLine[];
  readonly isCut: boolean;
} {
  const lines: JsonLine[] = [];
  let isCut = false;
  const add = (line: JsonLine) => {
    if (!isWhole && lines.length >= linesMax) isCut = true;
    else lines.push(line);
  };
  const print = (
    one: unknown,
    path: readonly string[] | undefined,
    key: string | undefined,
    depth: number,
    hasComma: boolean,
  ) => {
    const head = {
      depth,
      ...(path === undefined ? {} : { path }),
      ...(key === undefined ? {} : { key: printed(key) }),
    };
    if (typeof one === 'object' && one !== null) {
      const isList = Array.isArray(one);
      const entries = Object.entries(one);
      const [open, close] = isList ? '[]' : '{}';
      if (entries.length === 0) {
        add({ ...head, text: `${open}${close}`, kind: 'bracket', hasComma });
        return;
      }
      add({ ...head, text: open!, kind: 'bracket', hasComma: false });
      for (const [index, [name, inner]] of entries.entries()) {
        if (!isWhole && lines.length >= linesMax) {
          isCut = true;
          break;
        }
        const isLast = index === entries.length - 1;
        // Filters cannot name entries of a list.
        const innerPath = path === undefined || isList ? undefined : [...path, name];
        print(inner, innerPath, isList ? undefined : name, depth + 1, !isLast);
      }
      add({ depth, text: close!, kind: 'bracket', hasComma });
      return;
    }
    const whole = typeof one === 'string' ? one : JSON.stringify(one);
    const isLong = !isWhole && whole.length > textCharsMax;
    if (isLong) isCut = true;
    const shown = isLong ? cutText(whole, textCharsMax) : whole;
    add({
      ...head,
      text: typeof one === 'string' ? printed(shown) : shown,
      kind: typeof one === 'string' ? 'string' : typeof one === 'number' ? 'number' : 'word',
      value: one as string | number | boolean | null,
      ...(isLong ? { isCut: true } : {}),
      hasComma,
    });
  };
  print(value, [], undefined, 0, false);
  return { lines, isCut };
}

/** JSON escapes control characters below 32; the others are made visible. */
function printed(text: string): string {
  return visibleText(JSON.stringify(text));
}
