import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { arbitraryMessage } from '../../testing/arbitrary-message.ts';
import { apis } from '../messages/index.ts';
import type { Message } from '../schema/message.ts';
import { decodeMessage, encodeMessage } from './codec.ts';

describe('every message, in every version, is unchanged after encoding and decoding', () => {
  for (const api of Object.values(apis)) {
    for (const message of [api.request, api.response] as Message[]) {
      test(message.name, () => {
        for (let version = api.versions.lowest; version <= api.versions.highest; version++) {
          fc.assert(
            fc.property(arbitraryMessage(message, version), (value) => {
              const encoded = Buffer.concat(encodeMessage(message, version, value));
              assert.deepEqual(decodeMessage(message, version, encoded), value);
            }),
            { numRuns: 20 },
          );
        }
      });
    }
  }
});
