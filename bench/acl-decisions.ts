import { type Acl, Metrics, silentLog, systemClock } from '@weir/core';
import { apis } from '@weir/wire';
import { aclKey } from '../packages/cluster/src/acls/acl-entry.ts';
import { AclIndex } from '../packages/cluster/src/acls/acl-index.ts';
import { FollowedEntries } from '../packages/cluster/src/entries/followed-entries.ts';
import { createAccessOf } from '../packages/security/src/acl/access-of.ts';
import { openSession } from '../packages/security/src/session/client-session.ts';
import { atMost, type Benchmark } from './benchmark.ts';
import { sideBySide } from './side-by-side.ts';

const ruleCount = 10_000;
const principal = 'User:service-42';
const host = '10.0.0.7';
/** Topic names, used in turn so that consecutive decisions differ. */
const names = Array.from({ length: 1_000 }, (_, n) => `team-${n % 50}.orders.${n}.v1`);

function rule(n: number, differences: Partial<Acl>): Acl {
  return {
    resourceType: 'TOPIC',
    resourceName: `team-${n % 50}.orders.${n}`,
    patternType: n % 2 === 0 ? 'LITERAL' : 'PREFIXED',
    principal: `User:service-${n % 200}`,
    host: n % 10 === 0 ? `10.0.0.${n % 100}` : '*',
    operation: n % 3 === 0 ? 'WRITE' : 'READ',
    permission: n % 20 === 0 ? 'DENY' : 'ALLOW',
    ...differences,
  };
}

function rules(differences: (n: number) => Partial<Acl>): Acl[] {
  return Array.from({ length: ruleCount }, (_, n) => rule(n, differences(n)));
}

const topicNameCharsMax = 249;
const longNames = names.map((name) => name.padEnd(topicNameCharsMax, '.x'));

/**
 * ACLs of many users, and the worst case: all ACLs name the requesting principal, with prefixes of every topic name
 * length.
 */
const manyUsers = rules(() => ({}));
const oneUser = rules((n) => ({
  principal,
  patternType: 'PREFIXED',
  resourceName: longNames[n % names.length]!.slice(0, 1 + (n % topicNameCharsMax)),
  permission: 'DENY',
  operation: 'WRITE',
}));

/** Cost of one authorization decision with ten thousand ACLs, cached and uncached. */
export const aclDecisions: Benchmark = {
  name: 'acl-decisions',
  async run(effort) {
    const access = accessOver(manyUsers);
    const cached = {
      name: 'remembered',
      run: () => names.map((name) => access.mayQuietly('READ', 'TOPIC', name)),
    };
    const usual = await sideBySide(cached, contender(manyUsers, names), effort);
    const worst = await sideBySide(cached, contender(oneUser, longNames), effort);
    const row = (what: string, msPerRound: number, microsecondsMax: number) => ({
      what: `ACL decision with ${ruleCount} rules, ${what}`,
      result: Math.round((msPerRound / names.length) * 1e5) / 100,
      unit: 'µs' as const,
      bar: atMost(microsecondsMax),
      detail: `${names.length} topics in turn`,
    });
    return [
      row('remembered', usual.subjectMs, 2),
      row('cold, of 200 users', usual.referenceMs, 50),
      row(`cold, all about one user by prefixes of ${topicNameCharsMax} lengths`, worst.referenceMs, 50),
    ];
  },
};

function contender(acls: readonly Acl[], resourceNames: readonly string[]) {
  const index = AclIndex.of(acls);
  const question = { principals: [principal], host, operation: 'READ', resourceType: 'TOPIC' } as const;
  return {
    name: 'cold',
    run: () => resourceNames.map((resourceName) => index.decide({ ...question, resourceName }).isAllowed),
  };
}

/** The access check that request handlers use. */
function accessOver(acls: readonly Acl[]) {
  const records = new FollowedEntries();
  for (const acl of acls) records.put('acl', aclKey(acl), Buffer.alloc(0));
  const accessOf = createAccessOf({
    cluster: {
      clusterConfigs: () => configs,
      records: (namespace) => records.of(namespace),
    },
    agent: { agentId: 'bench', hostname: 'bench', listenerAddress: () => ':9092', clusterId: 'vci_bench' },
    logsDenials: false,
    clock: systemClock,
    log: silentLog,
    metrics: new Metrics(),
  });
  const who = { name: principal, aliases: [], credentialName: undefined, isSuperuser: false };
  return accessOf({
    api: apis.Fetch,
    correlationId: 1,
    clientId: null,
    session: openSession({ remoteAddress: host, remotePort: 1, user: who.name, principalOf: () => who }),
  });
}

const configs = { 'service.acls.enabled': 'true' };
