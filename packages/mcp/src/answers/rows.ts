import { type AnswerFormat, answerOf, type ToolAnswer } from './answer.ts';
import { cellOf } from './concise-text.ts';
import { cursorText, placeIn, questionOf } from './cursor.ts';
import { charsPerToken } from './tokens.ts';

type Row = Readonly<Record<string, unknown>>;

/** The common arguments of tools that list. */
interface ListArguments extends Readonly<Record<string, unknown>> {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly format: AnswerFormat;
  readonly max_tokens: number;
}

interface ListSpec {
  readonly tool: string;
  readonly args: ListArguments;
  /** The field with the rows. */
  readonly name: string;
  /** Columns of concise answers; detailed answers have all. */
  readonly concise: readonly string[];
  /** Fields before the rows. */
  readonly fields?: Row;
  /** The same, for fields that are known only after the rows. */
  readonly lateFields?: () => Row;
  readonly consoleUrl: string;
  /** The next step to suggest, given the rows that are shown. */
  readonly hint?: (shown: readonly Row[], hasMore: boolean) => string | undefined;
}

/** Answers with some rows of a list that is fully known. */
export async function answerOfRows<Item>(
  spec: ListSpec & {
    readonly items: readonly Item[];
    /** Identifies an item, to find the position again after the list has changed. */
    readonly keyOf: (item: Item) => string;
    /** The rows of the items that are shown. */
    readonly rowsOf: (items: readonly Item[]) => Promise<readonly Row[]> | readonly Row[];
  },
): Promise<ToolAnswer> {
  const { items, keyOf, rowsOf, args, tool } = spec;
  const question = questionOf(tool, args);
  const begin = args.cursor === undefined ? 0 : beginAfter(placeIn(args.cursor, question), items, keyOf);
  const wanted = items.slice(begin, begin + args.limit);
  const rows = await rowsOf(wanted);
  const shownCount = countThatFits(rows, spec);
  const end = begin + shownCount;
  const hasMore = end < items.length;
  const last = items[end - 1];
  const nextCursor = hasMore && last !== undefined ? cursorText(question, `${end - 1} ${keyOf(last)}`) : null;
  return finished(spec, rows.slice(0, shownCount), nextCursor, { total: items.length });
}

/** Answers with some rows of a list that comes in pages. */
export async function answerOfPages(
  spec: ListSpec & {
    readonly page: (
      limit: number,
      cursor: string | undefined,
    ) => Promise<{ readonly rows: readonly Row[]; readonly nextCursor: string | null }>;
  },
): Promise<ToolAnswer> {
  const { args, tool, page } = spec;
  const question = questionOf(tool, args);
  const place = args.cursor === undefined ? undefined : placeIn(args.cursor, question);
  let limit = args.limit;
  for (;;) {
    const { rows, nextCursor } = await page(limit, place);
    const shownCount = countThatFits(rows, spec);
    // If the end of a page does not fit, the page is requested again with a smaller limit, so that its cursor is right.
    if (shownCount < rows.length && shownCount < limit) {
      limit = shownCount;
      continue;
    }
    return finished(spec, rows, nextCursor === null ? null : cursorText(question, nextCursor));
  }
}

/** Returns the position after an item: where it was, or where it is now. If it is gone, where it would be. */
function beginAfter<Item>(place: string, items: readonly Item[], keyOf: (item: Item) => string): number {
  const at = place.indexOf(' ');
  const index = Number(place.slice(0, at));
  const key = place.slice(at + 1);
  if (!Number.isSafeInteger(index) || index < 0) return 0;
  const there = items[index];
  if (there !== undefined && keyOf(there) === key) return index + 1;
  const now = items.findIndex((item) => keyOf(item) === key);
  return now < 0 ? index : now + 1;
}

/** Reserve for brackets, names and counts. */
const reservedChars = 128;

/** At least one, since a row that is too long is itself cut. */
function countThatFits(rows: readonly Row[], { args, concise, fields = {} }: ListSpec): number {
  let charsLeft = args.max_tokens * charsPerToken - JSON.stringify(fields).length - reservedChars;
  let count = 0;
  for (const row of rows) {
    const shown = shownOf(row, concise, args.format);
    const chars =
      Math.max(JSON.stringify(shown).length, Object.values(shown).map(cellOf).join(' ').length) + 1;
    charsLeft -= chars;
    if (charsLeft < 0 && count > 0) break;
    count++;
  }
  return count;
}

function shownOf(row: Row, concise: readonly string[], format: AnswerFormat): Row {
  if (format === 'detailed') return row;
  return Object.fromEntries(concise.filter((name) => name in row).map((name) => [name, row[name]]));
}

function finished(
  spec: ListSpec,
  rows: readonly Row[],
  nextCursor: string | null,
  more: Row = {},
): ToolAnswer {
  const { args, name, concise, fields = {}, lateFields, consoleUrl, hint } = spec;
  const shown = rows.map((row) => shownOf(row, concise, args.format));
  const hasMore = nextCursor !== null;
  return answerOf(
    { ...fields, ...lateFields?.(), ...more, [name]: shown },
    {
      truncated: hasMore,
      next_cursor: nextCursor,
      hint: hint?.(shown, hasMore) ?? (hasMore ? moreHint : undefined),
      console_url: consoleUrl,
    },
    args,
  );
}

const moreHint = 'There are more; call again with cursor set to next_cursor, or ask for fewer.';
