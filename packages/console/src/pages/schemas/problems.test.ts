import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemOfText, problemsOfViolations } from './problems.ts';

test('violations have the place that their path names', () => {
  const text = '{\n  "fields": [\n    {"name": "paid"}\n  ]\n}';
  const violation = { type: 'X', message: 'paid has no default', path: '/fields/0' };
  const [found] = problemsOfViolations('AVRO', text, [violation]);
  assert.equal(found!.where, '3:5');
  const [proto] = problemsOfViolations('PROTOBUF', 'message A {}', [{ ...violation, path: '#/1' }]);
  assert.deepEqual(proto, { message: 'paid has no default', where: '#/1' });
});

test('a text that is no JSON has the place where it ends to be', () => {
  assert.equal(problemOfText('JSON', '{\n"a": }', 'no JSON').where, '2:6');
  assert.deepEqual(problemOfText('PROTOBUF', 'message', 'no'), { message: 'no', where: '' });
});
