import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ReceivedRequest } from '@weir/broker/testing';
import { aclKey, FollowedEntries } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import {
  type Acl,
  type AclOperation,
  type AclPermission,
  type AclResourceType,
  type Log,
  type LogFields,
  Metrics,
  operationBits,
} from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { apis } from '@weir/wire';
import { securityLimits } from '../limits.ts';
import type { Principal } from '../principal.ts';
import { openSession } from '../session/client-session.ts';
import { createAccessOf } from './access-of.ts';

/** Parses `ALLOW READ TOPIC orders`; the principal is alice unless given: `ALLOW READ TOPIC orders User:bob`. */
function rule(text: string): Acl {
  const [permission, operation, resourceType, resourceName, principal = 'User:alice', ...rest] =
    text.split(' ');
  return {
    permission: permission as AclPermission,
    operation: operation as AclOperation,
    resourceType: resourceType as AclResourceType,
    resourceName: resourceName!,
    patternType: rest.includes('PREFIXED') ? 'PREFIXED' : 'LITERAL',
    principal,
    host: '*',
  };
}

const alice: Principal = {
  name: 'User:alice',
  aliases: ['User:ccn_alice'],
  credentialName: 'ccn_alice',
  isSuperuser: false,
};
const root: Principal = { name: 'User:root', aliases: [], credentialName: 'ccn_root', isSuperuser: true };

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

function listeningLog(lines: Line[]): Log {
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) => {
      lines.push({ level, message, fields });
    };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: () => listeningLog(lines),
  };
}

/** Access of an agent with the ACLs and the mode that the test sets. */
class Stage {
  readonly records = new FollowedEntries();
  readonly clock = new HandClock();
  readonly lines: Line[] = [];
  readonly metrics = new Metrics();
  /** Denials that were emitted as events while events are on. */
  readonly events: Record<string, unknown>[] = [];
  areEventsOn = false;
  configs: Readonly<Record<string, string>> = {};
  readonly #accessOf;

  constructor({ logsDenials = true } = {}) {
    this.#accessOf = createAccessOf({
      cluster: {
        clusterConfigs: () => this.configs,
        records: (namespace) => this.records.of(namespace),
      },
      agent: {
        agentId: 'agent-1',
        hostname: 'agent-1.test',
        listenerAddress: () => ':9092',
        clusterId: 'vci_test',
      },
      logsDenials,
      events: {
        isOn: (type) => type === 'acl_logs' && this.areEventsOn,
        emit: (_type, data) => this.events.push({ ...data }),
      },
      clock: this.clock,
      log: listeningLog(this.lines),
      metrics: this.metrics,
    });
  }

  enforce(): this {
    this.configs = { 'service.acls.enabled': 'true' };
    return this;
  }

  shadow(): this {
    this.configs = { 'service.acl.shadowing.enabled': 'true' };
    return this;
  }

  put(...rules: string[]): void {
    for (const text of rules) this.records.put('acl', aclKey(rule(text)), Buffer.alloc(0));
  }

  remove(text: string): void {
    this.records.put('acl', aclKey(rule(text)), null);
  }

  access(principal: Principal = alice, remoteAddress = '::ffff:10.0.0.7') {
    const request: ReceivedRequest = {
      api: apis.Fetch,
      apiVersion: 11,
      correlationId: 42,
      clientId: 'app',
      body: {},
      requestBytes: 0,
      session: openSession({
        remoteAddress,
        remotePort: 1,
        user: principal.name,
        principalOf: () => principal,
      }),
      closed: new AbortController().signal,
    };
    return this.#accessOf(request);
  }

  /** Denials that the metric has counted. */
  denied(): string[] {
    const lines = this.metrics.render().split('\n');
    return lines.filter((line) => line.startsWith('service_agent_acl_denied{'));
  }
}

describe('modes', () => {
  test('off: every client may do everything, whatever the ACLs', () => {
    const stage = new Stage();
    stage.put('DENY ALL TOPIC *');
    assert.equal(stage.access().may('READ', 'TOPIC', 'orders'), true);
    assert.deepEqual([stage.lines, stage.denied()], [[], []]);
  });

  test('enforced: what no ACL allows is denied, counted and logged', () => {
    const stage = new Stage().enforce();
    stage.put('ALLOW READ TOPIC orders');
    const access = stage.access();
    assert.equal(access.may('READ', 'TOPIC', 'orders'), true);
    assert.equal(access.may('READ', 'TOPIC', 'payments'), false);
    assert.equal(access.mayQuietly('READ', 'TOPIC', 'secrets'), false);
    assert.equal(access.operationsOn('TOPIC', 'orders'), operationBits(['READ', 'DESCRIBE']));
    assert.equal(access.mayOnSome('READ', 'TOPIC'), true);
    assert.equal(access.mayOnSome('WRITE', 'TOPIC'), false);
    assert.deepEqual(stage.denied(), ['service_agent_acl_denied{resource_type="TOPIC",operation="READ"} 1']);
    assert.deepEqual(
      stage.lines.map(({ level, message }) => `${level} ${message}`),
      ['warn User:alice was denied READ of TOPIC payments: no ACL allows it'],
    );
  });

  test('shadow: nothing is denied, and would-be denials are counted and logged', () => {
    const stage = new Stage().shadow();
    stage.put('ALLOW READ TOPIC orders', 'DENY WRITE TOPIC orders');
    const access = stage.access();
    assert.equal(access.may('READ', 'TOPIC', 'orders'), true);
    assert.equal(access.may('WRITE', 'TOPIC', 'orders'), true);
    assert.equal(access.mayQuietly('DESCRIBE', 'TOPIC', 'secrets'), true);
    assert.equal(
      access.operationsOn('GROUP', 'g'),
      operationBits(['READ', 'DELETE', 'DESCRIBE', 'DESCRIBE_CONFIGS', 'ALTER_CONFIGS']),
    );
    assert.deepEqual(stage.denied(), ['service_agent_acl_denied{resource_type="TOPIC",operation="WRITE"} 1']);
    const [line, ...others] = stage.lines;
    assert.deepEqual(others, []);
    assert.equal(line!.level, 'info');
    assert.equal(line!.fields.is_shadow, true);
    assert.match(
      line!.message,
      /would have been denied WRITE .* because of the ACL TOPIC orders: DENY WRITE/,
    );
  });

  test('shadow: a missing right on the cluster is not granted quietly, so that the check on the resource is logged', () => {
    const stage = new Stage().shadow();
    const access = stage.access();
    assert.equal(access.mayQuietly('CREATE', 'CLUSTER', 'kafka-cluster'), false);
    assert.equal(access.mayOnSome('WRITE', 'TOPIC'), false);
    assert.equal(access.may('CREATE', 'TOPIC', 'orders'), true);
    assert.equal(stage.lines.length, 1);
  });

  test('a new mode applies as soon as the agent receives it', () => {
    const stage = new Stage();
    const may = () => stage.access().may('READ', 'TOPIC', 'orders');
    assert.equal(may(), true);
    stage.enforce();
    assert.equal(may(), false);
    stage.shadow();
    assert.equal(may(), true);
  });

  test('ACLs do not apply to superusers, but to the principals that they impersonate', () => {
    const stage = new Stage().enforce();
    stage.put('DENY ALL TOPIC * User:root', 'ALLOW WRITE TOPIC orders');
    const access = stage.access(root);
    assert.equal(access.may('WRITE', 'TOPIC', 'payments'), true);
    assert.equal(access.as(alice).may('WRITE', 'TOPIC', 'orders'), true);
    assert.equal(access.as(alice).may('WRITE', 'TOPIC', 'payments'), false);
    assert.equal(access.as({ ...root, name: 'User:other' }).may('WRITE', 'TOPIC', 'payments'), false);
  });
});

describe('changed ACLs', () => {
  test('apply at once, even within a request', () => {
    const stage = new Stage().enforce();
    const access = stage.access();
    const may = () => access.may('READ', 'TOPIC', 'orders');
    assert.equal(may(), false);
    stage.put('ALLOW READ TOPIC orders');
    assert.equal(may(), true);
    stage.put('DENY ALL TOPIC *');
    assert.equal(may(), false);
    stage.remove('DENY ALL TOPIC *');
    assert.equal(may(), true);
    stage.records.restart([]);
    assert.equal(may(), false);
  });

  test('apply when there are more changes than are tracked one by one', () => {
    const stage = new Stage().enforce();
    const access = stage.access();
    assert.equal(access.may('READ', 'TOPIC', 'orders'), false);
    for (let n = 0; n <= clusterLimits.followedChangesMax; n++) stage.put(`ALLOW READ TOPIC t${n}`);
    assert.equal(access.may('READ', 'TOPIC', `t${clusterLimits.followedChangesMax}`), true);
    assert.equal(access.may('READ', 'TOPIC', 't0'), true);
    stage.remove('ALLOW READ TOPIC t0');
    assert.equal(access.may('READ', 'TOPIC', 't0'), false);
  });

  test('decisions depend on aliases and address', () => {
    const stage = new Stage().enforce();
    stage.put('ALLOW READ TOPIC orders User:ccn_alice');
    assert.equal(stage.access().may('READ', 'TOPIC', 'orders'), true);
    const other = { ...alice, aliases: [] };
    assert.equal(stage.access(other).may('READ', 'TOPIC', 'orders'), false, 'cached separately');
    const deny = { ...rule('DENY READ TOPIC orders User:*'), host: '10.0.0.8' };
    stage.records.put('acl', aclKey(deny), Buffer.alloc(0));
    assert.equal(stage.access(alice, '10.0.0.8').may('READ', 'TOPIC', 'orders'), false);
    assert.equal(stage.access(alice, '10.0.0.7').may('READ', 'TOPIC', 'orders'), true);
  });

  test('a forged principal name cannot look like several names', () => {
    const stage = new Stage().enforce();
    stage.put('ALLOW READ TOPIC orders User:ccn_alice');
    assert.equal(stage.access().may('READ', 'TOPIC', 'orders'), true);
    for (const between of ['\n', '","', ' ']) {
      const forged = { ...alice, name: `User:alice${between}User:ccn_alice`, aliases: [] };
      assert.equal(stage.access(forged).may('READ', 'TOPIC', 'orders'), false);
    }
  });

  test('decisions about long names are not cached', () => {
    const stage = new Stage().enforce();
    stage.put('ALLOW READ GROUP g User:alice PREFIXED');
    const name = 'g'.repeat(securityLimits.aclDecisionNameCharsMax + 1);
    assert.equal(stage.access().mayQuietly('READ', 'GROUP', name), true);
    assert.equal(stage.access().mayQuietly('READ', 'GROUP', `x${name}`), false);
  });
});

/** What the fields of a decision say about the client, its request and the agent. */
const ofRequest = {
  credential_name: 'alice',
  client_address: '10.0.0.7',
  client_id: 'app',
  operation: 'READ',
  resource_type: 'TOPIC',
  kafka_enabled: true,
  kafka_api_key: 1,
  kafka_api_key_name: 'Fetch',
  correlation_id: 42,
  address: ':9092',
  agent_id: 'agent-1',
  hostname_fqdn: 'agent-1.test',
  virtual_cluster_id: 'vci_test',
  virtual_cluster_name: 'vci_test',
};

describe('denial log', () => {
  test('a line has all fields', () => {
    const stage = new Stage().enforce();
    stage.access().may('READ', 'TOPIC', 'payments');
    assert.deepEqual(stage.lines[0]!.fields, {
      module: 'acl',
      is_log: true,
      log_level: 'warn',
      is_allowed: false,
      reason: 'no ACL allows it',
      is_shadow: false,
      principal: 'User:alice',
      ...ofRequest,
      resource_name: 'payments',
    });
  });

  test('the same denial is logged once a minute, with the number of suppressed ones', () => {
    const stage = new Stage().enforce();
    const deny = () => stage.access().may('READ', 'TOPIC', 'payments');
    for (let n = 0; n < 5; n++) deny();
    stage.access().may('READ', 'TOPIC', 'others');
    assert.equal(stage.lines.length, 2);
    stage.clock.advance(60_000);
    deny();
    assert.equal(stage.lines.length, 3);
    assert.equal(stage.lines[2]!.fields.suppressed, 4);
    assert.deepEqual(stage.denied(), ['service_agent_acl_denied{resource_type="TOPIC",operation="READ"} 7']);
  });

  test('different denials are logged at a limited rate, and the rest are counted', () => {
    const stage = new Stage().enforce();
    const many = securityLimits.aclDenialsLoggedPerSecond + 10;
    for (let n = 0; n < many; n++) stage.access().may('READ', 'TOPIC', `t${n}`);
    assert.equal(stage.lines.length, securityLimits.aclDenialsLoggedPerSecond);
    stage.clock.advance(1_000);
    stage.access().may('READ', 'TOPIC', 'later');
    assert.equal(stage.lines.at(-1)!.fields.suppressed_others, 10);
    stage.access().may('READ', 'TOPIC', 'last');
    assert.equal(stage.lines.at(-1)!.fields.suppressed_others, undefined);
  });

  test('a long name is truncated', () => {
    const stage = new Stage().enforce();
    stage.access().may('READ', 'GROUP', 'g'.repeat(30_000));
    assert.ok(
      String(stage.lines[0]!.fields.resource_name).length <= securityLimits.aclDecisionNameCharsMax + 1,
    );
    assert.ok(stage.lines[0]!.message.length < 1000);
  });

  test('without the flag nothing is logged, and the metric counts', () => {
    const stage = new Stage({ logsDenials: false }).enforce();
    assert.equal(stage.access().may('READ', 'TOPIC', 'payments'), false);
    assert.deepEqual(stage.lines, []);
    assert.equal(stage.denied().length, 1);
  });
});

describe('denials as events', () => {
  test('an event has the content of the log line', () => {
    const stage = new Stage().enforce();
    stage.areEventsOn = true;
    stage.access().may('READ', 'TOPIC', 'payments');
    const [{ fields, message }] = stage.lines as [Line];
    assert.deepEqual(stage.events, [{ ...fields, message }]);
  });

  test('a would-be denial in shadow mode is an event, too', () => {
    const stage = new Stage().shadow();
    stage.areEventsOn = true;
    assert.equal(stage.access().may('READ', 'TOPIC', 'payments'), true);
    const [{ is_shadow, log_level }] = stage.events as [Record<string, unknown>];
    assert.deepEqual({ is_shadow, log_level }, { is_shadow: true, log_level: 'info' });
  });

  test('events do not need the log, and are marked so', () => {
    const stage = new Stage({ logsDenials: false }).enforce();
    stage.areEventsOn = true;
    stage.access().may('READ', 'TOPIC', 'payments');
    assert.deepEqual([stage.lines.length, stage.events.length], [0, 1]);
    assert.equal(stage.events[0]!.is_log, false);
  });

  test('a denial that was just logged is still emitted when events are switched on, and then once a minute', () => {
    const stage = new Stage().enforce();
    const deny = () => stage.access().may('READ', 'TOPIC', 'payments');
    deny();
    stage.areEventsOn = true;
    deny();
    deny();
    assert.deepEqual([stage.lines.length, stage.events.length], [1, 1]);
    stage.clock.advance(60_000);
    deny();
    assert.deepEqual(
      stage.events.map(({ suppressed }) => suppressed),
      [undefined, 1],
    );
  });
});

describe('what is allowed, as events', () => {
  const allowed = (stage: Stage) => stage.events.map(({ message }) => message);

  test('an event names the client, the resource and the ACL, and the log stays as it is', () => {
    const stage = new Stage().enforce();
    stage.put('ALLOW READ TOPIC orders');
    stage.areEventsOn = true;
    assert.equal(stage.access().may('READ', 'TOPIC', 'orders'), true);
    const [{ message, ...fields }] = stage.events as [Record<string, unknown>];
    assert.match(String(message), /^User:alice was allowed READ of TOPIC orders: because of the ACL /);
    assert.deepEqual(stage.lines, []);
    assert.deepEqual(fields, {
      module: 'acl',
      is_log: false,
      log_level: 'info',
      is_allowed: true,
      is_shadow: false,
      principal: 'User:alice',
      ...ofRequest,
      resource_name: 'orders',
    });
  });

  test('the same is one event in ten minutes, and again when an ACL changed', () => {
    const stage = new Stage().enforce();
    stage.put('ALLOW READ TOPIC orders');
    const read = () => stage.access().may('READ', 'TOPIC', 'orders');
    read();
    stage.areEventsOn = true;
    for (let n = 0; n < 100; n++) read();
    assert.equal(stage.events.length, 1);
    stage.clock.advance(10 * 60_000);
    read();
    read();
    assert.equal(stage.events.length, 2);
    stage.put('ALLOW WRITE TOPIC orders');
    read();
    assert.equal(stage.events.length, 3);
  });

  test('at most some a second; the others come later', () => {
    const stage = new Stage().enforce();
    stage.put('ALLOW READ TOPIC *');
    stage.areEventsOn = true;
    const many = securityLimits.aclAllowancesPerSecond + 5;
    const read = () => {
      for (let n = 0; n < many; n++) stage.access().may('READ', 'TOPIC', `t${n}`);
    };
    read();
    assert.equal(stage.events.length, securityLimits.aclAllowancesPerSecond);
    stage.clock.advance(1_000);
    read();
    assert.equal(stage.events.length, many);
  });

  test('a name that is too long to be remembered, a superuser and a quiet check are none', () => {
    const stage = new Stage().enforce();
    stage.put('ALLOW READ GROUP g User:alice PREFIXED');
    stage.areEventsOn = true;
    stage.access().may('READ', 'GROUP', 'g'.repeat(securityLimits.aclDecisionNameCharsMax + 1));
    stage.access().mayQuietly('READ', 'GROUP', 'g1');
    stage.access(root).may('READ', 'TOPIC', 'orders');
    assert.deepEqual(stage.events, []);
  });

  test('in shadow mode it says what would have been', () => {
    const stage = new Stage().shadow();
    stage.put('ALLOW READ TOPIC orders');
    stage.areEventsOn = true;
    stage.access().may('READ', 'TOPIC', 'orders');
    assert.match(String(allowed(stage)[0]), /^User:alice would have been allowed READ of TOPIC orders/);
  });
});

describe('ACLs that never match', () => {
  const reasons = (stage: Stage) => stage.lines.map(({ fields }) => fields.reason ?? fields.count);

  test('are logged in shadow mode, each once', () => {
    const stage = new Stage();
    stage.put('ALLOW READ TOPIC * User:alice PREFIXED', 'ALLOW READ TOPIC orders');
    stage.access();
    stage.enforce().access();
    assert.deepEqual(stage.lines, []);
    stage.shadow().access();
    stage.access();
    assert.deepEqual(reasons(stage), ['PREFIXED * matches nothing; LITERAL * is every name.']);
    stage.put('ALLOW READ TOPIC more');
    stage.access();
    assert.equal(stage.lines.length, 1);
    stage.put('ALLOW READ TOPIC orders-*');
    stage.access();
    assert.match(String(reasons(stage)[1]), /Topic names cannot contain a star/);
    stage.remove('ALLOW READ TOPIC orders-*');
    stage.access();
    stage.put('ALLOW READ TOPIC orders-*');
    stage.access();
    assert.equal(stage.lines.length, 3, 'an ACL that is created again is logged again');
  });

  test('are logged individually up to a limit', () => {
    const stage = new Stage().shadow();
    for (let n = 0; n < securityLimits.aclInvalidRulesLoggedMax + 5; n++)
      stage.put(`ALLOW READ TOPIC t${n}*`);
    stage.access();
    assert.equal(stage.lines.length, securityLimits.aclInvalidRulesLoggedMax + 1);
    assert.equal(reasons(stage).at(-1), 5);
  });
});
