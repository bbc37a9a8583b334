import assert from 'node:assert/strict';
import { test } from 'node:test';
import { subscriptionBytes } from '@weir/groups/testing';
import fc from 'fast-check';
import {
  readAssignment,
  readSubscribedTopics,
  readSubscription,
  writeAssignment,
  writeSubscription,
} from './consumer-protocol.ts';

const named = fc.array(
  fc.record({ topic: fc.string(), partitions: fc.array(fc.nat(1000)) }, { noNullPrototype: true }),
  { maxLength: 5 },
);

test('subscriptions of every version are read, unknown newer ones as the last known version', () => {
  const owned = [{ topic: 't', partitions: [1, 2] }];
  for (const version of [0, 1, 2, 3, 4, 9]) {
    assert.deepEqual(
      readSubscription(subscriptionBytes(['t', 'u'], { version, owned, generationId: 7, rackId: 'r' })),
      {
        version: Math.min(version, 3),
        topics: ['t', 'u'],
        owned: version >= 1 ? owned : [],
        generationId: version >= 2 ? 7 : -1,
        rackId: version >= 3 ? 'r' : null,
      },
    );
  }
});

test('assignments survive a write and a read', () => {
  fc.assert(
    fc.property(named, fc.integer({ min: 0, max: 3 }), (assigned, version) => {
      assert.deepEqual(readAssignment(writeAssignment(version, assigned)), assigned);
    }),
  );
  assert.deepEqual(readAssignment(Buffer.alloc(0)), []);
});

test('an assignment has the bytes that Apache Kafka writes', () => {
  const bytes = writeAssignment(1, [{ topic: 'ab', partitions: [3] }]);
  assert.equal(
    Buffer.from(bytes).toString('hex'),
    `0001${'00000001'}${'00026162'}${'00000001'}${'00000003'}ffffffff`,
  );
});

test('a subscription of v0 has the bytes that Apache Kafka writes', () => {
  const bytes = writeSubscription(['ab', 'é']);
  assert.equal(bytes.toString('hex'), `0000${'00000002'}${'00026162'}${'0002c3a9'}ffffffff`);
  assert.deepEqual(readSubscription(bytes)?.topics, ['ab', 'é']);
});

test('topics are read from a subscription that is cut off after them', () => {
  const bytes = writeSubscription(['ab', 'c']);
  assert.deepEqual(readSubscribedTopics(bytes.subarray(0, -4)), ['ab', 'c']);
  assert.equal(readSubscribedTopics(bytes.subarray(0, -5)), undefined);
  assert.equal(readSubscribedTopics(bytes.subarray(0, 5)), undefined);
});

test('truncated bytes are not a subscription', () => {
  const whole = subscriptionBytes(['topic'], { owned: [{ topic: 't', partitions: [1] }], rackId: 'r' });
  for (let length = 0; length < whole.length; length++) {
    assert.equal(readSubscription(whole.subarray(0, length)), undefined, `${length} bytes`);
  }
});

test('reading arbitrary bytes terminates', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      readSubscription(bytes);
      readAssignment(bytes);
    }),
    { numRuns: 2_000 },
  );
  const endless = Buffer.from('00030000000000000000ffffffff7fffffff', 'hex');
  assert.equal(readSubscription(endless), undefined);
  assert.equal(readSubscription(Buffer.from('0000fffffffe00000000', 'hex')), undefined);
});

test('a subscription says what a member keeps, and since when', () => {
  const owned = [{ topic: 'ab', partitions: [0, 7] }];
  const bytes = writeSubscription(['ab'], { owned, generationId: 5 });
  assert.deepEqual(readSubscription(bytes), {
    version: 2,
    topics: ['ab'],
    owned,
    generationId: 5,
    rackId: null,
  });
});
