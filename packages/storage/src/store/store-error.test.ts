import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindOfS3Error } from '../s3/s3-errors.ts';
import { StoreError } from './store-error.ts';

test('the text of a server is cut, and in one line', () => {
  const { message, problem } = new StoreError(
    'denied',
    'key',
    `S3 returned 403 no\r\n\u2028${'x'.repeat(70_000)}`,
  );
  assert.match(message, /^key: S3 returned 403 no x{900,1000}…; check the credentials/);
  assert.equal(message.includes(problem), true);
  assert.ok(message.length < 1_200);
});

test('a code that is the name of a property of all objects has no meaning', () => {
  assert.equal(kindOfS3Error(503, 'constructor'), 'unavailable');
});
