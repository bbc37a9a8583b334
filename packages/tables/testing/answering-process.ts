/** Stands for the process of tables: the name of a table says what it does. */
import type { FromTables, ToTables } from '../src/process/process-messages.ts';

const send = (message: FromTables) => void process.send!(message);
const waiting = new Set<number>();

process.on('message', (message: ToTables) => {
  if (message.kind === 'settings') return;
  if (message.kind === 'stop') {
    if (waiting.delete(message.id)) send({ kind: 'done', id: message.id, message: 'wrote 1 rows' });
    return;
  }
  const { id } = message;
  if (message.kind === 'ask') {
    send({ kind: 'done', id, message: `asked ${message.text}` });
    return;
  }
  const { tableName, tableUuid } = message.task;
  switch (tableName) {
    case 'crash':
      process.stderr.write('terminate called after throwing an instance of planted\n');
      process.abort();
      break;
    case 'heap': {
      const kept: unknown[] = [];
      for (;;) kept.push(Array.from({ length: 1000 }, () => ({ kept })));
    }
    case 'loop':
      for (;;);
    case 'blocked':
      send({ kind: 'failed', id, message: 'the table has another type', needsOperator: true });
      break;
    case 'lasting':
      waiting.add(id);
      send({
        kind: 'event',
        id,
        event: {
          type: 'record_ingestion_failed',
          isError: true,
          message: 'decode: bad',
          partition: 1,
          offset: 7,
        },
      });
      send({ kind: 'counts', counts: [{ topic: 'orders', ...counts }] });
      send({ kind: 'replays', replays: [{ tableUuid, lagRecords: 3, lagMs: 5 }] });
      send({ kind: 'verified', outcome: 'missing' });
      send({ kind: 'states', tables: [{ ...state, tableUuid }] });
      break;
    default:
      send({ kind: 'done', id, message: `${message.kind} ${tableName}` });
  }
});
process.on('disconnect', () => process.exit());

const counts = { rows: 5, files: 2, bytes: 300, filtered: 4, skipped: 3, kept: 2 };

const state = {
  tableName: 'shop__orders',
  topic: 'orders',
  configurationId: 'pci_1',
  hasConfiguration: true,
  partitions: [],
  partitionCount: 0,
  stoppedPartitionCount: 0,
  lagRecords: 0,
  keptRecordCount: 0,
  droppedRecordCount: 0,
  isFailing: false,
};
