import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apis } from '../messages/index.ts';
import { zeroUuid } from '../schema/layout.ts';
import type { ResponseOf } from '../schema/message.ts';
import { decodeMessage, encodeMessage } from './codec.ts';
import { EncodeError } from './encode-error.ts';

function hexOf(slices: Buffer[]): string {
  return Buffer.concat(slices).toString('hex');
}

test('fields with a default may be omitted', () => {
  const { request } = apis.Heartbeat;
  const body = { groupId: 'g', generationId: 1, memberId: 'm' };
  assert.equal(hexOf(encodeMessage(request, 3, body)), '000167' + '00000001' + '00016d' + 'ffff');
});

test('tagged fields are on the wire only if they differ from the default', () => {
  const { response } = apis.ApiVersions;
  const body = { errorCode: 0, apiKeys: [] };
  assert.equal(hexOf(encodeMessage(response, 3, body)), '0000' + '01' + '00000000' + '00');
  const withEpoch = { ...body, finalizedFeaturesEpoch: 7n };
  const tagged = '01' + '01' + '08' + '0000000000000007';
  assert.equal(hexOf(encodeMessage(response, 3, withEpoch)), `0000${'01'}00000000${tagged}`);
});

test('unknown tagged fields are retained, in order, around the known ones', () => {
  const { response } = apis.ApiVersions;
  const hex = '0000 01 00000000  03  01 08 0000000000000007  09 02 aabb  63 00'.replaceAll(' ', '');
  const decoded = decodeMessage(response, 3, Buffer.from(hex, 'hex'));
  assert.equal(decoded.finalizedFeaturesEpoch, 7n);
  assert.deepEqual(decoded.unknownTaggedFields, [
    { tag: 9, data: Buffer.from('aabb', 'hex') },
    { tag: 99, data: Buffer.alloc(0) },
  ]);
  assert.equal(hexOf(encodeMessage(response, 3, decoded)), hex);
});

describe('a value that the version cannot carry is rejected', () => {
  const produce = { acks: 1, timeoutMs: 0, topicData: [] };
  const cases: Readonly<Record<string, [run: () => unknown, error: RegExp]>> = {
    'a field of a later version': [
      () =>
        encodeMessage(apis.Heartbeat.request, 2, {
          groupId: 'g',
          generationId: 1,
          memberId: 'm',
          groupInstanceId: 'i',
        }),
      /^groupInstanceId: Heartbeat request v2 has no such field, and its value is not the default$/,
    ],
    'null for a field that is never null': [
      () => encodeMessage(apis.Produce.request, 9, { ...produce, topicData: null as never }),
      /^topicData: null is not allowed in this version$/,
    ],
    'null in a version before it was allowed': [
      () => encodeMessage(apis.Metadata.request, 0, { topics: null }),
      /^topics: null is not allowed in this version$/,
    ],
    'a classic string beyond 32767 bytes': [
      () => encodeMessage(apis.DeleteTopics.request, 1, { topicNames: ['x'.repeat(32_768)], timeoutMs: 0 }),
      /^topicNames\[\]: 32768 bytes exceed the 32767 that a string can hold$/,
    ],
    'a uuid in another text form': [
      () =>
        encodeMessage(apis.Metadata.request, 12, {
          topics: [{ topicId: '0a1b2c3d-0000-0000-0000-000000000000', name: null }],
        }),
      /^topics\[\]\.topicId: not a uuid of 22 base64url characters: 0a1b2c3d-0000/,
    ],
    'a value other than bytes': [
      () => encodeMessage(apis.SaslAuthenticate.request, 2, { authBytes: 'text' as never }),
      /^authBytes: text where bytes are needed$/,
    ],
  };
  for (const [name, [run, error]] of Object.entries(cases)) {
    test(name, () => {
      assert.throws(run, (thrown) => {
        assert.ok(thrown instanceof EncodeError);
        assert.match(thrown.message, error);
        return true;
      });
    });
  }
});

test('an ignorable field is dropped silently', () => {
  const { response } = apis.Heartbeat;
  assert.equal(hexOf(encodeMessage(response, 0, { errorCode: 0, throttleTimeMs: 9 })), '0000');
});

test('a uuid is Kafka text in memory and sixteen bytes on the wire', () => {
  const { request } = apis.Metadata;
  const topics = [{ topicId: 'AAAAAAAAAAAAAAAAAAAAAQ', name: null }];
  const bytes = Buffer.concat(encodeMessage(request, 12, { topics }));
  assert.ok(bytes.includes(Buffer.from('00000000000000000000000000000001', 'hex')));
  assert.equal(decodeMessage(request, 12, bytes).topics?.[0]?.topicId, topics[0]!.topicId);
  assert.equal(Buffer.alloc(16).toString('base64url'), zeroUuid);
});

describe('large byte fields are not copied', () => {
  const page = Buffer.alloc(1024 * 1024, 7);

  function fetchResponse(records: Buffer | Buffer[]): ResponseOf<typeof apis.Fetch> {
    const partition = {
      partitionIndex: 0,
      errorCode: 0,
      highWatermark: 9n,
      abortedTransactions: null,
      records,
    };
    return { throttleTimeMs: 0, responses: [{ topic: 't', partitions: [partition] }] };
  }

  test('the result contains the slice itself', () => {
    const slices = encodeMessage(apis.Fetch.response, 12, fetchResponse(page));
    assert.ok(slices.includes(page));
    assert.equal(decodeMessage(apis.Fetch.response, 12, Buffer.concat(slices)).responses.length, 1);
  });

  test('several slices are one field', () => {
    const head = Buffer.from('head');
    const slices = encodeMessage(apis.Fetch.response, 12, fetchResponse([head, page]));
    assert.ok(slices.includes(page));
    const decoded = decodeMessage(apis.Fetch.response, 12, Buffer.concat(slices));
    assert.deepEqual(decoded.responses[0]!.partitions[0]!.records, Buffer.concat([head, page]));
  });

  test('a message larger than a chunk continues in the next one', () => {
    const topicNames = Array.from({ length: 20_000 }, (_, index) => `topic-${index}`);
    const slices = encodeMessage(apis.DeleteTopics.request, 5, { topicNames, timeoutMs: 1 });
    assert.ok(slices.length > 1);
    const decoded = decodeMessage(apis.DeleteTopics.request, 5, Buffer.concat(slices));
    assert.deepEqual(decoded.topicNames, topicNames);
  });
});
