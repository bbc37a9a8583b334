import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { TestContext } from 'node:test';
import {
  ApiError,
  type CallOf,
  catalogue,
  type ErrorCode,
  errorsOf,
  type OutputOf,
  parseJson,
  printJson,
  readInput,
} from '@weir/api';
import type { ClusterPort } from '@weir/cluster';
import { silentLog, systemClock, systemRandom } from '@weir/core';
import type { Transition } from '@weir/diagnostics';
import { MemoryDiagnosticsStore } from '@weir/diagnostics/testing';
import type { ClusterNode } from '@weir/metadata';
import type { RoleGrant } from '../src/accounts/access/grants.ts';
import type { AuditChange } from '../src/accounts/audit/audit-log.ts';
import type { VirtualCluster } from '../src/accounts/workspaces/virtual-clusters.ts';
import type { CallContext } from '../src/operations/call-context.ts';
import {
  type ClusterOperationName,
  clusterOperations,
} from '../src/operations/cluster/cluster-operations.ts';
import type { ClusterServices } from '../src/operations/cluster/services.ts';
import { openRegistries } from '../src/schema-registry/open-registries.ts';
import { startLeader } from './leading-node.ts';
import { oneBatchFile } from './one-batch-file.ts';
import { clusterCalled } from './virtual-cluster.ts';

type Body<Name extends ClusterOperationName> = Omit<CallOf<Name>, 'virtual_cluster_id'> & {
  readonly virtual_cluster_id?: string;
};

/** The operations on a cluster, as the API serves them: input and output are validated against the catalogue. */
export interface TestClusterApi {
  readonly node: ClusterNode;
  readonly store: MemoryDiagnosticsStore;
  readonly transitions: readonly Transition[];
  /** What calls reported to the audit log, oldest first. */
  readonly changes: readonly AuditChange[];
  /** As in the registry. */
  readonly cluster: VirtualCluster;
  call<Name extends ClusterOperationName>(name: Name, body: Body<Name>): Promise<OutputOf<Name>>;
  /** Returns the code and the message with which a call is refused. */
  refusal<Name extends ClusterOperationName>(name: Name, body: Body<Name>): Promise<[ErrorCode, string]>;
  addTopic(name: string, partitionCount?: number): Promise<string>;
  /** Writes records to a partition. */
  write(topicId: string, partition: number, recordCount: number): Promise<void>;
}

export async function openTestClusterApi(
  t: TestContext,
  differences: Partial<ClusterServices> & {
    readonly port?: ClusterPort;
    /** Of the caller; none by default. */
    readonly grants?: readonly RoleGrant[];
  } = {},
): Promise<TestClusterApi> {
  const node = await startLeader(t);
  const store = new MemoryDiagnosticsStore();
  const transitions: Transition[] = [];
  const changes: AuditChange[] = [];
  let cluster = clusterCalled('test');
  let drawn = 0;
  const draw = (byteCount: number) =>
    createHash('shake256', { outputLength: byteCount }).update(String(drawn++)).digest();
  const clusterPort = () => differences.port ?? node;
  const registries = openRegistries({
    portOf: clusterPort,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  });
  t.after(() => registries.close());
  const handlers = clusterOperations({
    clusterPort,
    registries,
    virtualClusters: {
      async change(_accountId, _clusterId, change) {
        cluster = { ...cluster, ...(change as Partial<VirtualCluster>) };
        return cluster;
      },
    },
    diagnostics: store,
    onTransition: (transition) => transitions.push(transition),
    metricRows: () => [],
    freshUuid: () =>
      draw(16)
        .toString('hex')
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    randomBytes: draw,
    ...differences,
  });

  async function call<Name extends ClusterOperationName>(name: Name, body: Body<Name>) {
    const sent = { virtual_cluster_id: cluster.id, ...body };
    const input = readInput(name, parseJson(printJson(sent)));
    const handler = handlers[name] as (input: unknown, context: CallContext) => Promise<OutputOf<Name>>;
    const answer = await handler(input, contextOf(cluster, changes, differences.grants));
    // A field that is not in the catalogue would be dropped, and a missing one would break clients.
    assert.deepEqual(catalogue[name].output.parse(answer), answer);
    return parseJson(printJson(answer)) as OutputOf<Name>;
  }

  return {
    node,
    store,
    transitions,
    changes,
    get cluster() {
      return cluster;
    },
    call,
    async refusal(name, body) {
      try {
        await call(name, body);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        assert.ok(errorsOf(catalogue[name]).includes(error.code), `${name} does not name ${error.code}`);
        return [error.code, error.message];
      }
      throw new Error(`${name} was not refused`);
    },
    async addTopic(name, partitionCount = 1) {
      const [result] = await node.createTopics([{ name, partitionCount, configs: {} }], {
        validateOnly: false,
      });
      return result!.topic!.topicId;
    },
    async write(topicId, partition, recordCount) {
      await node.commitFiles([oneBatchFile(drawn++, topicId, partition, recordCount)]);
    },
  };
}

function contextOf(
  cluster: VirtualCluster,
  changes: AuditChange[],
  grants: readonly RoleGrant[] = [],
): CallContext {
  return {
    actor: { kind: 'user', id: 'ui_ada', accountId: cluster.accountId, grants },
    actorName: 'ada@example.com',
    accountId: cluster.accountId,
    remoteAddress: '127.0.0.1',
    userAgent: 'test',
    signedIn: undefined,
    browser: { token: undefined, begin: () => {}, end: () => {} },
    cluster,
    happensIn: () => {},
    changed: (more) => changes.push(...more),
    read: () => {},
    stop: new AbortController().signal,
    clock: systemClock,
    log: silentLog,
  };
}
