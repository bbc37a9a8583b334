import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RegistryUnavailable } from '@weir/registry';
import { unreachableLine } from './unreachable-registry.ts';

const lineOf = (message: string, code?: string) => {
  const cause = code === undefined ? undefined : Object.assign(new Error(message), { code });
  return unreachableLine(new RegistryUnavailable(`https://here: ${message}`, { cause }));
};

test('a failed connection comes with advice', () => {
  const cases: readonly [line: string, advice: RegExp][] = [
    [
      lineOf('connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED'),
      /; nothing listens there; .* -schema-registry-url/,
    ],
    [
      lineOf('getaddrinfo ENOTFOUND here', 'ENOTFOUND'),
      /; failed to resolve the name; check -schema-registry-url$/,
    ],
    [lineOf('socket hang up', 'ECONNRESET'), /; .* https or http$/],
    [lineOf('unable to verify', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'), /; .* -tls-server-ca-cert-file$/],
  ];
  for (const [line, advice] of cases) assert.match(line, advice);
});

test('advice of the runtime about its own flags is left out', () => {
  const message =
    'self-signed certificate; if the root CA is installed locally, try running Node.js with --use-system-ca';
  assert.equal(
    lineOf(message, 'DEPTH_ZERO_SELF_SIGNED_CERT'),
    'https://here: self-signed certificate; set the certificate authority of the registry with -tls-server-ca-cert-file',
  );
});

test('what has no known code is passed on', () => {
  assert.equal(lineOf('no response within 5000 ms'), 'https://here: no response within 5000 ms');
  assert.equal(lineOf('strange', 'toString'), 'https://here: strange');
});
