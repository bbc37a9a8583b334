import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonLog } from './log.ts';

test('a line is a JSON object with the bound fields, from the level on', () => {
  const lines: string[] = [];
  const log = jsonLog({ level: 'info', nowMs: () => 0, write: (line) => lines.push(line) }).with({
    agent: 'a',
  });
  log.debug('too fine');
  log.warn('slow', { ms: 12 });
  assert.deepEqual(lines, [
    '{"time":"1970-01-01T00:00:00.000Z","level":"warn","message":"slow","agent":"a","ms":12}',
  ]);
});
