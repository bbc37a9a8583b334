import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasConsole } from '@weir/api';
import { answerOf } from '../answers/answer.ts';
import { mcpPage } from '../reference-page.ts';
import { toolContextOf } from './run-tool.ts';
import { tools } from './tools.ts';

test('without a console no answer links to it', () => {
  assert.equal(hasConsole, false, 'remove this test once there is a console');
  const context = toolContextOf(
    { stop: new AbortController().signal },
    {
      callOperation: () => Promise.reject(new Error()),
      publicUrl: () => 'http://a',
      clock: undefined as never,
    },
  );
  const tail = { truncated: false, next_cursor: null, console_url: context.consoleUrl('/clusters') };
  const { fields, text } = answerOf({ a: 1 }, tail, { format: 'detailed', tokensMax: 1000 });
  assert.deepEqual(fields, { a: 1, truncated: false, next_cursor: null });
  assert.doesNotMatch(text, /console/);
  for (const { name, title, description, output } of tools) {
    assert.equal(Object.hasOwn(output.shape, 'console_url'), false, name);
    assert.doesNotMatch(title + description, /console/i, name);
  }
  assert.doesNotMatch(mcpPage(), /console/i);
});
