import type { RE2JS } from 're2js';
import { componentOf } from '../component/component-spec.ts';
import { int } from '../component/field-types.ts';
import { Message } from '../component/message.ts';
import { pattern } from '../component/pattern-field.ts';

const defaultBytesMax = 65536;

/** Where the first two matches begin. */
function startsIn(expression: RE2JS, text: string): number[] {
  const matcher = expression.matcher(text);
  const starts: number[] = [];
  while (starts.length < 2 && matcher.find()) starts.push(matcher.start());
  return starts;
}

/** Where a message ends that begins at the start of the text; `undefined` if more has to be read. */
function endOf(expression: RE2JS, text: string, isEnd: boolean): number | undefined {
  const [first, second] = startsIn(expression, text);
  if (first === undefined) return isEnd ? text.length : undefined;
  if (second === undefined && !isEnd) return undefined;
  return first > 0 ? first : (second ?? text.length);
}

export const reMatch = componentOf('scanner', {
  name: 're_match',
  about: 'Makes a message of each part that begins with a match of a pattern.',
  fields: {
    pattern: pattern('What messages begin with, as a pattern of RE2.'),
    max_buffer_size: int('The bytes that a message may have.').or(defaultBytesMax),
  },
  open: ({ pattern: expression, max_buffer_size: bytesMax }) => ({
    async *scan(source) {
      // One character for each byte keeps all bytes as they are.
      let text = '';
      let searched = 0;
      for await (const chunk of source) {
        text += chunk.toString('latin1');
        // A part that is not complete is searched again when there is twice as much.
        if (text.length < searched * 2 && text.length <= bytesMax) continue;
        for (;;) {
          const end = endOf(expression, text, false);
          if (end === undefined) break;
          if (end > bytesMax) break;
          yield [Message.of(Buffer.from(text.slice(0, end), 'latin1'))];
          text = text.slice(end);
        }
        searched = text.length;
        if (text.length > bytesMax)
          throw new Error(`a message has more than ${bytesMax} bytes; raise max_buffer_size of the scanner`);
      }
      while (text.length > 0) {
        const end = endOf(expression, text, true)!;
        yield [Message.of(Buffer.from(text.slice(0, end), 'latin1'))];
        text = text.slice(end);
      }
    },
  }),
});
