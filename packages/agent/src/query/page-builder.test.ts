import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildRecordBatch, OutputLimitExceeded, RecordBatchView } from '@weir/wire';
import { agentLimits } from '../limits.ts';
import { PageBuilder } from './page-builder.ts';

test('a batch that inflates beyond the limit for events is refused', () => {
  const value = Buffer.alloc(agentLimits.eventBatchInflatedBytesMax);
  const batch = new RecordBatchView(
    buildRecordBatch([{ timestamp: 0n, key: null, value }], { codec: 'zstd' }),
  );
  const builder = new PageBuilder();
  assert.throws(() => builder.add(batch, 0), OutputLimitExceeded);
  assert.ok(builder.isEmpty);
});
