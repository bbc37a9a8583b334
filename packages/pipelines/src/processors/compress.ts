import { compressors, decompressors } from '@weir/bloblang';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { eachMessage } from '../component/failures.ts';
import { int, string } from '../component/field-types.ts';
import type { Processor } from '../component/instances.ts';
import { pipelineLimits } from '../limits.ts';

const algorithms = Object.keys(compressors).toSorted();

function algorithm(about: string) {
  return string(about).check((name) => {
    if (Object.hasOwn(compressors, name)) return undefined;
    return name === 'bzip2'
      ? `has to be one of ${algorithms.join(', ')}: bzip2 is not available in this release`
      : `has to be one of ${algorithms.join(', ')}`;
  });
}

export const compress = componentOf('processor', {
  name: 'compress',
  about: 'Compresses the content of each message.',
  fields: {
    algorithm: algorithm(`One of ${algorithms.join(', ')}.`),
    level: int('How much is compressed; -1 is the usual. Only flate, gzip, pgzip and zlib have levels.').or(
      -1,
    ),
  },
  open: ({ algorithm: name, level }, context) =>
    changing(name, 'compress', context, (content) => compressors[name]!(content, level)),
});

export const decompress = componentOf('processor', {
  name: 'decompress',
  about: 'Decompresses the content of each message, up to a limit.',
  fields: { algorithm: algorithm(`One of ${algorithms.join(', ')}.`) },
  open: ({ algorithm: name }, context) =>
    changing(name, 'decompress', context, (content) =>
      decompressors[name]!(content, pipelineLimits.expandedBytesMax),
    ),
});

function changing(
  algorithmName: string,
  type: string,
  context: ComponentContext,
  change: (content: Buffer) => Buffer,
): Processor {
  return {
    process: (batch) =>
      eachMessage(batch, context, type, (message) => {
        try {
          return message.withContent(change(message.content));
        } catch (error) {
          throw new Error(`failed to ${type} as ${algorithmName}: ${reasonFor(error)}`, { cause: error });
        }
      }),
  };
}

function reasonFor(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isTooLarge = 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
  return isTooLarge ? `it has more than ${pipelineLimits.expandedBytesMax} bytes` : error.message;
}
