import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ApiError, createClient } from '@weir/api';
import { signUpFirstUser } from '../brokers/first-user.ts';
import { postgresStage } from './control-plane.ts';

/**
 * With PostgreSQL and without sealing keys, the operator gets a message at start and the administrator an error from
 * the operation; both say what to do.
 */
test('single sign-on on PostgreSQL, without sealing keys and with them', {
  timeout: 300_000,
}, async (t: TestContext) => {
  const stage = await postgresStage(t);
  if (stage === undefined) return;
  const { folder } = stage;
  const start = async (name: string, ...more: string[]) => {
    const plane = await stage.start(name, ...more);
    const output = `${plane.output.out}${plane.output.err}`;
    return {
      plane,
      url: plane.address('control plane'),
      warnings: output.split('disabled single sign-on: no sealing keys configured'),
    };
  };

  const without = await start('one');
  assert.equal(without.warnings.length, 2, 'once');
  assert.match(without.warnings[1]!, /openssl rand -hex 32.*-sealingKeysFile/);
  const cookie = await signUpFirstUser(without.plane);
  const client = (baseUrl: string) =>
    createClient({ baseUrl, fetch, headers: { cookie, origin: baseUrl }, checksAnswers: true });
  const { user_roles } = await client(without.url).call('list_user_roles', {});
  const connection = {
    sso_identifier: 'example',
    issuer_url: 'https://id.example/realm',
    client_id: 'weir',
    client_secret: 'secret-of-the-client',
    default_role_id: user_roles[0]!.id,
  };
  await assert.rejects(client(without.url).call('create_sso_configuration', connection), (error) => {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.code, 'no_sealing_keys');
    assert.match(error.message, /openssl rand -hex 32.*-sealingKeysFile/);
    return true;
  });

  const keysFile = join(folder, 'sealing-keys');
  writeFileSync(keysFile, `${'5e'.repeat(32)}\n`, { mode: 0o600 });
  const having = await start('two', '-sealingKeysFile', keysFile);
  assert.equal(having.warnings.length, 1, 'nothing to warn of');
  await client(having.url).call('create_sso_configuration', connection);
  const login = await fetch(`${without.url}/login/sso/example`, { redirect: 'manual' });
  assert.match(await login.text(), /-sealingKeysFile/, 'a visitor of the other process knows whom to tell');
});
