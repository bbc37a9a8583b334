import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics, silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { TestIssuer } from '@weir/oidc/testing';
import { accountsDeps } from '../../testing/accounts-deps.ts';
import { makeAccount } from '../../testing/two-accounts.ts';
import { openAccounts } from '../accounts/open.ts';
import type { Federation, NewFederation } from '../accounts/workspaces/federations.ts';
import { federationBindings } from './federation-bindings.ts';
import { federationIssuers, platformIssuers } from './platform-issuers.ts';
import { TokenExchange } from './token-exchange.ts';

async function world() {
  const deps = accountsDeps();
  const { clock } = deps;
  const accounts = await openAccounts(`memory://federations-${worlds++}`, deps);
  const { accountId, a } = await makeAccount(accounts, 'Ours');
  const issuer = await TestIssuer.create('https://issuer.test/one', () => clock.nowMs());
  const issuerDeps = { clock, log: silentLog, fetchJson: issuer.fetchJson };
  const exchange = new TokenExchange({
    bindings: federationBindings({ federations: accounts.federations, clock }),
    secretsOf: () => [Buffer.alloc(32, 1)],
    issuers: platformIssuers({
      ...issuerDeps,
      fetchJson: () => Promise.reject(new Error('there is no file')),
    }),
    federationIssuers: federationIssuers(issuerDeps),
    clock,
    log: silentLog,
    metrics: new Metrics(),
  });
  const audience = `weir://${a.clusterId}`;
  const federate = (changes: Partial<NewFederation> = {}) =>
    accounts.federations.create(accountId, {
      clusterId: a.clusterId,
      name: 'eks',
      issuer: issuer.url,
      audience,
      rules: [{ path: 'sub', value: 'weir*' }],
      isReadOnly: false,
      lifetimeSeconds: 600,
      ...changes,
    });
  const exchangeToken = async () =>
    exchange.exchange(audience, await issuer.token({ sub: 'weir-1', aud: audience }));
  const given = async () => {
    const answer = await exchangeToken();
    assert.ok(typeof answer === 'object');
    return answer.token;
  };
  return {
    accounts,
    accountId,
    clusterId: a.clusterId,
    clock,
    issuer,
    exchange,
    federate,
    exchangeToken,
    given,
  };
}

let worlds = 0;

test('federations: a new federation admits agents, and a deleted one stops within seconds', async () => {
  const { accounts, accountId, clusterId, clock, exchange, federate, exchangeToken, given } = await world();
  assert.equal(await exchangeToken(), 'not admitted');
  const federation = await federate();
  clock.advance(2_000);
  const token = await given();
  assert.equal(await exchange.authorize(clusterId, token), true);
  await accounts.federations.delete(accountId, clusterId, federation.id);
  clock.advance(2_000);
  assert.equal(await exchange.authorize(clusterId, token), false);
  assert.equal(await exchangeToken(), 'not admitted');
  await federate();
  clock.advance(2_000);
  assert.equal(await exchange.authorize(clusterId, token), false, 'an equal federation is a new one');
});

test('federations: a deleted cluster admits no agent, until it is restored', async () => {
  const { accounts, accountId, clusterId, clock, exchange, federate, given } = await world();
  await federate();
  const token = await given();
  await accounts.virtualClusters.delete(accountId, clusterId);
  clock.advance(2_000);
  assert.equal(await exchange.authorize(clusterId, token), false);
  await accounts.virtualClusters.restore(accountId, clusterId);
  clock.advance(2_000);
  assert.equal(await exchange.authorize(clusterId, token), true);
});

test('federations: no agent connects with a read-only token', async () => {
  const { clusterId, clock, exchange, federate, given } = await world();
  await federate({ isReadOnly: true, name: 'a-reader' });
  const reading = await given();
  assert.equal(await exchange.authorize(clusterId, reading), false);
  await federate({ name: 'writer' });
  clock.advance(2_000);
  assert.equal(
    await exchange.authorize(clusterId, await given()),
    true,
    'with both federations the token may write',
  );
});

test('federations: a token is verified once, however many federations name its issuer', async () => {
  const { federate, exchangeToken, issuer } = await world();
  for (let number = 0; number < 20; number++)
    await federate({ name: `n${number}`, rules: [{ path: 'sub', value: `other-${number}` }] });
  assert.equal(await exchangeToken(), 'not admitted');
  assert.equal(issuer.asked.length, 2);
});

test('federations: an issuer in the private network is not contacted', async (t) => {
  const cases = [
    'https://127.0.0.1:1/x',
    'https://169.254.169.254/latest',
    'https://localhost:1/x',
    'https://[::1]:1/',
  ];
  for (const url of cases) {
    const issuers = federationIssuers({ clock: new HandClock(), log: silentLog });
    t.after(() => issuers.close());
    await assert.rejects(issuers.of(url).keys(), /is not on the public internet/, url);
  }
  const trusting = federationIssuers({
    clock: new HandClock(),
    log: silentLog,
    allowsPrivateAddresses: true,
  });
  await assert.rejects(trusting.of('https://127.0.0.1:1/x').keys(), /ECONNREFUSED/);
});

test('federations: agents that connect together share one query, and a failed one is retried', async () => {
  const clock = new HandClock();
  const queries: PromiseWithResolvers<Federation[]>[] = [];
  const admittingTo = () => {
    const question = Promise.withResolvers<Federation[]>();
    queries.push(question);
    return question.promise;
  };
  const bindingsOf = federationBindings({ federations: { admittingTo }, clock });
  const waiting = [bindingsOf('vci_1'), bindingsOf('vci_1')];
  assert.equal(queries.length, 1);
  queries[0]!.reject(new Error('away'));
  for (const one of waiting) await assert.rejects(one, /away/);
  const again = bindingsOf('vci_1');
  queries[1]!.resolve([]);
  assert.deepEqual(await again, []);
  clock.advance(1_999);
  assert.deepEqual(await bindingsOf('vci_1'), []);
  assert.equal(queries.length, 2);
  clock.advance(1);
  void bindingsOf('vci_1');
  assert.equal(queries.length, 3);
});

test('federations: while the database does not answer no agent is refused', async () => {
  const { accounts, clusterId, exchange, federate, given, exchangeToken } = await world();
  await federate();
  const token = await given();
  const away = new TokenExchange({
    bindings: () => Promise.reject(new Error('away')),
    secretsOf: () => [Buffer.alloc(32, 1)],
    issuers: platformIssuers({ clock: new HandClock(), log: silentLog }),
    clock: new HandClock(),
    log: silentLog,
    metrics: new Metrics(),
  });
  assert.equal(await away.authorize(clusterId, token), undefined);
  assert.equal(await away.exchange(`weir://${clusterId}`, 'x'), 'not ready');
  assert.equal(await exchange.authorize(clusterId, token), true);
  assert.ok(typeof (await exchangeToken()) === 'object');
  await accounts.close();
});
