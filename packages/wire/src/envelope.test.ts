import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DecodeError } from './decode-error.ts';
import {
  decodeCorrelationId,
  decodeRequestBody,
  decodeRequestHeader,
  decodeResponse,
  encodePacedResponse,
  encodeRequest,
  encodeResponse,
} from './envelope.ts';
import { requestHeaderVersion, responseHeaderVersion } from './messages/headers.ts';
import { apis } from './messages/index.ts';

/** Strips the length prefix after checking it. */
function frameOf(slices: Buffer[]): Buffer {
  const bytes = Buffer.concat(slices);
  assert.equal(bytes.readInt32BE(0), bytes.length - 4);
  return bytes.subarray(4);
}

const body = { groupId: 'g', generationId: 1, memberId: 'm' };

test('a request has header v1, and v2 from the first flexible version on', () => {
  for (const version of [0, 3, 4]) {
    const header = { correlationId: 77, clientId: 'client' };
    const frame = frameOf(encodeRequest(apis.Heartbeat, version, header, body));
    const envelope = decodeRequestHeader(frame);
    assert.equal(envelope.api, apis.Heartbeat);
    assert.equal(envelope.apiVersion, version);
    assert.equal(envelope.correlationId, 77);
    assert.equal(envelope.clientId, 'client');
    const decoded = decodeRequestBody(apis.Heartbeat, version, frame, envelope.bodyStart);
    assert.equal(decoded.surplusBytes, 0);
    assert.equal(decoded.body.memberId, 'm');
  }
});

test('the bytes of a flexible request', () => {
  const frame = frameOf(encodeRequest(apis.Heartbeat, 4, { correlationId: 7, clientId: 'c' }, body));
  // key, version, correlation id, client id with its classic length, tags; then the compact body
  const header = '000c' + '0004' + '00000007' + '000163' + '00';
  assert.equal(frame.toString('hex'), `${header}0267${'00000001'}026d${'00'}${'00'}`);
});

test('a client id may be null', () => {
  const frame = frameOf(encodeRequest(apis.Heartbeat, 4, { correlationId: 1, clientId: null }, body));
  assert.equal(decodeRequestHeader(frame).clientId, null);
});

test('the header of an unknown API or version can still be read', () => {
  const frame = frameOf(encodeRequest(apis.ApiVersions, 4, { correlationId: 5, clientId: 'new' }, {}));
  frame.writeInt16BE(99, 2);
  const tooNew = decodeRequestHeader(frame);
  assert.deepEqual(
    { ...tooNew, bodyStart: undefined },
    {
      apiKey: 18,
      apiVersion: 99,
      correlationId: 5,
      clientId: 'new',
      api: undefined,
      bodyStart: undefined,
    },
  );
  frame.writeInt16BE(4242, 0);
  assert.equal(decodeRequestHeader(frame).api, undefined);
});

test('ApiVersions is answered with header v0 in every version', () => {
  // api, version, request header, response header
  const cases = [
    [apis.ApiVersions, 0, 1, 0],
    [apis.ApiVersions, 2, 1, 0],
    [apis.ApiVersions, 3, 2, 0],
    [apis.ApiVersions, 4, 2, 0],
    [apis.Metadata, 8, 1, 0],
    [apis.Metadata, 9, 2, 1],
    [apis.SaslHandshake, 1, 1, 0],
    [apis.ConsumerGroupHeartbeat, 0, 2, 1],
  ] as const;
  for (const [api, version, request, response] of cases) {
    assert.equal(requestHeaderVersion(api, version), request, `${api.name} v${version}`);
    assert.equal(responseHeaderVersion(api, version), response, `${api.name} v${version}`);
  }
});

test('a response has the header of its version', () => {
  for (const version of [0, 4]) {
    const frame = frameOf(encodeResponse(apis.Heartbeat, version, 41, { errorCode: 27 }));
    assert.equal(decodeCorrelationId(frame), 41);
    const { correlationId, body: decoded } = decodeResponse(apis.Heartbeat, version, frame);
    assert.equal(correlationId, 41);
    assert.equal(decoded.errorCode, 27);
    assert.equal(decoded.throttleTimeMs, 0);
  }
});

test('bytes after a request are counted and not read', () => {
  // Metadata v12 for all topics as librdkafka 2.16 sends it: null topics, three flags, tags, and three bytes too many.
  const frame = Buffer.from(
    '0003 000c 00000003 0007 72646b61666b61 00  00 01 01 00 000000'.replaceAll(' ', ''),
    'hex',
  );
  const { bodyStart } = decodeRequestHeader(frame);
  const { body: metadata, surplusBytes } = decodeRequestBody(apis.Metadata, 12, frame, bodyStart);
  assert.equal(metadata.topics, null);
  assert.equal(metadata.allowAutoTopicCreation, true);
  assert.equal(surplusBytes, 3);
});

test('bytes after a response are ignored', () => {
  const frame = frameOf(encodeResponse(apis.Heartbeat, 4, 41, { errorCode: 27 }));
  const longer = Buffer.concat([frame, Buffer.of(1, 2, 3)]);
  assert.equal(decodeResponse(apis.Heartbeat, 4, longer).body.errorCode, 27);
});

test('a truncated header is a decode error of the header', () => {
  assert.throws(
    () => decodeRequestHeader(Buffer.from('0012', 'hex')),
    (thrown) => {
      assert.ok(thrown instanceof DecodeError);
      assert.equal(thrown.message, 'request header v1: apiVersion at byte 2: needs 2 bytes but 0 are left');
      return true;
    },
  );
});

test('a paced response has the same bytes, and yields for long lists, nested ones too', () => {
  const partitions = Array.from({ length: 3_000 }, (_, index) => ({
    index,
    errorCode: 0,
    baseOffset: BigInt(index),
    recordErrors: [{ batchIndex: index, batchIndexErrorMessage: 'x' }],
    errorMessage: index % 2 === 0 ? null : 'odd',
    currentLeader: { leaderId: index, leaderEpoch: 0 },
  }));
  const responses = [
    { name: 'a', partitionResponses: partitions },
    { name: 'b', partitionResponses: partitions.slice(0, 10) },
  ];
  const nodeEndpoints = [{ nodeId: 1, host: 'h', port: 2, rack: null }];
  for (const version of [3, 8, 10, 12]) {
    const body =
      version >= 10
        ? { responses, nodeEndpoints }
        : {
            responses: responses.map(({ name, partitionResponses }) => ({
              name,
              partitionResponses: partitionResponses.map(({ index, errorCode, baseOffset }) => ({
                index,
                errorCode,
                baseOffset,
              })),
            })),
          };
    const work = encodePacedResponse(apis.Produce, version, 7, body);
    let yields = 0;
    let step = work.next();
    for (; step.done !== true; step = work.next()) yields++;
    assert.ok(yields >= 1, `v${version}`);
    const plain = encodeResponse(apis.Produce, version, 7, body);
    assert.deepEqual(Buffer.concat(step.value), Buffer.concat(plain), `v${version}`);
  }
});

test('elements of a request are counted, and limited by the caller', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `t${index}` }));
  const body = { topics: names(3), allowAutoTopicCreation: false };
  const frame = Buffer.concat(
    encodeRequest(apis.Metadata, 8, { correlationId: 1, clientId: null }, body),
  ).subarray(4);
  const { bodyStart } = decodeRequestHeader(frame);
  assert.equal(decodeRequestBody(apis.Metadata, 8, frame, bodyStart).elements, 3);
  assert.equal(decodeRequestBody(apis.Metadata, 8, frame, bodyStart, 3).elements, 3);
  assert.throws(
    () => decodeRequestBody(apis.Metadata, 8, frame, bodyStart, 2),
    /more than 2 elements in one message/,
  );
});
