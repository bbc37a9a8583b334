import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { TestCluster } from '@weir/metadata/testing';
import { testAgent } from '../../testing/agent.ts';
import { dataHandlers } from '../../testing/data-handlers.ts';
import { TestStore } from '../../testing/data-path.ts';
import { answered, serveCluster } from '../../testing/test-agent-server.ts';
import { codeOf } from '../../testing/test-client.ts';
import { createClusterView } from '../cluster/following-view.ts';

const notLeader = codeOf('NOT_LEADER_OR_FOLLOWER');
const topicId = Buffer.alloc(16, 1).toString('base64url');

test('an agent serves the APIs of its roles', async () => {
  const cases: [roles: string[], produces: boolean, fetches: boolean][] = [
    [['proxy'], true, true],
    [['proxy-produce', 'jobs'], true, false],
    [['proxy-consume'], false, true],
    [['proxy-produce', 'proxy-consume'], true, true],
    [['jobs'], false, false],
  ];
  for (const [roles, produces, fetches] of cases) {
    const self = testAgent('a', { roles });
    const clock = new HandClock();
    const cluster = new TestCluster({ agents: [self] });
    const view = createClusterView(cluster, { log: silentLog });
    await view.ready();
    const handlers = dataHandlers(view, new TestStore(), clock, roles);
    const { call } = await serveCluster(cluster, clock, { self, view, ...handlers });
    for (const version of [3, 9, 13]) {
      const topic = version >= 13 ? { topicId } : { name: 't' };
      const topicData = [{ ...topic, partitionData: [{ index: 4, records: null }] }];
      const answer = answered(await call('Produce', version, { acks: -1, timeoutMs: 1, topicData }));
      const { errorCode } = answer.responses[0]!.partitionResponses[0]!;
      assert.equal(errorCode !== notLeader, produces);
    }
    const unacknowledged = await call('Produce', 9, { acks: 0, timeoutMs: 1, topicData: [] });
    assert.equal(unacknowledged, produces ? 'noReply' : 'close');
    for (const version of [4, 12, 18]) {
      const topic = version >= 13 ? { topicId } : { topic: 't' };
      const topics = [{ ...topic, partitions: [{ partition: 4, fetchOffset: 0n, partitionMaxBytes: 1 }] }];
      const answer = answered(await call('Fetch', version, { maxWaitMs: 0, minBytes: 0, topics }));
      assert.equal(answer.responses[0]!.partitions[0]!.errorCode !== notLeader, fetches);
    }
    const shareFetch = {
      groupId: 'g',
      memberId: Buffer.alloc(16, 2).toString('base64url'),
      shareSessionEpoch: -2,
      ...{ maxWaitMs: 0, minBytes: 0, maxRecords: 1, batchSize: 1, forgottenTopicsData: [] },
      topics: [{ topicId, partitions: [{ partitionIndex: 4, acknowledgementBatches: [] }] }],
    };
    const shared = answered(await call('ShareFetch', 1, shareFetch));
    assert.equal(shared.responses[0]?.partitions[0]?.errorCode !== notLeader, fetches);
  }
});
