import { componentOf } from '../component/component-spec.ts';
import { bool, int, string } from '../component/field-types.ts';
import { Message } from '../component/message.ts';

const defaultBytesMax = 65536;

/** Cuts at a delimiter. Bytes after the last one are a line too, if there are any. */
export async function* delimited(
  source: AsyncIterable<Buffer>,
  delimiter: Buffer,
  bytesMax: number,
): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    // A delimiter may begin in what was read before.
    let searched = Math.max(0, rest.length - delimiter.length + 1);
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (;;) {
      const at = rest.indexOf(delimiter, searched);
      if (at < 0) break;
      yield checked(rest.subarray(from, at), bytesMax);
      from = at + delimiter.length;
      searched = from;
    }
    rest = checked(rest.subarray(from), bytesMax);
  }
  if (rest.length > 0) yield rest;
}

function checked(line: Buffer, bytesMax: number): Buffer {
  if (line.length > bytesMax)
    throw new Error(`a line has more than ${bytesMax} bytes; raise max_buffer_size of the scanner`);
  return line;
}

const newline = Buffer.from('\n');
const carriageReturn = 0x0d;

export const lines = componentOf('scanner', {
  name: 'lines',
  about: 'Makes a message of each line.',
  fields: {
    custom_delimiter: string('What ends a line, instead of a line break.').optional(),
    max_buffer_size: int('The bytes that a line may have.').or(defaultBytesMax),
    omit_empty: bool('Whether empty lines are left out.').or(false),
  },
  open: ({ custom_delimiter: custom, max_buffer_size: bytesMax, omit_empty: omitsEmpty }) => ({
    async *scan(source) {
      const delimiter = custom === undefined || custom === '' ? newline : Buffer.from(custom);
      for await (const line of delimited(source, delimiter, bytesMax)) {
        const hasReturn = delimiter === newline && line.at(-1) === carriageReturn;
        const content = hasReturn ? line.subarray(0, -1) : line;
        if (content.length > 0 || !omitsEmpty) yield [Message.of(content)];
      }
    },
  }),
});
