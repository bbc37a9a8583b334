import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { emptyState } from '../state/explorer-state.ts';
import { csvExport, curlExport, jsonExport, mcpExport } from './export-texts.ts';

const event = (data: Record<string, unknown>) => ({
  id: 'e1',
  type: 'acl_logs',
  time: '2026-01-31T12:00:00Z',
  data,
});

test('CSV has a column per field, quotes what needs it, and no formulas', () => {
  const text = csvExport([
    event({ message: '=HYPERLINK("x")', value: -5 }),
    event({ tags: { a: 'b,c' }, message: 'two\nlines' }),
  ]);
  assert.equal(
    text,
    [
      'time,type,id,data.message,data.tags,data.value\r\n',
      `2026-01-31T12:00:00Z,acl_logs,e1,"'=HYPERLINK(""x"")",,-5\r\n`,
      '2026-01-31T12:00:00Z,acl_logs,e1,"two\nlines","{""a"":""b,c""}",\r\n',
    ].join(''),
  );
});

test('JSON is all of the events', () => {
  const events = [event({ a: 1 })];
  assert.deepEqual(JSON.parse(jsonExport(events)), events);
});

test('a shell gives curl the filter as it was written', () => {
  const filter = `data.a == "it's $HOME \`x\`"`;
  const state = { ...emptyState, filter, zone: 'utc' as const };
  const line = curlExport('http://weir.example', 'vci_1', state).replace('curl', 'printf "%s\\n"');
  const printed = execFileSync('sh', ['-c', line], { encoding: 'utf8', env: {} }).trim().split('\n');
  assert.equal(printed[0], 'http://weir.example/api/v1/search_events');
  assert.equal(JSON.parse(printed.at(-1)!).filter, filter);
});

test('a call of the tool has moments instead of days', () => {
  const window = { startMs: 0, endMs: 60_000 };
  const call = JSON.parse(mcpExport('vci_1', { ...emptyState, range: { preset: 'today' } }, window));
  assert.deepEqual(call.params.arguments.time_range, {
    start: '1970-01-01T00:00:00.000Z',
    end: '1970-01-01T00:01:00.000Z',
  });
  const last = JSON.parse(mcpExport('vci_1', emptyState, window));
  assert.deepEqual(last.params.arguments.time_range, { relative: '1h' });
});
