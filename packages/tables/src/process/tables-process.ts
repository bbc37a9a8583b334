/** The process that writes tables; `TablesHost` is its owner. */
import { constants, setPriority } from 'node:os';
import { type LogFields, type LogLevel, systemClock, systemRandom } from '@weir/core';
import type { StoreOperation } from '@weir/storage';
import { tableLimits } from '../limits.ts';
import { boundedLog } from './bounded-log.ts';
import type { FromTables, TableEventMessage, ToTables } from './process-messages.ts';
import { needsOperator, TableWorks } from './table-works.ts';

const clock = systemClock;
const running = new Map<number, AbortController>();
let works: TableWorks | undefined;

// Clients of the agent come first.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

function send(message: FromTables): void {
  if (process.connected) process.send!(message, () => {});
}

const log = boundedLog((level: LogLevel, message: string, fields: LogFields) =>
  send({ kind: 'log', level, message, fields }),
);

process.on('message', (message: ToTables) => {
  if (message.kind === 'settings')
    works = new TableWorks({
      settings: message.settings,
      onStates: (tables) => send({ kind: 'states', tables }),
      onReplays: (replays) => send({ kind: 'replays', replays }),
      onCounts: (counts) => send({ kind: 'counts', counts }),
      onVerified: (outcome) => send({ kind: 'verified', outcome }),
      onRequest: (bucket, { operation }) => countRequest(bucket, operation),
      clock,
      random: systemRandom,
      log,
    });
  else if (message.kind === 'stop') running.get(message.id)?.abort(new Error('it has to stop'));
  else void run(works!, message);
});
// Without its agent it has nothing to do.
process.on('disconnect', () => process.exit());

type Work = Extract<ToTables, { readonly kind: 'ingest' | 'maintain' | 'replay' | 'remove' | 'ask' }>;

async function run(table: TableWorks, work: Work): Promise<void> {
  const { id } = work;
  const stop = new AbortController();
  running.set(id, stop);
  const { signal } = stop;
  const onEvent = (event: TableEventMessage) => send({ kind: 'event', id, event });
  try {
    const message = await workOf(table, work, { signal, onEvent });
    send({ kind: 'done', id, message });
  } catch (error) {
    const message = (error instanceof Error ? error.message : String(error)).replaceAll(/\s*\n\s*/g, ' ');
    send({
      kind: 'failed',
      id,
      message: message.slice(0, tableLimits.tableJobMessageCharsMax),
      needsOperator: needsOperator(error),
    });
  } finally {
    running.delete(id);
  }
}

function workOf(
  table: TableWorks,
  work: Work,
  options: { readonly signal: AbortSignal; readonly onEvent: (event: TableEventMessage) => void },
): Promise<string> {
  switch (work.kind) {
    case 'ask':
      return table.ask(work.text, { signal: options.signal, limitMs: work.limitMs });
    case 'ingest':
      return table.ingest(work.task, options);
    case 'maintain':
      return table.maintain(work.task, options);
    case 'replay':
      return table.replay(work.task, options);
    case 'remove':
      return table.remove(work.task, options);
  }
}

const requests = new Map<string, Map<StoreOperation, number>>();

function countRequest(bucket: string, operation: StoreOperation): void {
  const counts = requests.get(bucket) ?? new Map<StoreOperation, number>();
  requests.set(bucket, counts);
  counts.set(operation, (counts.get(operation) ?? 0) + 1);
}

/** Says that it is alive, and what it asked of buckets. */
function beat(): void {
  clock.after(tableLimits.processBeatMs, beat);
  send({ kind: 'beat' });
  for (const [bucket, operations] of requests)
    send({ kind: 'requested', bucket, operations: [...operations] });
  requests.clear();
}
beat();
