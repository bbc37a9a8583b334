import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { lastFirst, startLocal } from '../brokers/weir-process.ts';
import { allClients, atOnce, bounded } from './all-clients.ts';
import {
  javaClient,
  kafkajsClient,
  type Login,
  platformaticClient,
  refusedTriesMs,
  type Way,
} from './foreign-clients.ts';
import { foreignAudience, startOidcIssuer } from './oidc-issuer.ts';
import { SecretFiles } from './secured.ts';

/**
 * Every SASL mechanism, with and without TLS, with third-party clients; and the errors that each reports when login
 * fails.
 */
const lifetime = lastFirst({ after });
const files = await SecretFiles.make(lifetime);
const issuer = await startOidcIssuer(lifetime);
const { java, noJava, clients } = allClients(lifetime, files, {
  'org.apache.kafka.sasl.oauthbearer.allowed.urls': issuer.tokenEndpoint,
});

const user = 'alice';
const password = 'correct horse, battery=staple';
const loginFlags = [
  '-requireSASLAuthentication',
  ...files.credentials([{ name: 'alice', username: user, password }]),
  '-saslOAuthIssuerURL',
  issuer.url,
  '-saslOAuthAudience',
  issuer.audience,
];
const brokers = {
  'without TLS': (await startLocal(lifetime, loginFlags)).address('Kafka'),
  'over TLS': (await startLocal(lifetime, [...loginFlags, ...(await files.serverFlags())])).address('Kafka'),
};

const oauth = (token: () => Promise<string>): Login => ({
  mechanism: 'OAUTHBEARER',
  token,
  endpoint: { url: issuer.tokenEndpoint, clientId: issuer.clientId, clientSecret: issuer.clientSecret },
});
const logins: readonly Login[] = [
  { mechanism: 'PLAIN', user, password },
  { mechanism: 'SCRAM-SHA-512', user, password },
  oauth(() => issuer.token()),
];
const values = ['one', 'two', 'three'];
let topicCount = 0;

describe('clients log in', atOnce, () => {
  for (const [channel, broker] of Object.entries(brokers)) {
    const caFile = channel === 'over TLS' ? { caFile: files.caFile } : {};
    for (const client of clients) {
      for (const login of logins) {
        const way: Way = { ...caFile, login };
        test(`${client.label} logs in by ${login.mechanism} ${channel}`, {
          ...bounded,
          skip: client.cannot(way),
        }, async () => {
          const topic = `in-${topicCount++}`;
          assert.deepEqual(await client.writeAndRead(broker, way, topic, values), values);
        });
      }
    }
  }
});

const strangers: readonly (readonly [what: string, login: Login | undefined])[] = [
  ['a wrong password by PLAIN', { mechanism: 'PLAIN', user, password: 'incorrect horse' }],
  ['a wrong password by SCRAM', { mechanism: 'SCRAM-SHA-512', user, password: 'incorrect horse' }],
  ['a user that does not exist', { mechanism: 'SCRAM-SHA-512', user: 'mallory', password }],
  ['no login', undefined],
];
const strangeTokens: readonly (readonly [what: string, token: () => Promise<string>])[] = [
  ['a token for another audience', () => issuer.token({ audience: foreignAudience })],
  [
    'a token that is not signed',
    async () => {
      const [, claims] = (await issuer.token()).split('.');
      return `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${claims}.`;
    },
  ],
  ['a token that was tampered with', async () => tampered(await issuer.token())],
];

/** Returns a token with another subject under the original signature. */
function tampered(token: string): string {
  const [header, claims, signature] = token.split('.');
  const payload = JSON.parse(Buffer.from(claims!, 'base64url').toString()) as Record<string, unknown>;
  const other = Buffer.from(JSON.stringify({ ...payload, sub: 'root' })).toString('base64url');
  return `${header}.${other}.${signature}`;
}

describe('clients do not get in', atOnce, () => {
  for (const client of clients) {
    for (const [what, login] of strangers) {
      const way: Way = { caFile: files.caFile, triesMs: refusedTriesMs, ...(login && { login }) };
      test(`${client.label} does not get in with ${what}`, {
        ...bounded,
        skip: client.cannot(way),
      }, async () => {
        const topic = `out-${topicCount++}`;
        await assert.rejects(client.writeAndRead(brokers['over TLS'], way, topic, values));
      });
    }
  }
  // The other clients fetch their tokens themselves, from an issuer that issues no invalid ones.
  for (const client of [kafkajsClient, platformaticClient]) {
    for (const [what, token] of strangeTokens) {
      test(`${client.label} does not get in with ${what}`, bounded, async () => {
        const way: Way = { caFile: files.caFile, login: oauth(token) };
        await assert.rejects(client.writeAndRead(brokers['over TLS'], way, `out-${topicCount++}`, values));
      });
    }
  }
});

test('a Java client is told that its login failed, and not to try again', {
  ...bounded,
  skip: noJava,
}, async () => {
  const settings = { mechanism: 'PLAIN', user, password: 'incorrect horse' } as const;
  const way: Way = { caFile: files.caFile, login: settings };
  await assert.rejects(
    javaClient(java, files, false).writeAndRead(brokers['over TLS'], way, 'told', values),
    /SaslAuthenticationException/,
  );
});
