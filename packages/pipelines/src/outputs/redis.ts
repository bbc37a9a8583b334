import { textOf, type Value } from '@weir/bloblang';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { object } from '../component/field.ts';
import { bool, int, interpolated, list, map, oneOf, string } from '../component/field-types.ts';
import { BatchFailure, type Output } from '../component/instances.ts';
import type { Batch } from '../component/message.ts';
import { batching } from '../engine/batch-policy.ts';
import { maxInFlight, pacedOutput } from '../engine/open-output.ts';
import { RedisClient, redisFields } from '../redis/redis-client.ts';
import type { Argument } from '../redis/redis-connection.ts';

type RedisValues = ConstructorParameters<typeof RedisClient>[0];

/** Sends a command for each message of a batch, all at once, and knows which failed. */
function commandOutput(
  fields: RedisValues,
  context: ComponentContext,
  commandFor: (batch: Batch, index: number) => readonly Argument[],
): Output {
  const client = new RedisClient(fields, context);
  return {
    async write(batch) {
      const connection = await client.connection();
      const failed = new Map<number, Error>();
      await Promise.all(
        batch.map(async (_, index) => {
          try {
            await connection.send(commandFor(batch, index));
          } catch (error) {
            failed.set(index, error as Error);
          }
        }),
      );
      if (failed.size > 0) throw new BatchFailure(failed);
    },
    close: () => client.close(),
  };
}

const redisList = componentOf('output', {
  name: 'redis_list',
  connectionsCountedBy: 'itself',
  about: 'Pushes each message to a list of Redis.',
  fields: {
    ...redisFields,
    key: interpolated('The key of the list.'),
    max_in_flight: maxInFlight.or(64),
    batching,
    command: oneOf('Whether messages are pushed to the end or to the beginning.', ['rpush', 'lpush'])
      .or('rpush')
      .advanced(),
  },
  open(fields, context) {
    const output = commandOutput(fields, context, (batch, index) => [
      fields.command,
      fields.key.text(batch, index, context.mappingPorts),
      batch[index]!.content,
    ]);
    return pacedOutput(output, fields, context);
  },
});

const redisPubsub = componentOf('output', {
  name: 'redis_pubsub',
  connectionsCountedBy: 'itself',
  about: 'Publishes each message to a channel of Redis. Who does not listen at that moment does not get it.',
  fields: {
    ...redisFields,
    channel: interpolated('The channel.'),
    max_in_flight: maxInFlight.or(64),
    batching,
  },
  open(fields, context) {
    const output = commandOutput(fields, context, (batch, index) => [
      'PUBLISH',
      fields.channel.text(batch, index, context.mappingPorts),
      batch[index]!.content,
    ]);
    return pacedOutput(output, fields, context);
  },
});

const redisStreams = componentOf('output', {
  name: 'redis_streams',
  connectionsCountedBy: 'itself',
  about: 'Adds each message to a stream of Redis, with its metadata as fields.',
  fields: {
    ...redisFields,
    stream: interpolated('The stream.'),
    body_key: string('The field of the content.').or('body'),
    max_length: int('About how many entries the stream keeps; 0 is all.').or(0),
    max_in_flight: maxInFlight.or(64),
    metadata: object('Which metadata of messages entries have.', {
      exclude_prefixes: list('Keys that begin with one of these are left out.', string('A prefix.')).or([]),
    }),
    batching,
  },
  open(fields, context) {
    const { exclude_prefixes: excluded } = fields.metadata;
    const output = commandOutput(fields, context, (batch, index) => {
      const { metadata, content } = batch[index]!;
      const entries = [...metadata].filter(
        ([key]) => key !== fields.body_key && !excluded.some((prefix) => key.startsWith(prefix)),
      );
      return [
        'XADD',
        fields.stream.text(batch, index, context.mappingPorts),
        ...(fields.max_length > 0 ? ['MAXLEN', '~', fields.max_length] : []),
        '*',
        ...entries.flatMap(([key, value]) => [key, textOf(value)]),
        fields.body_key,
        content,
      ];
    });
    return pacedOutput(output, fields, context);
  },
});

const redisHash = componentOf('output', {
  name: 'redis_hash',
  connectionsCountedBy: 'itself',
  about: 'Sets fields of a hash of Redis for each message.',
  fields: {
    ...redisFields,
    key: interpolated('The key of the hash.'),
    walk_metadata: bool('Whether metadata become fields.').or(false),
    walk_json_object: bool('Whether the fields of the document become fields.').or(false),
    fields: map('Fields by their names; they override others.', interpolated('The value.')).or({}),
    max_in_flight: maxInFlight.or(64),
  },
  check({ walk_metadata, walk_json_object, fields }, reading, place) {
    if (!walk_metadata && !walk_json_object && fields?.size === 0)
      reading.problem(place, 'walk_metadata, walk_json_object or fields has to be set');
  },
  open(fields, context) {
    const output = commandOutput(fields, context, (batch, index) => {
      const message = batch[index]!;
      const found = new Map<string, string>();
      const add = (values: Iterable<readonly [string, Value]>) => {
        for (const [key, value] of values) found.set(key, textOf(value));
      };
      if (fields.walk_metadata) add(message.metadata);
      if (fields.walk_json_object) add(Object.entries(objectIn(message.document())));
      for (const [key, value] of fields.fields)
        found.set(key, value.text(batch, index, context.mappingPorts));
      return ['HSET', fields.key.text(batch, index, context.mappingPorts), ...[...found].flat()];
    });
    return pacedOutput(output, fields, context);
  },
});

function objectIn(value: Value): Record<string, Value> {
  if (value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype)
    return value as Record<string, Value>;
  throw new Error('the message is not an object');
}

export const redisOutputs = [redisHash, redisList, redisPubsub, redisStreams];
