import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from './catalogue.ts';
import {
  ApiError,
  codeOfStatus,
  commonErrors,
  errorCodes,
  errorsOf,
  errorTable,
  isErrorCode,
} from './errors.ts';

test('every code is used by some operation, and has a message', () => {
  const given = new Set(operations.flatMap((operation) => errorsOf(operation)));
  // For handlers without a narrower code, and for answers of newer servers.
  given.add('conflict');
  assert.deepEqual([...given].sort(), [...errorCodes].sort());
  for (const code of errorCodes) {
    assert.match(code, /^[a-z_]+$/);
    assert.ok(errorTable[code].status >= 400 && errorTable[code].status < 600);
  }
});

test('an operation lists no error twice and none of the common errors', () => {
  for (const { name, errors } of operations) {
    assert.equal(new Set(errors).size, errors.length, name);
    for (const code of errors)
      assert.ok(!(commonErrors as readonly string[]).includes(code), `${name} ${code}`);
  }
});

test('every operation that names an object can answer that it was not found', () => {
  for (const { name, input, errors } of operations) {
    const names = Object.keys(input.shape).some((field) => /_ids?$/.test(field));
    if (names) assert.ok(errors.includes('not_found'), name);
  }
});

test('an error has its status and its envelope', () => {
  const error = new ApiError('deletion_protected', 'vcn_orders has deletion protection enabled');
  assert.equal(error.status, 409);
  assert.equal(error.isRetriable, false);
  assert.deepEqual(error.envelope, {
    error: 'deletion_protected',
    message: 'vcn_orders has deletion protection enabled',
  });
  assert.equal(new ApiError('invalid_api_key').message, 'invalid API key');
});

test('a status without a code gives the general code', () => {
  const cases: [number, string][] = [
    [400, 'invalid_request'],
    [401, 'invalid_api_key'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [409, 'conflict'],
    [418, 'invalid_request'],
    [429, 'rate_limited'],
    [499, 'context_canceled'],
    [500, 'internal'],
    [503, 'unavailable'],
    [504, 'unavailable'],
    [599, 'internal'],
  ];
  for (const [status, code] of cases) assert.equal(codeOfStatus(status), code);
});

test('property names of Object.prototype are not codes', () => {
  for (const name of ['toString', '__proto__', 'constructor', '']) assert.equal(isErrorCode(name), false);
});
