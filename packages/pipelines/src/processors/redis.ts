import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { eachMessageInTurn } from '../component/failures.ts';
import { durationMs, int, interpolated, mapping, oneOf } from '../component/field-types.ts';
import type { Interpolated } from '../component/interpolated.ts';
import type { Batch, Message } from '../component/message.ts';
import { RedisClient, redisFields } from '../redis/redis-client.ts';
import { argumentOf, sentAgain, valueOfReply } from '../redis/redis-command.ts';
import type { Argument } from '../redis/redis-connection.ts';
import { argumentsFor } from '../sql/sql-arguments.ts';

const operators = ['keys', 'scard', 'sadd', 'incrby'] as const;

/** Commands that change the connection, or never end. */
const refused = new Set(
  'subscribe psubscribe ssubscribe monitor multi exec discard watch auth hello select quit reset client sync psync'.split(
    ' ',
  ),
);

export const redisProcessor = componentOf('processor', {
  name: 'redis',
  about: 'Executes a command of Redis for each message, which is replaced by the answer.',
  fields: {
    ...redisFields,
    command: interpolated('The command, such as `scard`.').optional(),
    args_mapping: mapping('A mapping that returns the arguments of the command as a list.').optional(),
    operator: oneOf('One of a few commands.', operators).optional().deprecated('use command'),
    key: interpolated('The key of the operator.').optional().deprecated('use args_mapping'),
    retries: int('How often a command that failed is repeated.').or(3).advanced(),
    retry_period: durationMs('The pause before a command is repeated.').or('500ms').advanced(),
  },
  check({ command, operator, args_mapping }, reading, place) {
    if ((command === undefined) === (operator === undefined))
      reading.problem(place, 'either command or operator has to be set');
    if (operator !== undefined && args_mapping !== undefined)
      reading.problem(place, 'args_mapping is for command, and operator is set');
  },
  open(fields, context) {
    const client = new RedisClient(fields, context);
    const { retries, retry_period: periodMs = 500 } = fields;

    async function changed(
      message: Message,
      index: number,
      batch: Batch,
      stop: AbortSignal,
    ): Promise<Message> {
      const command = commandFor(fields, message, { batch, index }, context);
      if (refused.has(String(command[0]).toLowerCase()))
        throw new Error(`the command ${command[0]} is not allowed`);
      const reply = await sentAgain(() => client.send(command), { retries, periodMs }, context.clock, stop);
      if (reply === null) throw new Error('redis: nil');
      return message.withValue(valueOfReply(reply));
    }

    return {
      process: (batch, stop) =>
        eachMessageInTurn(batch, context, 'redis', (message, index) => changed(message, index, batch, stop)),
      close: () => client.close(),
    };
  },
});

interface CommandFields {
  readonly command?: Interpolated | undefined;
  readonly args_mapping?: Parameters<typeof argumentsFor>[0];
  readonly operator?: (typeof operators)[number] | undefined;
  readonly key?: Interpolated | undefined;
}

function commandFor(
  { command, args_mapping, operator, key }: CommandFields,
  message: Message,
  { batch, index }: { readonly batch: Batch; readonly index: number },
  context: ComponentContext,
): Argument[] {
  if (command !== undefined) {
    const args = argumentsFor(args_mapping, batch, index, context);
    return [command.text(batch, index, context.mappingPorts), ...args.map(argumentOf)];
  }
  const target = key?.text(batch, index, context.mappingPorts) ?? '';
  switch (operator) {
    case 'sadd':
      return ['SADD', target, message.content];
    case 'incrby':
      return ['INCRBY', target, message.content];
    case 'scard':
      return ['SCARD', target];
    default:
      return ['KEYS', target];
  }
}
