import { StringDecoder } from 'node:string_decoder';
import { componentOf } from '../component/component-spec.ts';
import { bool, int, list, string } from '../component/field-types.ts';
import { Message } from '../component/message.ts';
import { pipelineLimits } from '../limits.ts';
import { recordAt } from './csv-records.ts';

interface Options {
  readonly delimiter: string;
  readonly isLazy: boolean;
}

interface Row {
  readonly fields: readonly string[];
  readonly problem?: string | undefined;
}

/** The records of a text that is read in parts. */
async function* rowsOf(source: AsyncIterable<Buffer>, options: Options): AsyncGenerator<Row> {
  const decoder = new StringDecoder('utf8');
  let text = '';
  // A record that is not complete is read again when there is twice as much, so that the cost stays linear.
  let enough = 0;
  function* complete(isEnd: boolean): Generator<Row> {
    let at = 0;
    while (at < text.length) {
      const emptyLine = /\r?\n/y;
      emptyLine.lastIndex = at;
      if (emptyLine.test(text)) {
        at = emptyLine.lastIndex;
        continue;
      }
      const record = recordAt(text, at, { ...options, isEnd });
      if (record === undefined) break;
      at = record.next;
      yield record;
    }
    text = text.slice(at);
    enough = at === 0 ? text.length * 2 : 0;
    if (text.length > pipelineLimits.scannedMessageBytesMax) throw new Error('a row is too long');
  }
  for await (const chunk of source) {
    text += decoder.write(chunk);
    if (text.length >= enough) yield* complete(false);
  }
  text += decoder.end();
  yield* complete(true);
}

export const csv = componentOf('scanner', {
  name: 'csv',
  about: 'Makes a message of each row of a CSV text, with the metadata `csv_row`.',
  fields: {
    custom_delimiter: string('What is between fields, instead of a comma.')
      .optional()
      .check((delimiter) =>
        [...(delimiter ?? '')].length === 1 && delimiter!.length === 1
          ? undefined
          : 'has to be one character',
      ),
    parse_header_row: bool('Whether the first row has the names of fields, and messages are objects.').or(
      true,
    ),
    lazy_quotes: bool('Whether quotes may be where they should not be.').or(false),
    continue_on_error: bool(
      'Whether a row that cannot be read becomes a failed message, and reading goes on.',
    ).or(false),
    expected_headers: list('The names that the first row has to have.', string('A name.')).optional(),
    expected_number_of_fields: int('How many fields a row has to have.')
      .optional()
      .check((count) => ((count ?? 1) < 1 ? 'has to be 1 or more' : undefined)),
  },
  check({ parse_header_row: hasHeader, expected_headers: expected }, reading, place) {
    if (hasHeader === false && (expected?.length ?? 0) > 0)
      reading.problem(
        place,
        'expected_headers has no effect if parse_header_row is false; remove one of them',
      );
  },
  open: (fields) => ({
    async *scan(source) {
      const delimiter = fields.custom_delimiter ?? ',';
      let count = fields.expected_number_of_fields;
      let header: readonly string[] | undefined;
      let row = 0;
      for await (const read of rowsOf(source, { delimiter, isLazy: fields.lazy_quotes })) {
        count ??= read.fields.length;
        const problem = read.problem ?? (read.fields.length === count ? undefined : 'wrong number of fields');
        const at = row + (header === undefined ? 1 : 2);
        if (
          problem !== undefined &&
          (!fields.continue_on_error || (fields.parse_header_row && header === undefined))
        )
          throw new Error(`record ${at} of the CSV: ${problem}`);
        if (fields.parse_header_row && header === undefined) {
          header = read.fields;
          const expected = fields.expected_headers ?? [];
          if (expected.length > 0 && expected.join('\0') !== header.join('\0'))
            throw new Error(`the CSV has the columns ${header.join(', ')}, and not ${expected.join(', ')}`);
          continue;
        }
        const named = header?.slice(0, read.fields.length).map((name, index) => [name, read.fields[index]!]);
        const message = new Message({
          value: named === undefined ? [...read.fields] : Object.fromEntries(named),
          metadata: new Map([['csv_row', row++]]),
        });
        yield [
          problem === undefined
            ? message
            : message.withError({ message: `record ${at} of the CSV: ${problem}` }),
        ];
      }
    },
  }),
});
