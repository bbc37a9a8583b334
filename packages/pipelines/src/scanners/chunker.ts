import { componentOf } from '../component/component-spec.ts';
import { int } from '../component/field-types.ts';
import { Message } from '../component/message.ts';
import { pipelineLimits } from '../limits.ts';

export const chunker = componentOf('scanner', {
  name: 'chunker',
  about: 'Makes messages of a fixed size; the last one may be smaller.',
  fields: {
    size: int('The bytes of a message.').check((size) =>
      size >= 1 && size <= pipelineLimits.scannedMessageBytesMax
        ? undefined
        : `has to be from 1 to ${pipelineLimits.scannedMessageBytesMax}`,
    ),
  },
  open: ({ size }) => ({
    async *scan(source) {
      let chunks: Buffer[] = [];
      let count = 0;
      for await (const chunk of source) {
        chunks.push(chunk);
        count += chunk.length;
        if (count < size) continue;
        const bytes = Buffer.concat(chunks);
        let at = 0;
        for (; bytes.length - at >= size; at += size) yield [Message.of(bytes.subarray(at, at + size))];
        chunks = [bytes.subarray(at)];
        count = bytes.length - at;
      }
      if (count > 0) yield [Message.of(Buffer.concat(chunks))];
    },
  }),
});
