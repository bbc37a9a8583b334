import assert from 'node:assert/strict';
import { ApiError, type CallOf, type Client, type ErrorCode, type OperationName } from '@weir/api';

/** Asserts that a call is refused with a code. */
export async function refused<Name extends OperationName>(
  client: Client,
  code: ErrorCode,
  name: Name,
  input: CallOf<Name>,
  message = /./,
): Promise<void> {
  await assert.rejects(client.call(name, input), (error) => {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.code, code, `${name}: ${error.message}`);
    assert.match(error.message, message);
    return true;
  });
}
