import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ApiError, catalogue } from '@weir/api';
import { type Answers, serve } from '../../testing/served.ts';

async function call(t: TestContext, name: string, answers: Answers, args: object) {
  const { connect } = await serve(t, { answers });
  const client = await connect();
  const { structuredContent, isError, content } = await client.callTool({
    name,
    arguments: { virtual_cluster_id: 'orders', ...args },
  });
  const { hint = '' } = (structuredContent ?? {}) as { hint?: string };
  return { hint, isError: isError === true, text: JSON.stringify(content) };
}

const [subject] = catalogue.list_subjects.example.output.subjects;
const listing = (...rows: object[]) => ({
  list_subjects: () => ({ subjects: rows.map((row) => ({ ...subject!, ...row })), next_cursor: null }),
});

test('a list of subjects counts those that accept any schema', async (t) => {
  const { hint } = await call(
    t,
    'list_subjects',
    listing({}, { subject: 'any', compatibility_level: 'NONE' }),
    {},
  );
  assert.match(hint, /^1 of these subjects accept any schema/);
  assert.match((await call(t, 'list_subjects', listing(), {})).hint, /is empty/);
  assert.match(
    (await call(t, 'list_subjects', listing(), { subject_prefix: 'x' })).hint,
    /No subject has this prefix/,
  );
});

test('an unknown subject is refused with names that are near', async (t) => {
  const answers = {
    ...listing({}),
    describe_schema: () => {
      throw new ApiError('not_found', 'Subject not found');
    },
  };
  const near = await call(t, 'describe_schema', answers, { subject: 'order-value' });
  assert.equal(near.isError, true);
  assert.match(near.text, /subject_not_found.*orders-value/);
});

test('a check says whether the schema can be registered', async (t) => {
  const verdict = catalogue.check_schema_compatibility.example.output;
  const violation = { type: 'TYPE_MISMATCH', path: '/', message: 'expected: long' };
  const check = async (found: object) => {
    const answers = { check_schema_compatibility: () => ({ ...verdict, ...found }) };
    const args = { subject: 'orders-value', schema: '"string"' };
    return (await call(t, 'check_schema_compatibility', answers, args)).hint;
  };
  assert.equal(await check({}), 'It can be registered.');
  assert.match(
    await check({ is_compatible: false, violations: [violation] }),
    /^It cannot be registered: the level BACKWARD forbids 1 of the differences to version 2\./,
  );
  assert.match(await check({ is_registered: true }), /has this schema already/);
  assert.match(await check({ compared_version: null }), /has no versions/);
});
