import type { Clock } from '@weir/core';
import type { Command, ReplyOf } from '@weir/machine';

/** Other work runs between two steps. */
const pauseMs = 10;

/** Applies retention by age and size to all partitions once, a few at a time. Returns the number of truncated logs. */
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
