import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { newScramCredential, type ReportedConnections } from '@weir/cluster';
import { type Acl, systemClock } from '@weir/core';
import type { QueryRequest } from '@weir/events';
import { runQuery } from '@weir/events/query';
import type { ClusterNode } from '@weir/metadata';
import { type McpStage, openMcpStage } from '../../packages/controlplane/testing/mcp-stage.ts';
import { oneBatchFile } from '../../packages/controlplane/testing/one-batch-file.ts';
import { appGrant, makeAccount, type TestAccount } from '../../packages/controlplane/testing/two-accounts.ts';
import { changeDiagnostics } from '../../packages/diagnostics/src/change.ts';
import { agentOf } from '../../packages/diagnostics/testing/diagnostic-snapshot.ts';
import { eventHistory } from './event-history.ts';
import { playPipelines, seedPipelines } from './pipelines.ts';

interface SeededCluster {
  readonly url: string;
  readonly docsUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers of a key with write permission, although the tools do not change anything. */
  readonly administratorHeaders: Readonly<Record<string, string>>;
}

const hourMs = 3_600_000;

/**
 * Two virtual clusters with topics, groups, ACLs, agents, a failing diagnostic, pipelines and two hours of events.
 * Leader, operations, query engine and protocol are real; only agents and their log are simulated.
 */
export async function seedCluster(t: TestContext): Promise<SeededCluster> {
  const stage = await openMcpStage(t, { requestsPerKey: { burst: 100_000, perSecond: 1_000 } });
  const account = await makeAccount(stage.accounts, 'Example');
  await configure(stage.node);
  await fill(stage.node);
  await addRules(stage.node);
  await failDiagnostic(stage, account);
  await seedPipelines(stage.accounts, account);
  await seedAuditLog(stage, account);
  await playAgents(t, stage.node);
  await playPipelines(stage.node);
  const key = await account.key('eval', appGrant(account.a.id, 'app_r'), appGrant(account.b.id, 'app_r'));
  const administratorKey = await account.key('eval_admin', appGrant(account.a.id));
  return {
    url: stage.url,
    docsUrl: stage.docsUrl,
    headers: { 'service-api-key': key },
    administratorHeaders: { 'service-api-key': administratorKey },
  };
}

async function configure(node: ClusterNode): Promise<void> {
  const settings = { 'service.acls.enabled': 'true', 'service.events.enabled': 'true' };
  const changes = Object.entries(settings).map(
    ([name, value]) => ({ name, operation: 'set', value }) as const,
  );
  await node.alterConfigs([{ kind: 'cluster', name: '', replacesAll: false, changes }], {
    validateOnly: false,
  });
}

async function fill(node: ClusterNode): Promise<void> {
  const topics = [
    { name: 'orders', partitionCount: 6, configs: { 'retention.ms': String(7 * 24 * hourMs) } },
    { name: 'refunds', partitionCount: 3, configs: {} },
    { name: 'clicks', partitionCount: 12, configs: { 'retention.ms': String(24 * hourMs) } },
    { name: 'customers', partitionCount: 1, configs: { 'cleanup.policy': 'compact' } },
  ];
  const made = await node.createTopics(topics, { validateOnly: false });
  const [orders, , clicks] = made.map(({ topic }) => topic!.topicId);
  await node.commitFiles([oneBatchFile(1, orders!, 0, 1000), oneBatchFile(2, clicks!, 3, 8000)]);
  await commitOffset(node, 'billing', orders!, 0, 600);
  await commitOffset(node, 'shipping', orders!, 0, 1000);
  await commitOffset(node, 'analytics', clicks!, 3, 3000);
}

async function commitOffset(
  node: ClusterNode,
  groupId: string,
  topicId: string,
  partition: number,
  offset: number,
) {
  const noMember = { generationIdOrMemberEpoch: -1, memberId: '', groupInstanceId: null, retentionMs: -1 };
  const offsets = [{ topicId, partition, offset, leaderEpoch: -1, metadata: '' }];
  await node.commitOffsets([{ ...noMember, groupId, offsets }]);
}

async function addRules(node: ClusterNode): Promise<void> {
  const rule = (
    principal: string,
    permission: Acl['permission'],
    operation: Acl['operation'],
    name: string,
  ): Acl => ({
    resourceType: 'TOPIC',
    resourceName: name,
    patternType: 'LITERAL',
    principal,
    host: '*',
    operation,
    permission,
  });
  await node.createAcls([
    rule('User:ccn_shop', 'ALLOW', 'WRITE', 'orders'),
    rule('User:ccn_shop', 'ALLOW', 'READ', 'refunds'),
    rule('User:ccn_reports', 'ALLOW', 'READ', '*'),
    rule('User:ccn_reports', 'DENY', 'READ', 'orders'),
  ]);
  const password = await newScramCredential('a password', randomBytes);
  await node.putCredentials(
    ['shop', 'reports', 'admin'].map((name) => ({
      username: `ccun_${name}`,
      id: `cci_${name}`,
      name: `ccn_${name}`,
      isSuperuser: name === 'admin',
      isFromFile: false,
      password,
    })),
  );
}

async function failDiagnostic({ diagnostics }: McpStage, { a }: TestAccount): Promise<void> {
  const finding = {
    entity: { kind: 'cluster', name: a.clusterId },
    message: 'None of 2 agents has the jobs role.',
    weight: 1,
  } as const;
  const nowMs = systemClock.nowMs();
  for (const atMs of [nowMs - 1_200_000, nowMs - 1_140_000]) {
    const event = { kind: 'looked', atMs, result: [finding] } as const;
    await changeDiagnostics(diagnostics, a.clusterId, [{ name: 'no_jobs_agent', event }], atMs);
  }
}

function reportHead(number: number) {
  return { startedMs: 1, number, sinceNumber: number - 1, spanMs: 1_000, nowMs: systemClock.nowMs() };
}

/** Returns the client connections of an agent. */
function clientsOf(agentId: string): ReportedConnections {
  const kind = (
    name: string,
    version: string,
    connectionCount: number,
    principals: string[],
    id?: string,
  ) => ({
    name,
    version,
    connectionCount,
    principals,
    principalCount: principals.length,
    clientIds: id === undefined ? [] : [id],
    clientIdCount: id === undefined ? 0 : 1,
  });
  const software =
    agentId === 'agent-b'
      ? [kind('apache-kafka-java', '4.3.0', 20, ['User:ccn_shop'], 'shop-producer')]
      : [
          kind('librdkafka', '1.9.2', 12, ['User:ccn_reports', 'User:ANONYMOUS'], 'reports'),
          kind('apache-kafka-java', '4.3.0', 10, ['User:ccn_shop'], 'shop-producer'),
          kind('', '', 5, ['User:ANONYMOUS']),
        ];
  return { connectionCount: software.reduce((sum, one) => sum + one.connectionCount, 0), software };
}

/** Adds audit log entries of the orders workspace: old ones, and some of the last hour. */
async function seedAuditLog({ accounts, deps }: McpStage, { accountId, a }: TestAccount) {
  const did = (name: string, operation: string, target: string, result = 'ok', message = '') => ({
    accountId,
    actor: { kind: 'user' as const, id: `ui_${name}`, name: `${name}@example.com` },
    remoteAddress: '203.0.113.7',
    userAgent: 'Firefox',
    operation,
    workspaceId: a.id,
    targets: [a.clusterId, target],
    result,
    ...(message === '' ? {} : { message }),
  });
  const steps: [minutes: number, ...notes: ReturnType<typeof did>[]][] = [
    [0, did('ada', 'create_topic', 'customers')],
    [180, did('ada', 'create_topic', 'orders')],
    [10, did('grace', 'update_topic_configuration', 'clicks')],
    [
      10,
      did('ada', 'delete_topic', 'orders', 'deletion_protected', 'orders has deletion protection enabled'),
    ],
  ];
  for (const [minutes, ...notes] of steps) {
    deps.clock.advance(minutes * 60_000);
    await accounts.auditLog.append(notes);
  }
}

/** Simulates two agents with heartbeats, of which one answers queries with the real engine. */
async function playAgents(t: TestContext, node: ClusterNode): Promise<void> {
  const source = await eventHistory(systemClock.nowMs());
  const stop = new AbortController();
  t.after(() => stop.abort());
  let reportNumber = 0;
  const beat = async () => {
    for (const agentId of ['agent-a', 'agent-b']) {
      const { lastSeenMs, clockOffsetMs, certificates, tokens, ...agent } = agentOf(agentId, {
        roles: ['proxy'],
        zone: agentId === 'agent-a' ? 'zone-1' : 'zone-2',
        release: agentId === 'agent-a' ? 'v830' : 'v829',
      });
      await node.heartbeat({
        ...agent,
        report: { ...reportHead(++reportNumber), connected: clientsOf(agentId) },
      });
    }
    if (!stop.signal.aborted) cancel = systemClock.after(1_000, () => void beat().catch(() => {}));
  };
  let cancel = () => {};
  stop.signal.addEventListener('abort', () => cancel());
  await beat();
  const serve = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const taken = await node.takeQuery({ agentId: 'agent-a', waitMs: 1_000 }).catch(() => null);
      if (taken === null) continue;
      const request = JSON.parse(Buffer.from(taken.request).toString()) as QueryRequest;
      const answer = await runQuery(request, source, { clock: systemClock, signal: stop.signal });
      await node.reportQuery({
        agentId: 'agent-a',
        queryId: taken.queryId,
        state: 'done',
        answer: Buffer.from(JSON.stringify(answer)),
        message: '',
      });
    }
  };
  void serve().catch(() => {});
}
