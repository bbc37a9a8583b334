import { compressors, decompressors } from '@weir/bloblang';
import { OutputLimitExceeded } from '@weir/wire';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { eachMessage } from '../component/failures.ts';
import { int, string } from '../component/field-types.ts';
import type { Processor } from '../component/instances.ts';
import { pipelineLimits } from '../limits.ts';

function algorithm(codecs: object) {
  const names = Object.keys(codecs).toSorted().join(', ');
  return string(`One of ${names}.`).check((name) =>
    Object.hasOwn(codecs, name) ? undefined : `has to be one of ${names}`,
  );
}

export const compress = componentOf('processor', {
  name: 'compress',
  about: 'Compresses the content of each message.',
  fields: {
    algorithm: algorithm(compressors),
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
  fields: { algorithm: algorithm(decompressors) },
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
  const isTooLarge =
    error instanceof OutputLimitExceeded || ('code' in error && error.code === 'ERR_BUFFER_TOO_LARGE');
  return isTooLarge ? `it has more than ${pipelineLimits.expandedBytesMax} bytes` : error.message;
}
