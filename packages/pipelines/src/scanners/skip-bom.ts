import { componentOf } from '../component/component-spec.ts';
import { child } from '../component/field-types.ts';

/** Longer ones first: one of UTF-16 is the beginning of one of UTF-32. */
const marks = ['0000feff', 'fffe0000', 'efbbbf', 'feff', 'fffe'].map((mark) => Buffer.from(mark, 'hex'));
const markBytesMax = 4;

/** Without the mark that says how a text is encoded. */
async function* withoutMark(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let start: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of source) {
    if (start === undefined) yield chunk;
    else {
      start = Buffer.concat([start, chunk]);
      if (start.length < markBytesMax) continue;
      yield unmarked(start);
      start = undefined;
    }
  }
  if (start !== undefined) yield unmarked(start);
}

function unmarked(bytes: Buffer): Buffer {
  const mark = marks.find((one) => bytes.subarray(0, one.length).equals(one));
  return bytes.subarray(mark?.length ?? 0);
}

export const skipBom = componentOf('scanner', {
  name: 'skip_bom',
  about: 'Leaves out the mark at the beginning that says how a text is encoded.',
  fields: { into: child('scanner', 'How the rest is cut into messages.').or({ to_the_end: {} }) },
  async open({ into }, context) {
    const scanner = await context.open(into);
    return { scan: (source, name) => scanner.scan(withoutMark(source), name) };
  },
});
