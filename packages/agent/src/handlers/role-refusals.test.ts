import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answered, codeOf, startTestAgent, testAgent } from '../../testing/index.ts';

const notLeader = codeOf('NOT_LEADER_OR_FOLLOWER');
const topicId = Buffer.alloc(16, 1).toString('base64url');

test('an agent does what its roles say', async () => {
  const cases: [roles: string[], produces: boolean, fetches: boolean][] = [
    [['proxy'], true, true],
    [['proxy-produce', 'jobs'], true, false],
    [['proxy-consume'], false, true],
    [['proxy-produce', 'proxy-consume'], true, true],
    [['jobs'], false, false],
  ];
  for (const [roles, produces, fetches] of cases) {
    const { call } = await startTestAgent({
      self: testAgent('a', { roles }),
      // The handlers behind the roles, told by an answer of their own.
      produce: () => 'noReply',
      fetch: () => 'noReply',
    });
    for (const version of [3, 9, 13]) {
      const topic = version >= 13 ? { topicId } : { name: 't' };
      const topicData = [{ ...topic, partitionData: [{ index: 4, records: null }] }];
      const answer = await call('Produce', version, { acks: -1, timeoutMs: 1, topicData });
      if (produces) assert.equal(answer, 'noReply');
      else assert.equal(answered(answer).responses[0]!.partitionResponses[0]!.errorCode, notLeader);
    }
    const unacknowledged = await call('Produce', 9, { acks: 0, timeoutMs: 1, topicData: [] });
    assert.equal(unacknowledged, produces ? 'noReply' : 'close');
    for (const version of [4, 12, 18]) {
      const topic = version >= 13 ? { topicId } : { topic: 't' };
      const topics = [{ ...topic, partitions: [{ partition: 4, fetchOffset: 0n, partitionMaxBytes: 1 }] }];
      const answer = await call('Fetch', version, { maxWaitMs: 0, minBytes: 0, topics });
      if (fetches) assert.equal(answer, 'noReply');
      else assert.equal(answered(answer).responses[0]!.partitions[0]!.errorCode, notLeader);
    }
  }
});
