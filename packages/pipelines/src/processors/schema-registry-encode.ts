import { parseDocument } from '@weir/bloblang';
import { RecentlyUsed } from '@weir/core';
import { componentOf } from '../component/component-spec.ts';
import { eachMessageLater } from '../component/failures.ts';
import { durationMs, interpolated } from '../component/field-types.ts';
import { pipelineLimits } from '../limits.ts';
import { registryFields } from './registry-fields.ts';

const prefixBytes = 5;

/** The last version of a subject, and when it was asked for. */
interface KnownSubject {
  id: Promise<number> | undefined;
  askedMs: number;
}

export const schemaRegistryEncode = componentOf('processor', {
  name: 'schema_registry_encode',
  about:
    'Encodes messages by the last version of a subject of a registry, and writes the id of the schema before them.',
  fields: {
    ...registryFields,
    subject: interpolated('The subject.'),
    refresh_period: durationMs('After how long the last version of a subject is asked for again.').or('10m'),
  },
  async open({ subject, refresh_period: refreshMs = 600_000, ...fields }, context) {
    const { RegistryCodecs } = await import('./registry-codecs.ts');
    const codecs = await RegistryCodecs.open(fields, context);
    const subjects = new RecentlyUsed<KnownSubject>(pipelineLimits.registrySubjectsMax);
    const idOf = (name: string): Promise<number> => {
      const nowMs = context.clock.monotonicMs();
      const known = subjects.of(name, () => ({ id: undefined, askedMs: 0 }));
      if (known.id !== undefined && nowMs - known.askedMs < refreshMs) return known.id;
      const before = known.id;
      // While the registry is away, the version that was known is used.
      const asked = codecs.latestId(name, context.stop).catch((error: unknown) => {
        known.id = before;
        if (before !== undefined) return before;
        throw error;
      });
      Object.assign(known, { id: asked, askedMs: nowMs });
      return asked;
    };
    return {
      process: (batch) =>
        eachMessageLater(batch, context, 'schema_registry_encode', async (message, index) => {
          const id = await idOf(subject.text(batch, index, context.mappingPorts));
          const codec = await codecs.byId(id);
          const { content } = message;
          const payload = codec.encode(parseDocument(content), content);
          const prefix = Buffer.alloc(prefixBytes);
          prefix.writeUInt32BE(id, 1);
          return message.withContent(Buffer.concat([prefix, payload]));
        }),
      close: async () => codecs.close(),
    };
  },
});
