import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { type SignedBlobRequest, sharedKeyAuthorization } from './shared-key.ts';

const key = Buffer.from('the key of an account');

/** The text that the service signs, written out as its documentation describes it. */
const signed: readonly [name: string, request: SignedBlobRequest, text: string][] = [
  [
    'a put that requires absence',
    {
      method: 'PUT',
      path: '/logs/a/b%20c',
      query: {},
      headers: {
        host: 'acct.blob.core.windows.net',
        'x-ms-version': '2026-02-06',
        'x-ms-date': 'Mon, 16 Nov 2026 10:00:00 GMT',
        'if-none-match': '*',
        'x-ms-blob-type': 'BlockBlob',
      },
      contentBytes: 9,
    },
    'PUT\n\n\n9\n\n\n\n\n\n*\n\n\nx-ms-blob-type:BlockBlob\nx-ms-date:Mon, 16 Nov 2026 10:00:00 GMT\nx-ms-version:2026-02-06\n/acct/logs/a/b%20c',
  ],
  [
    'a list',
    {
      method: 'GET',
      path: '/logs',
      query: { restype: 'container', comp: 'list', startFrom: 'a b', prefix: 'a' },
      headers: { host: 'acct.blob.core.windows.net', 'x-ms-date': 'now' },
      contentBytes: 0,
    },
    'GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:now\n/acct/logs\ncomp:list\nprefix:a\nrestype:container\nstartfrom:a b',
  ],
];

for (const [name, request, text] of signed) {
  test(`${name} is signed with its length, conditions, headers, path and parameters`, () => {
    const signature = createHmac('sha256', key).update(text, 'utf8').digest('base64');
    assert.equal(sharedKeyAuthorization(request, { account: 'acct', key }), `SharedKey acct:${signature}`);
  });
}
