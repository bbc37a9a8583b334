import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { missingTool } from '../apache/tools.ts';
import { lastFirst } from '../brokers/weir-process.ts';
import { openApplications } from './application.ts';
import { startThreeAgents } from './three-agents.ts';

/**
 * Operators of clusters, by the calls that they make through Apache's admin client (`Operators.java`): none of them
 * waits for ever, and what cannot be is refused with an error that they know.
 */
const skip = missingTool();
const lifetime = lastFirst({ after });
const servers = skip ? '' : (await startThreeAgents(lifetime))[0];
const java = skip ? undefined! : openApplications(lifetime);

const expected = {
  'as-cruise-control': {
    'create samples': 'done',
    'log dirs': 'true',
    reassignments: 'true',
    'replica log dirs': 'true',
    'configs of topics': '86400000',
    'configs of brokers': 'true',
    throttle: 'done',
    'throttle topic': 'done',
    stay: 'done',
    // Which agents serve a partition is decided for each client.
    reorder: 'PolicyViolationException',
    cancel: 'NoReassignmentInProgressException',
    elect: 'ElectionNotNeededException',
    'move dirs': 'LogDirNotFoundException',
    unthrottle: 'done',
    'unthrottle topic': 'done',
  },
  'as-strimzi': {
    controller: 'true',
    quorum: 'true',
    features: 'true',
    'under-replicated': '0',
    'configs of brokers': 'true',
    'change broker': 'done',
    'restore broker': 'done',
    unregister: 'BrokerIdNotRegisteredException',
    create: 'done',
    widen: 'done',
    'change topic': 'done',
    'configs of topics': '3600000',
    replication: '3',
    reassignments: 'true',
    credential: 'done',
    credentials: '1',
    quota: 'done',
    rule: 'done',
    'remove rules': '1',
    'remove quota': 'done',
    'remove credential': 'done',
    delete: 'done',
  },
} as const;

describe('operators of clusters', { skip }, () => {
  for (const [who, outcomes] of Object.entries(expected)) {
    test(who, { timeout: 120_000 }, async () => {
      assert.deepEqual(await java.ask(who, { servers }), outcomes);
    });
  }
});
