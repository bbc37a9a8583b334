import { Readable, type Transform } from 'node:stream';
import { createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { decompressors } from '@weir/bloblang';
import { componentOf } from '../component/component-spec.ts';
import { child, string } from '../component/field-types.ts';
import { pipelineLimits } from '../limits.ts';
import { wholeOf } from './whole.ts';

/** Those that decompress while they read; the others take all at once, up to a limit. */
const streaming: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(),
  pgzip: () => createGunzip(),
  zlib: () => createInflate(),
  flate: () => createInflateRaw(),
};

const algorithms = [...new Set([...Object.keys(streaming), ...Object.keys(decompressors)])].toSorted();

async function* decompressed(source: AsyncIterable<Buffer>, algorithm: string): AsyncGenerator<Buffer> {
  const make = streaming[algorithm];
  if (make === undefined) {
    yield decompressors[algorithm]!(await wholeOf(source), pipelineLimits.scannedMessageBytesMax);
    return;
  }
  const transform = make();
  const bytes = Readable.from(source, { objectMode: false });
  bytes.once('error', (error) => transform.destroy(error));
  try {
    for await (const chunk of bytes.pipe(transform)) yield chunk as Buffer;
  } finally {
    bytes.destroy();
    transform.destroy();
  }
}

export const decompress = componentOf('scanner', {
  name: 'decompress',
  about: 'Decompresses, and cuts the result into messages.',
  fields: {
    algorithm: string(`One of ${algorithms.join(', ')}.`).check((name) =>
      algorithms.includes(name) ? undefined : `has to be one of ${algorithms.join(', ')}`,
    ),
    into: child('scanner', 'How the result is cut into messages.').or({ to_the_end: {} }),
  },
  async open({ algorithm, into }, context) {
    const scanner = await context.open(into);
    return { scan: (source, name) => scanner.scan(decompressed(source, algorithm), name) };
  },
});
