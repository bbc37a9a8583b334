import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MiB } from '@weir/core';
import { pipelineBytesPerSecond } from './pipeline-rate.ts';

test('pipelines have 5 MB per core beside other work, 100 MiB alone, or what the operator says', () => {
  assert.equal(pipelineBytesPerSecond({ roles: ['jobs', 'pipelines'], cpuCount: 4 }), 20_000_000);
  assert.equal(pipelineBytesPerSecond({ roles: ['pipelines'], cpuCount: 4 }), 400 * MiB);
  for (const roles of [['pipelines'], ['proxy', 'pipelines']] as const)
    assert.equal(pipelineBytesPerSecond({ roles, cpuCount: 2, pipelineBytesPerCpu: 7 }), 14);
});
