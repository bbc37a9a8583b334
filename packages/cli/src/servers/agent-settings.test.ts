import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommandLine } from '../flags/parse.ts';
import { agentSettings } from './agent-settings.ts';

test('the processes of a machine have together what one agent would have', () => {
  const parsed = parseCommandLine('agent', [], {});
  assert.ok('value' in parsed);
  const { values } = parsed.value;
  const whole = agentSettings(values, 's3://bucket', 8);
  const part = agentSettings(values, 's3://bucket', 1);
  assert.equal(part.cpuCount, 1);
  assert.equal(8 * part.pageCacheBytesMax, whole.pageCacheBytesMax);
  assert.equal(8 * part.bufferedBytesMax, whole.bufferedBytesMax);
  assert.deepEqual(part.flush, whole.flush, 'a file is as large as ever');
});
