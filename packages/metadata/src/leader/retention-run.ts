import type { Clock } from '@weir/core';
import type { Command, ReplyOf } from '@weir/machine';

/** Others get their turn between two steps. */
const pauseMs = 10;

/** Looks at all partitions once for records that are too old or too many, some at a time. Returns how many logs were cut. */
export async function runRetention(
  submit: <C extends Command>(command: C) => Promise<ReplyOf<C>>,
  clock: Clock,
): Promise<number> {
  let moved = 0;
  let from = { topicNumber: 0, partition: 0 };
  for (;;) {
    const reply = await submit({ kind: 'applyRetention', from });
    moved += reply.moved;
    if (reply.next === null) return moved;
    from = reply.next;
    await new Promise<void>((resolve) => clock.after(pauseMs, resolve));
  }
}
