import assert from 'node:assert/strict';
import { test } from 'node:test';
import { protocolErrorsCodesById } from '@platformatic/kafka';
import { apiByKey } from '@weir/wire';
import { ResponseChecker, type ResponseTable } from './check-response.ts';
import type { RecordSummary } from './fetched-records.ts';
import { isOurs, titleOf } from './not-comparable.ts';
import { platformaticVersions } from './platformatic.ts';
import type { Struct } from './struct.ts';

/**
 * Weir encodes responses and the client decodes them. The client has no encoder for responses, so the other direction
 * cannot be tested.
 */
const table = {
  Fetch: {
    renamed: {
      // Up to v12 the client exposes the topic name as the id.
      'responses[].topic': 'topicId',
    },
  },
  FindCoordinator: {
    // Up to v3 the client exposes the one coordinator as a list of one, without a key.
    reshaped: ({ coordinators, ...response }, version) =>
      version < 4
        ? { ...response, ...withoutKey((coordinators as readonly Struct[])[0]!) }
        : { ...response, coordinators },
  },
  ApiVersions: {
    // In v3 the client stops decoding at an error code, because the rest may be in the format of v0.
    nearest: (response, version) => (version === 3 ? { ...response, errorCode: 0 } : response),
    added: { 'apiKeys[].name': 'the client looks up what it calls the key' },
  },
  CreateTopics: {
    dropped: { 'topics[].topicConfigErrorCode': 'the client skips the tag in v5 and v6 and reads it in v7' },
  },
  AddPartitionsToTxn: {
    // Up to v3 the client exposes the topics as those of one transaction without a name.
    reshaped: ({ resultsByTransaction, ...response }, version) =>
      version < 4
        ? {
            ...response,
            resultsByTopicV3AndBelow: (resultsByTransaction as readonly Struct[])[0]!.topicResults,
          }
        : { ...response, resultsByTransaction },
  },
  DescribeAcls: { renamed: { 'resources[].patternType': 'resourcePatternType' } },
  DeleteAcls: { renamed: { 'filterResults[].matchingAcls[].patternType': 'resourcePatternType' } },
} satisfies ResponseTable;

function withoutKey({ key, ...coordinator }: Struct): Struct {
  return coordinator;
}

const checker = new ResponseChecker({
  table,
  skipsUnknownTags: true,
  errorCodes: Object.keys(protocolErrorsCodesById).map(Number),
  summarizeRecords: (batches) =>
    (batches as readonly TheirBatch[] | null)?.flatMap(({ firstOffset, records }) =>
      records.map(
        ({ offsetDelta, value }): RecordSummary => ({
          offset: firstOffset + BigInt(offsetDelta),
          value: value?.toString() ?? null,
        }),
      ),
    ) ?? [],
});

interface TheirBatch {
  readonly firstOffset: bigint;
  readonly records: readonly { readonly offsetDelta: number; readonly value: Buffer | null }[];
}

for (const client of platformaticVersions.filter(isOurs)) {
  test(`platformatic ${titleOf(client)} response`, async () => {
    await checker.check(apiByKey(client.key)!, client.version, (bytes) => {
      const { response, unreadBytes } = client.decodeResponse(bytes);
      assert.equal(unreadBytes, 0);
      return response;
    });
  });
}

test('platformatic responses: the table lists no difference that is gone', () => {
  assert.deepEqual(checker.unneededRows(), []);
});
