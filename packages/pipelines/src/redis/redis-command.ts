import { textOf, type Value } from '@weir/bloblang';
import { type Clock, pauseUnlessStopped } from '@weir/core';
import type { SqlArgument } from '../sql/database.ts';
import type { Argument } from './redis-connection.ts';
import { RedisError, type Reply } from './resp-reader.ts';

interface Repeats {
  readonly retries: number;
  readonly periodMs: number;
}

/** Sends until there is an answer. What Redis refuses, it refuses again. */
export async function sentAgain(
  send: () => Promise<Reply>,
  { retries, periodMs }: Repeats,
  clock: Clock,
  stop: AbortSignal,
): Promise<Reply> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (attempt >= retries || stop.aborted || error instanceof RedisError) throw error;
    }
    await pauseUnlessStopped(clock, periodMs, stop);
  }
}

/** What a mapping returned, as an argument of a command. */
export function argumentOf(value: SqlArgument): Argument {
  if (value === null) return '';
  return typeof value === 'bigint' ? String(value) : value;
}

/** An answer as a document. */
export function valueOfReply(reply: Reply): Value {
  if (reply instanceof RedisError) return textOf(reply.message);
  if (Buffer.isBuffer(reply)) return reply.toString();
  return Array.isArray(reply) ? reply.map(valueOfReply) : (reply as Value);
}
