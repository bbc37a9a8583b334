import assert from 'node:assert/strict';
import { it } from 'node:test';
import { errors } from '@weir/wire';
import { apacheErrors } from './java-client.ts';
import { missingTool } from './tools.ts';

it('the error table is that of Apache', { skip: missingTool() }, () => {
  const ours = Object.values(errors).map(({ code, name, retriable }) => ({ code, name, retriable }));
  const theirs = apacheErrors().toSorted((a, b) => a.code - b.code);
  assert.deepEqual(ours, theirs);
});
