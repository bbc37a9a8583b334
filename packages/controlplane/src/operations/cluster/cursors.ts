import { OperationFailed } from '../operation-failed.ts';

/** The end of a page: a number and a name, which together define the order of the list. */
export interface Place {
  readonly number: number;
  readonly name: string;
}

/** Encodes the start of the next page. Names may contain any characters. */
export function cursorOf({ number, name }: Place): string {
  const head = Buffer.alloc(8);
  head.writeDoubleBE(number);
  return Buffer.concat([head, Buffer.from(name, 'utf16le')]).toString('base64url');
}

export function placeOf(cursor: string): Place {
  const bytes = Buffer.from(cursor, 'base64url');
  const number = bytes.length >= 8 && bytes.length % 2 === 0 ? bytes.readDoubleBE() : Number.NaN;
  if (Number.isNaN(number))
    throw new OperationFailed('invalid_request', 'cursor: is not a cursor of an earlier response');
  return { number, name: bytes.toString('utf16le', 8) };
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** Returns a page of a list in the order of `placeOf`: larger numbers first, then names. */
export function pageOf<Item>(
  items: readonly Item[],
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  placeOfItem: (item: Item) => Place,
): Page<Item> {
  const after = cursor === undefined ? undefined : placeOf(cursor);
  const rest =
    after === undefined ? items : items.filter((item) => comparePlaces(after, placeOfItem(item)) < 0);
  const shown = rest.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rest.length > shown.length && last !== undefined;
  return { items: shown, nextCursor: hasMore ? cursorOf(placeOfItem(last)) : null };
}

/** Larger numbers first, then names by their code units. */
export function comparePlaces(a: Place, b: Place): number {
  if (a.number !== b.number) return b.number - a.number;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
