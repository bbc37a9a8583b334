import { createHash } from 'node:crypto';
import { componentOf } from '../component/component-spec.ts';
import { eachMessageInTurn } from '../component/failures.ts';
import { durationMs, int, mapping, string } from '../component/field-types.ts';
import type { Batch, Message } from '../component/message.ts';
import { RedisClient, redisFields } from '../redis/redis-client.ts';
import { argumentOf, sentAgain, valueOfReply } from '../redis/redis-command.ts';
import type { Argument } from '../redis/redis-connection.ts';
import { RedisError, type Reply } from '../redis/resp-reader.ts';
import { argumentsFor } from '../sql/sql-arguments.ts';

export const redisScript = componentOf('processor', {
  name: 'redis_script',
  about: 'Executes a script in Lua on Redis for each message, which is replaced by the answer.',
  fields: {
    ...redisFields,
    script: string('The script.'),
    args_mapping: mapping('A mapping that returns the arguments of the script, `ARGV`, as a list.'),
    keys_mapping: mapping('A mapping that returns the keys of the script, `KEYS`, as a list.'),
    retries: int('How often a script that failed is repeated.').or(3).advanced(),
    retry_period: durationMs('The pause before a script is repeated.').or('500ms').advanced(),
  },
  open({ script, args_mapping, keys_mapping, retries, retry_period: periodMs = 500, ...fields }, context) {
    const client = new RedisClient(fields, context);
    const hash = createHash('sha1').update(script).digest('hex');

    /** The text is sent only if the server does not know the script yet. */
    async function executed(rest: readonly Argument[]): Promise<Reply> {
      try {
        return await client.send(['EVALSHA', hash, ...rest]);
      } catch (error) {
        if (!(error instanceof RedisError && error.message.startsWith('NOSCRIPT'))) throw error;
        return client.send(['EVAL', script, ...rest]);
      }
    }

    async function changed(
      message: Message,
      index: number,
      batch: Batch,
      stop: AbortSignal,
    ): Promise<Message> {
      const keys = argumentsFor(keys_mapping, batch, index, context, 'keys_mapping').map(argumentOf);
      const args = argumentsFor(args_mapping, batch, index, context).map(argumentOf);
      const reply = await sentAgain(
        () => executed([keys.length, ...keys, ...args]),
        { retries, periodMs },
        context.clock,
        stop,
      );
      if (reply === null) throw new Error('redis: nil');
      return message.withValue(valueOfReply(reply));
    }

    return {
      process: (batch, stop) =>
        eachMessageInTurn(batch, context, 'redis_script', (message, index) =>
          changed(message, index, batch, stop),
        ),
      close: () => client.close(),
    };
  },
});
