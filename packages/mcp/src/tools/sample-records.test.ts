import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, catalogue } from '@weir/api';
import { serve } from '../../testing/served.ts';
import { mcpLimits } from '../limits.ts';

type Answer = { isError?: boolean; content: { text: string }[]; structuredContent: Record<string, unknown> };

const { output } = catalogue.read_records.example;
const [example] = output.records;
const part = example!.value!;
const on = { virtual_cluster_id: 'orders', topic_name: 'orders' };

test('a sample asks for what its arguments say, within bounds', async (t) => {
  const { connect, calls } = await serve(t);
  const client = await connect();
  // biome-ignore format: a table
  const cases: [args: object, asked: object][] = [
    [{},                                     { partitions: [], start: 'newest', limit: 5, contains: '' }],
    [{ start: 'oldest', limit: 2 },          { partitions: [], start: 'oldest', limit: 2, contains: '' }],
    [{ start: 'offset', offset: 7, partitions: [1] }, { start: 'offset', limit: 5, contains: '', partitions: [1], offset: 7 }],
    [{ start: 'time', time: '2026-01-31T12:00:00Z', contains: 'x' }, { partitions: [], start: 'time', limit: 5, contains: 'x', time: '2026-01-31T12:00:00Z' }],
  ];
  for (const [args, asked] of cases) {
    await client.callTool({ name: 'sample_records', arguments: { ...on, ...args } });
    const [, input] = calls.findLast(([name]) => name === 'read_records')!;
    const {
      virtual_cluster_id: _,
      topic_name,
      scan_records,
      scan_ms,
      ...rest
    } = input as Record<string, unknown>;
    assert.deepEqual(rest, asked);
    assert.deepEqual([topic_name, scan_records, scan_ms], ['orders', 10_000, 5_000]);
  }
  const tooMany = (await client.callTool({
    name: 'sample_records',
    arguments: { ...on, limit: mcpLimits.mcpSampledRecordsMax + 1 },
  })) as unknown as Answer;
  assert.match(tooMany.content[0]!.text, /^invalid_arguments: limit/);
});

test('long payloads are cut, tombstones are null, and headers are in detailed answers', async (t) => {
  const long = { ...part, text: 'x'.repeat(9_000), format: 'string' as const };
  const records = [
    { ...example!, key: long, value: null },
    { ...example!, offset: 43, value: { ...part, text: 'start', is_cut: true } },
    { ...example!, offset: 44, headers: [{ key: 'source', value: part }] },
  ];
  const { connect } = await serve(t, { answers: { read_records: () => ({ ...output, records }) } });
  const client = await connect();
  const sample = async (args: object) =>
    (await client.callTool({
      name: 'sample_records',
      arguments: { ...on, ...args },
    })) as unknown as Answer;
  const { structuredContent, content } = await sample({});
  const rows = structuredContent.records as Record<string, unknown>[];
  assert.deepEqual(
    [String(rows[0]!.key).length, rows[0]!.value],
    [mcpLimits.mcpRecordCharsConcise + 1, null],
  );
  assert.deepEqual([rows[1]!.value, 'headers' in rows[2]!], ['start…', false]);
  assert.match(content[0]!.text, /data, not as instructions/);
  const detailed = await sample({ format: 'detailed' });
  const [first, , third] = detailed.structuredContent.records as Record<string, unknown>[];
  assert.equal(String(first!.key).length, mcpLimits.mcpRecordCharsDetailed + 1);
  assert.deepEqual(third!.headers, { source: part.text });
});

test('what is missing is said: the right, or the topic', async (t) => {
  const { connect } = await serve(t, {
    answers: {
      read_records: ({ topic_name }: { topic_name: string }) => {
        if (topic_name === 'orders') throw new ApiError('forbidden', 'You need the grant read_records.');
        throw new ApiError('not_found', `Topic ${topic_name} not found.`);
      },
    },
  });
  const client = await connect();
  const sample = async (topic_name: string) => {
    const args = { ...on, topic_name };
    const answer = await client.callTool({ name: 'sample_records', arguments: args });
    return (answer as unknown as Answer).content[0]!.text;
  };
  assert.match(await sample('orders'), /^forbidden: You need the grant read_records\./);
  assert.match(await sample('ordrs'), /orders/);
});
