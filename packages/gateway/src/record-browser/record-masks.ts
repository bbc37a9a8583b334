import { matchesWildcard } from '@weir/cluster';
import type { RecordCursor } from '@weir/wire';
import { type FormattedPart, jsonText } from '../http-data/formatted-records.ts';
import { gatewayLimits } from '../limits.ts';
import { maskedJson } from './masked-json.ts';

/** What stands for a value that the caller may not see. */
const mask = '•••';

/** A key or value, and whether something of it is masked. */
export interface MaskedPart extends FormattedPart {
  readonly isMasked?: true;
}

/**
 * Hides fields of records, in the notation of `service.record.masks`: `key`, `value`, `headers` and `headers.trace`, a
 * path such as `value.card.number`, or a name, which is hidden at any depth. Names are compared in any case, and `*`
 * stands for any characters. Elements of a list have the path of the list.
 *
 * Searches see what is masked as it is shown: a filter must not reveal a value. A payload without readable fields
 * is hidden whole, because it may have the value in another form; so is one that is too large to look through.
 */
export class RecordMasks {
  readonly #paths: readonly (readonly string[])[];

  constructor(fields: readonly string[]) {
    this.#paths = fields.map((field) => field.toLowerCase().split('.'));
  }

  part(name: 'key' | 'value', part: FormattedPart | null): MaskedPart | null {
    if (part === null) return null;
    const own = this.#paths.filter(
      ([first, ...rest]) => first === name || (rest.length === 0 && isName(first!)),
    );
    if (own.length === 0) return part;
    const isWhole = own.some(([first, ...rest]) => first === name && rest.length === 0);
    if (isWhole || part.text.length > gatewayLimits.maskedFieldsBytesMax || !isTree(part))
      return { format: 'string', text: mask, isMasked: true };
    const hides = (path: readonly string[]) =>
      own.some(([first, ...rest]) =>
        first === name ? isPath(rest, path) : matchesWildcard(first!, path.at(-1)!.toLowerCase()),
      );
    const { text, count } = maskedJson(part.text, hides, JSON.stringify(mask));
    if (count === 0) return part;
    const { schema, format } = part;
    return {
      format: format === 'string' ? 'json' : format,
      text,
      isMasked: true,
      ...(schema === undefined ? {} : { schema }),
    };
  }

  headers(headers: RecordCursor['headers']): RecordCursor['headers'] {
    return headers.map((header) =>
      header.value !== null && this.#hidesHeader(header.key)
        ? { ...header, value: Buffer.from(mask) }
        : header,
    );
  }

  #hidesHeader(key: string): boolean {
    const name = key.toLowerCase();
    return this.#paths.some(([first, ...rest]) => {
      if (first === 'headers') return rest.length === 0 || matchesWildcard(rest.join('.'), name);
      return rest.length === 0 && isName(first!) && matchesWildcard(first!, name);
    });
  }
}

const isName = (first: string): boolean => !['key', 'value', 'headers'].includes(first);

/** Whether it is an object or a list, whose fields are known. */
function isTree({ format, text }: FormattedPart): boolean {
  if (format === 'base64' || !/^\s*[{[]/.test(text)) return false;
  return format !== 'string' || 'text' in jsonText(Buffer.from(text));
}

function isPath(pattern: readonly string[], path: readonly string[]): boolean {
  return (
    pattern.length === path.length &&
    pattern.every((name, level) => matchesWildcard(name, path[level]!.toLowerCase()))
  );
}
