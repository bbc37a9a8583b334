import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { arbitraryMessage } from '../../testing/arbitrary-message.ts';
import { DecodeError } from '../decode-error.ts';
import { wireLimits } from '../limits.ts';
import { apis } from '../messages/index.ts';
import type { Message } from '../schema/message.ts';
import { decodeMessage, encodeMessage } from './codec.ts';

interface Expected {
  readonly message: Message;
  readonly version: number;
  /** Spaces are for readability. */
  readonly hex: string;
  readonly error: string;
}

/** A heartbeat request: group id, generation, member id, from v3 the instance id, from v4 compact and tagged. */
const heartbeat = apis.Heartbeat.request;
const metadata = apis.Metadata.request;
const fetch = apis.Fetch.request;

const cases: Readonly<Record<string, Expected>> = {
  'an empty body': {
    message: heartbeat,
    version: 0,
    hex: '',
    error: 'Heartbeat request v0: groupId at byte 0: the message ends before it',
  },
  'a string that is cut off': {
    message: heartbeat,
    version: 0,
    hex: '0005 6162',
    error: 'Heartbeat request v0: groupId at byte 0: length 5 exceeds the 2 bytes left',
  },
  'a number that is cut off': {
    message: heartbeat,
    version: 0,
    hex: '0001 61 0000',
    error: 'Heartbeat request v0: generationId at byte 3: needs 4 bytes but 2 are left',
  },
  'a negative length': {
    message: heartbeat,
    version: 0,
    hex: 'fffe',
    error: 'Heartbeat request v0: groupId at byte 0: negative length -2',
  },
  'null where a value is needed': {
    message: heartbeat,
    version: 0,
    hex: 'ffff',
    error: 'Heartbeat request v0: groupId at byte 0: null is not allowed in this version',
  },
  'compact null where a value is needed': {
    message: heartbeat,
    version: 4,
    hex: '00',
    error: 'Heartbeat request v4: groupId at byte 0: null is not allowed in this version',
  },
  'a varint without an end': {
    message: heartbeat,
    version: 4,
    hex: 'ffff',
    error: 'Heartbeat request v4: groupId at byte 0: the message ends inside a varint',
  },
  'a varint of more than 32 bits': {
    message: heartbeat,
    version: 4,
    hex: 'ffffffff1f',
    error: 'Heartbeat request v4: groupId at byte 0: a varint exceeds 32 bits',
  },
  'more elements than could fit': {
    message: metadata,
    version: 1,
    hex: '7fffffff',
    error: 'Metadata request v1: topics at byte 0: 2147483647 elements cannot fit into the 0 bytes left',
  },
  'more compact elements than could fit': {
    message: metadata,
    version: 12,
    hex: 'ffffffff0f 0000',
    error: 'Metadata request v12: topics at byte 0: 4294967294 elements cannot fit into the 2 bytes left',
  },
  'a nested field': {
    message: metadata,
    version: 1,
    hex: '00000002 0001 61 0009 62',
    error: 'Metadata request v1: topics[].name at byte 7: length 9 exceeds the 1 bytes left',
  },
  'bytes after the end': {
    message: heartbeat,
    version: 0,
    hex: '0000 00000000 0000 aabb',
    error: 'Heartbeat request v0: message at byte 8: 2 unexpected bytes at the end',
  },
  'tags out of order': {
    message: heartbeat,
    version: 4,
    hex: '01 00000000 01 00  02 05 00 05 00',
    error: 'Heartbeat request v4: message tagged fields at byte 10: tag 5 does not follow tag 5',
  },
  'a tagged field beyond the end': {
    message: heartbeat,
    version: 4,
    hex: '01 00000000 01 00  01 05 09 00',
    error: 'Heartbeat request v4: message tagged fields at byte 8: length 9 exceeds the 1 bytes left',
  },
  'a tagged field that is shorter than its length': {
    message: fetch,
    version: 12,
    hex: 'ffffffff 00000000 00000000 00000000 00 00000000 00000000 01 01 01  01 00 05 01 61626364',
    error: 'Fetch request v12: clusterId at byte 29: takes 1 bytes but declares 5',
  },
};

describe('invalid input is a decode error that names the message, version, field and byte', () => {
  for (const [name, { message, version, hex, error }] of Object.entries(cases)) {
    test(name, () => {
      const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex');
      assert.throws(
        () => decodeMessage(message, version, bytes),
        (thrown) => {
          assert.ok(thrown instanceof DecodeError);
          assert.equal(thrown.message, error);
          return true;
        },
      );
    });
  }
});

describe('every truncation of every message is a decode error', () => {
  for (const api of Object.values(apis)) {
    for (const message of [api.request, api.response] as Message[]) {
      test(message.name, () => {
        const version = api.versions.highest;
        fc.assert(
          fc.property(arbitraryMessage(message, version), fc.nat(), (value, cut) => {
            const whole = Buffer.concat(encodeMessage(message, version, value));
            if (whole.length === 0) return;
            assert.throws(
              () => decodeMessage(message, version, whole.subarray(0, cut % whole.length)),
              DecodeError,
            );
          }),
          { numRuns: 30 },
        );
      });
    }
  }
});

test('a frame of empty elements stops at the limit on elements', () => {
  const count = wireLimits.decodedElementsMax + 1;
  // Metadata v8 asks for topics by name; a topic with an empty name takes two bytes.
  const bytes = Buffer.alloc(4 + count * 2 + 3);
  bytes.writeInt32BE(count, 0);
  assert.throws(() => decodeMessage(metadata, 8, bytes), /topics at byte 0: more than 2097152 elements/);
});

test('decoded bytes are a view of the frame and not a copy', () => {
  const authBytes = Buffer.from('secret');
  const frame = Buffer.concat(encodeMessage(apis.SaslAuthenticate.request, 2, { authBytes }));
  const decoded = decodeMessage(apis.SaslAuthenticate.request, 2, frame);
  assert.equal(decoded.authBytes.buffer, frame.buffer);
  frame.fill(0x78);
  assert.equal(decoded.authBytes.toString(), 'xxxxxx');
});
