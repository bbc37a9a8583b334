import assert from 'node:assert/strict';
import type { WeirProcess } from './weir-process.ts';

/**
 * Signs up the first user with the link that a control plane printed, and returns the session cookie. If several links
 * were printed, each works until one is used.
 */
export async function signUpFirstUser(plane: WeirProcess): Promise<string> {
  const token = /signs up at \S+#(\S+)/.exec(plane.output.out)?.[1];
  const person = {
    account_name: 'Example',
    email: 'ada@example.com',
    name: 'Ada',
    password: 'correct horse battery',
  };
  const response = await fetch(`${plane.address('control plane')}/api/v1/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, ...person }),
  });
  assert.equal(response.status, 200, await response.text());
  return response.headers.get('set-cookie')!.split(';', 1)[0]!;
}
