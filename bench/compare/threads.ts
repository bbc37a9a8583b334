/** What threads do, as far as their names show. */
type ThreadGroup = 'main' | 'workers' | 'requests' | 'files' | 'GC' | 'compiler' | 'V8 helpers' | 'other';

/** First match wins. The system cuts names after 15 characters. */
const namePatterns: readonly (readonly [RegExp, ThreadGroup])[] = [
  // Node. V8's helpers run concurrent GC and the compiler, and their names do not show which. A scavenge or a final
  // mark runs on the thread that allocates, and is part of its time.
  [/^MainThread$/, 'main'],
  [/^WorkerThread/, 'workers'],
  [/^libuv-worker/, 'files'],
  [/^(?:V8Worker|DelayedTaskSche)/, 'V8 helpers'],
  // The JVM of Kafka. Its VM thread mostly starts and ends collections.
  [/^(?:GC Thread|G1 |VM Thread)/, 'GC'],
  [/^C[12] Compiler/, 'compiler'],
  [/^(?:data-plane|kafka-request|kafka-network)/, 'requests'],
];

export function threadGroupOf(name: string): ThreadGroup {
  return namePatterns.find(([pattern]) => pattern.test(name))?.[1] ?? 'other';
}

/** Seconds by group between two readings. Threads that ended in between are in `other`, known from the total. */
export function groupSeconds(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  totalSeconds: number,
): ReadonlyMap<ThreadGroup, number> {
  const groups = new Map<ThreadGroup, number>();
  let known = 0;
  for (const [name, seconds] of after) {
    const used = Math.max(0, seconds - (before.get(name) ?? 0));
    if (used === 0) continue;
    const group = threadGroupOf(name);
    groups.set(group, (groups.get(group) ?? 0) + used);
    known += used;
  }
  const ended = totalSeconds - known;
  // Two readings of the clock ticks are not simultaneous; a tick is not a thread.
  if (ended > 0.05) groups.set('other', (groups.get('other') ?? 0) + ended);
  return groups;
}
