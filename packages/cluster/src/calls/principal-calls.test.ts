import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callLimits, decodeFrame, encodeFrame } from '@weir/rpc/testing';
import { principalCalls } from './principal-calls.ts';

const salt = Buffer.from('salt');
const credential = { iterations: 4096, salt, storedKey: Buffer.alloc(64, 1), serverKey: Buffer.alloc(64, 2) };
const named = {
  username: 'ccun_1',
  id: 'cci_1',
  name: 'ccn_a',
  isSuperuser: false,
  isFromFile: false,
  password: credential,
};
const part = { type: 'user', match: 'name', name: 'a' };

const cases: [method: keyof typeof principalCalls, args: unknown[], problem: RegExp | undefined][] = [
  [
    'alterClientQuotas',
    [
      [{ entity: [{ type: 'user', name: null }], changes: [{ key: 'request_percentage', value: 0.5 }] }],
      { validateOnly: false },
    ],
    undefined,
  ],
  [
    'alterClientQuotas',
    [[{ entity: [], changes: [{ key: 'request_percentage', value: 'much' }] }], { validateOnly: false }],
    /not a number/,
  ],
  ['describeClientQuotas', [{ parts: [part], isStrict: true }], undefined],
  ['describeClientQuotas', [{ parts: [{ ...part, type: 'topic' }], isStrict: true }], /not one of user/],
  ['describeClientQuotas', [{ parts: [{ ...part, match: 'some' }], isStrict: true }], /not one of name/],
  ['alterScramCredentials', [[{ user: 'a', credential }]], undefined],
  ['alterScramCredentials', [[{ user: 'a', credential: null }]], undefined],
  ['alterScramCredentials', [[{ user: 'a', credential: { ...credential, salt: 'text' } }]], /not a column/],
  ['describeScramCredentials', [['a', 'b']], undefined],
  ['describeScramCredentials', [[1]], /not a text/],
  ['putCredentials', [[named]], undefined],
  ['putCredentials', [[{ ...named, password: null }]], undefined],
  ['putCredentials', [[{ ...named, isSuperuser: 1 }]], /not true or false/],
  ['putCredentials', [[{ ...named, name: undefined }]], /not a text/],
  ['deleteCredentials', [['a']], undefined],
  ['deleteCredentials', ['a'], /not a list/],
  ['passwordDerivation', ['a'], undefined],
  ['rotatePassword', [{ username: 'a', password: credential, overlapMs: 1 }], undefined],
  ['rotatePassword', [{ username: 'a', password: null, overlapMs: 1 }], /not an object/],
  ['rotatePassword', [{ username: 'a', password: credential, overlapMs: 'day' }], /not a whole number/],
  ['endOldPassword', ['a'], undefined],
  ['listCredentials', [], undefined],
  ['listCredentials', [1], /args/],
];

for (const [method, args, problem] of cases) {
  test(`${method} over the wire: ${problem ?? 'accepted'}`, () => {
    const { body } = decodeFrame(encodeFrame('call', 1, { method, args }), callLimits);
    const received = (body as { args: unknown }).args;
    const found = principalCalls[method].args(received, 'args');
    if (problem === undefined) assert.equal(found, undefined);
    else assert.match(found ?? '', problem);
  });
}

test('keys arrive byte for byte', () => {
  const frame = encodeFrame('call', 1, { args: [[{ user: 'a', credential }]] });
  const { body } = decodeFrame(frame, callLimits);
  const [[received]] = (body as { args: [[{ credential: typeof credential }]] }).args;
  assert.deepEqual(Buffer.from(received.credential.storedKey), credential.storedKey);
});
