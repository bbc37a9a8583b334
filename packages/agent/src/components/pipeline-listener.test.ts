import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { addUser, logInByPassword, logInByScram, TestClient } from '@weir/broker/testing';
import { clusterSecrets, type EntriesView } from '@weir/cluster';
import { type Log, silentLog } from '@weir/core';
import { pause } from '@weir/core/testing';
import { PipelineLogins } from '@weir/security';
import { errors } from '@weir/wire';
import { startAgentUnderTest } from '../../testing/running-agent.ts';
import type { AgentOptions } from '../agent-options.ts';

const scramOnly = { isRequired: true, passwordMechanisms: ['SCRAM-SHA-512'], sessionMsMax: 0 } as const;
const withPlain = { ...scramOnly, passwordMechanisms: ['PLAIN'] } as const;
const agentSecret = { test: 'secret of the cluster' };

/** Starts an agent; `port` is that of its listener for pipelines, if it has one. */
async function stage(t: TestContext, differences: Partial<AgentOptions>) {
  let port: unknown;
  const log: Log = {
    ...silentLog,
    info(message, fields) {
      if (message === 'started listener for managed pipelines') port = fields?.port;
    },
    with: () => log,
  };
  const under = await startAgentUnderTest(t, { ...differences, log });
  under.cluster.putRecord(
    clusterSecrets.pageExchange.namespace,
    clusterSecrets.pageExchange.key,
    agentSecret,
  );
  addUser(under.cluster, 'alice', 'wonderland');
  return {
    ...under,
    port: port as number | undefined,
    async connectAsPipeline() {
      const client = await TestClient.connect(port as number);
      t.after(() => client.socket.destroy());
      return client;
    },
  };
}

test('a listener that pipelines cannot use has one for them beside it', async (t) => {
  const roles = ['proxy', 'jobs', 'pipelines'] as const;
  const cases: [differences: Partial<AgentOptions>, hasOne: boolean][] = [
    [{ roles, sasl: scramOnly }, true],
    [
      {
        roles,
        proxyProtocol: { principalType: undefined, trustedCidrs: ['10.0.0.0/8'], allowsSuperusers: false },
      },
      true,
    ],
    [{ roles, sasl: withPlain }, false],
    [{ roles }, false],
    [{ sasl: scramOnly }, false],
  ];
  for (const [differences, hasOne] of cases) {
    const { port } = await stage(t, differences);
    assert.equal(port !== undefined, hasOne, JSON.stringify(differences));
  }
});

test('the listener for pipelines serves those that log in as one, and no others', async (t) => {
  const { cluster, connect, connectAsPipeline, clock } = await stage(t, {
    roles: ['proxy', 'jobs', 'pipelines'],
    sasl: scramOnly,
  });
  cluster.addTopic('t');
  const metadata = { topics: null };

  const anonymous = await connectAsPipeline();
  anonymous.send('Metadata', 9, metadata);
  await anonymous.closed;

  /** A refusal is delayed. */
  const refusalOf = async (user: string, password: string) => {
    let code: number | undefined;
    void logInByPassword(await connectAsPipeline(), user, password).then(({ errorCode }) => {
      code = errorCode;
    });
    while (code === undefined) {
      clock.advance(100);
      await pause(1);
    }
    return code;
  };
  const refused = errors.SASL_AUTHENTICATION_FAILED.code;

  // Who may use the cluster otherwise may not use this listener.
  assert.equal((await logInByScram(await connect(), 'alice', 'wonderland')).errorCode, 0);
  assert.equal(await refusalOf('alice', 'wonderland'), refused);
  const handshake = await (await connectAsPipeline()).call('SaslHandshake', 1, {
    mechanism: 'SCRAM-SHA-512',
  });
  assert.equal(handshake.errorCode, errors.UNSUPPORTED_SASL_MECHANISM.code);

  const byKey = new Map([[clusterSecrets.pageExchange.key, Buffer.from(JSON.stringify(agentSecret))]]);
  const logins = new PipelineLogins({
    agentSecrets: { byKey } as unknown as EntriesView,
    isAgent: () => true,
  });
  const { username, password } = logins.issue('pi_1', 'agent-under-test')!;
  assert.equal(await refusalOf(username, `${password}x`), refused);
  const gone = logins.issue('pi_1', 'agent-that-is-gone')!;
  assert.equal(await refusalOf(gone.username, gone.password), refused);

  const pipeline = await connectAsPipeline();
  assert.equal((await logInByPassword(pipeline, username, password)).errorCode, 0);
  const { topics } = await pipeline.call('Metadata', 9, metadata);
  assert.deepEqual(
    topics.map(({ name }) => name),
    ['t'],
  );
});
