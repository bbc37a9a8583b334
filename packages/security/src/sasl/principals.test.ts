import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainToken, scramKeys } from '@weir/broker/testing';
import { FollowedEntries, writeCredentialRecord } from '@weir/cluster';
import { Metrics, silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { apis } from '@weir/wire';
import { principalsOf } from '../principals.ts';
import { type ClientSession, openSession } from '../session/client-session.ts';
import { createSasl } from './create-sasl.ts';
import { createLoginChecks } from './login-checks.ts';

async function stage() {
  const records = new FollowedEntries();
  const parts = { clock: new HandClock(), log: silentLog, metrics: new Metrics() };
  const checks = await createLoginChecks({
    agentSecrets: records.of('agentSecret'),
    scramCredentials: records.of('scramCredential'),
    delegationTokens: records.of('delegationToken'),
    cpuCount: 1,
    ...parts,
  });
  const sasl = createSasl({
    settings: { isRequired: true, passwordMechanisms: ['PLAIN'], sessionMsMax: 0 },
    checks,
    ...parts,
  });
  const principalOf = principalsOf(records.of('credential'));
  const session: ClientSession = openSession({ remoteAddress: '10.0.0.7', remotePort: 40_000, principalOf });
  return {
    records,
    session,
    addPassword(user: string, password: string): void {
      const salt = Buffer.from('salt');
      const { storedKey, serverKey } = scramKeys(password, salt, 4096);
      const secrets = [salt, storedKey, serverKey].map((secret) => secret.toString('base64'));
      records.put('scramCredential', user, Buffer.from(JSON.stringify([4096, ...secrets])));
    },
    addCredential(user: string, name: string, isSuperuser: boolean): void {
      records.put(
        'credential',
        user,
        writeCredentialRecord({ id: 'cci_1', name, isSuperuser, createdMs: 1 }),
      );
    },
    async logIn(user: string, password: string): Promise<string> {
      assert.equal(sasl.handshake(session, 'PLAIN', 1), 'NONE');
      const answer = await sasl.authenticate(
        session,
        plainToken(user, password),
        new AbortController().signal,
      );
      return answer === 'close' ? answer : answer.error;
    },
    serves: () => sasl.admits(session, apis.Metadata),
  };
}

test('a client is anonymous until it is authenticated, and then has the names of its credential', async () => {
  const { session, addPassword, addCredential, logIn, serves } = await stage();
  addPassword('ccun_1', 'secret');
  addCredential('ccun_1', 'ccn_billing', false);
  assert.equal(session.principal.name, 'User:ANONYMOUS');
  assert.equal(serves(), false);
  assert.equal(await logIn('ccun_1', 'secret'), 'NONE');
  assert.deepEqual(session.principal, {
    name: 'User:ccun_1',
    aliases: ['User:billing', 'User:ccn_billing'],
    credentialName: 'ccn_billing',
    isSuperuser: false,
  });
  assert.equal(serves(), true);
});

test('a changed credential applies from the next request on', async () => {
  const { records, session, addPassword, addCredential, logIn, serves } = await stage();
  addPassword('root', 'secret');
  addCredential('root', 'ccn_root', true);
  assert.equal(await logIn('root', 'secret'), 'NONE');
  assert.equal(session.principal.isSuperuser, true);
  addCredential('root', 'ccn_root', false);
  assert.equal(serves(), true);
  assert.equal(session.principal.isSuperuser, false);
  addCredential('root', 'ccn_admin', true);
  assert.equal(serves(), true);
  assert.deepEqual([session.principal.isSuperuser, session.principal.credentialName], [true, 'ccn_admin']);
  records.put('credential', 'root', null);
  assert.equal(serves(), true);
  assert.deepEqual([session.principal.name, session.principal.isSuperuser], ['User:root', false]);
});

test('a revoked right is gone for users named by a certificate or a proxy, too', async () => {
  const { records, addCredential } = await stage();
  const principalOf = principalsOf(records.of('credential'));
  const session = openSession({
    remoteAddress: '10.0.0.7',
    remotePort: 40_000,
    user: 'CN=root',
    principalOf,
  });
  assert.equal(session.principal.isSuperuser, false);
  addCredential('CN=root', 'ccn_root', true);
  assert.deepEqual([session.principal.isSuperuser, session.principal.credentialName], [true, 'ccn_root']);
  addCredential('CN=root', 'ccn_root', false);
  assert.equal(session.principal.isSuperuser, false);
  records.put('credential', 'CN=root', null);
  assert.deepEqual([session.principal.name, session.principal.credentialName], ['User:CN=root', undefined]);
});
