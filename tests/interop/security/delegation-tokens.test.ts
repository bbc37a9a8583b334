import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { missingTool } from '../apache/tools.ts';
import { openApplications } from '../applications/application.ts';
import { openJavaClient } from '../brokers/java-client.ts';
import { lastFirst, startLocal } from '../brokers/weir-process.ts';
import { SecretFiles } from './secured.ts';

/** Delegation tokens with the tools and clients of Apache Kafka 4.3.1. librdkafka has no login with a token. */
const skip = missingTool();
const lifetime = lastFirst({ after });
const files = await SecretFiles.make(lifetime);
const broker = skip
  ? ''
  : (
      await startLocal(lifetime, [
        '-requireSASLAuthentication',
        ...files.credentials([
          { name: 'root', username: 'root', password: 'root-secret', superuser: true },
          { name: 'alice', username: 'alice', password: 'alice-secret' },
          { name: 'bob', username: 'bob', password: 'bob-secret' },
        ]),
      ])
    ).address('Kafka');
const applications = skip ? undefined! : openApplications(lifetime);
const java = skip ? undefined! : openJavaClient(lifetime);

interface Outcome {
  readonly status: number;
  readonly printed: string;
}

/** A file with the settings of a Java client. */
function settingsOf(username: string, password: string, isToken = false): string {
  const login = 'org.apache.kafka.common.security.scram.ScramLoginModule required';
  const token = isToken ? ' tokenauth="true"' : '';
  return files
    .java(`${username}-${isToken}`, {
      'bootstrap.servers': broker,
      'security.protocol': 'SASL_PLAINTEXT',
      'sasl.mechanism': 'SCRAM-SHA-512',
      'sasl.jaas.config': `${login} username="${username}" password="${password}"${token};`,
      'default.api.timeout.ms': '120000',
      'request.timeout.ms': '60000',
    })
    .slice(1);
}

async function run(settings: string, line: string): Promise<Outcome> {
  const args = ['--bootstrap-server', broker, '--command-config', settings, ...line.split(' ')];
  return applications.ask<Outcome>('tool', { main: 'org.apache.kafka.tools.DelegationTokenCommand', args });
}

async function succeeds(settings: string, line: string): Promise<string> {
  const { status, printed } = await run(settings, line);
  assert.equal(status, 0, printed);
  return printed;
}

async function fails(settings: string, line: string, expected: RegExp): Promise<void> {
  const { printed } = await run(settings, line);
  assert.match(printed, expected);
}

const recordCount = 3;

async function writes(settings: string, topic: string): Promise<void> {
  await java.ask('produce', `@${settings}`, topic, 1, recordCount, 1_700_000_000_000);
}

async function readCount(settings: string, topic: string): Promise<number> {
  return (await java.ask<readonly unknown[]>('read', `@${settings}`, topic)).length;
}

/** The table that the tool prints: id, HMAC, owner, requester, renewers and three times. */
function tokensIn(
  printed: string,
): { readonly tokenId: string; readonly hmac: string; readonly line: string }[] {
  return printed.split('\n').flatMap((line) => {
    const [tokenId = '', hmac = ''] = line.trim().split(/\s+/);
    return /^[\w-]{22}$/.test(tokenId) && hmac.endsWith('==') ? [{ tokenId, hmac, line }] : [];
  });
}

describe('delegation tokens', { skip }, () => {
  test('kafka-delegation-tokens makes, lists, renews and ends them, and a Java client logs in with one', async () => {
    const alice = settingsOf('alice', 'alice-secret');
    const bob = settingsOf('bob', 'bob-secret');
    const made = await succeeds(alice, '--create --max-life-time-period -1 --renewer-principal User:bob');
    const [token] = tokensIn(made);
    assert.ok(token !== undefined, made);
    assert.match(token.line, /User:alice/);
    assert.match(token.line, /User:bob/);

    const listed = await succeeds(alice, '--describe --owner-principal User:alice');
    assert.deepEqual(
      tokensIn(listed).map(({ tokenId, hmac }) => [tokenId, hmac]),
      [[token.tokenId, token.hmac]],
      listed,
    );
    assert.deepEqual(
      tokensIn(await succeeds(bob, '--describe --owner-principal User:alice')).length,
      1,
      'for a renewer',
    );

    const withToken = settingsOf(token.tokenId, token.hmac, true);
    const topic = 'written-with-a-token';
    await java.ask('create-topic', `@${withToken}`, topic, 1);
    await writes(withToken, topic);
    assert.equal(await readCount(withToken, topic), recordCount);
    await fails(withToken, '--create --max-life-time-period -1', /DelegationTokenDisabled|not allowed/i);

    const renewed = await succeeds(bob, `--renew --renew-time-period -1 --hmac ${token.hmac}`);
    assert.match(renewed, /renew/i);
    await succeeds(alice, `--expire --expiry-time-period -1 --hmac ${token.hmac}`);
    assert.deepEqual(tokensIn(await succeeds(alice, '--describe --owner-principal User:alice')), []);
    await fails(alice, `--renew --renew-time-period -1 --hmac ${token.hmac}`, /not found|does not exist/i);
    await assert.rejects(writes(withToken, topic));
  });

  test('an owner makes tokens for itself, and who has the right to, for others', async () => {
    const alice = settingsOf('alice', 'alice-secret');
    const root = settingsOf('root', 'root-secret');
    const made = await succeeds(root, '--create --max-life-time-period 60000 --owner-principal User:alice');
    const [token] = tokensIn(made);
    assert.ok(token !== undefined, made);
    assert.match(token.line, /User:alice\s+User:root/);
    assert.deepEqual(
      tokensIn(await succeeds(alice, '--describe --owner-principal User:alice')).map(({ hmac }) => hmac),
      [token.hmac],
    );
  });
});
