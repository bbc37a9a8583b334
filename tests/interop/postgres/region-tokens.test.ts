import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { agentTokenPath, regionTokens, tokenExchange } from '@weir/rpc';
import { dialWebSocket } from '../../../packages/rpc/src/channel/web-socket.ts';
import { TestCa } from '../../../packages/security/testing/test-ca.ts';
import { startIssuer } from '../agent/platform-issuer.ts';
import { leaderOf } from '../brokers/leader-of.ts';
import { createTopic } from '../brokers/topics.ts';
import { pause } from '../brokers/waiting.ts';
import { startWeir, type WeirProcess } from '../brokers/weir-process.ts';
import { postgresStage } from './control-plane.ts';

const clusterId = 'vci_region_tokens';
const audience = 'sts.amazonaws.com';
const platformIdentity = 'system:serviceaccount:stream:weir';

/** A line of the log may arrive behind what it is about. */
async function logged({ output }: WeirProcess, line: RegExp): Promise<void> {
  while (!line.test(output.err)) await pause();
}

/** The line of a log that says for which regions tokens were issued, that of the process first. */
const issued = (own: { readonly region: string }, other: { readonly region: string }) =>
  new RegExp(`"message":"issued agent token".*"regions":"${own.region} ${other.region}"`);

/** Two regions over one PostgreSQL, and an agent that has no key but an identity of its platform. */
test('an agent with a platform identity goes to another region without an exchange', {
  timeout: 600_000,
}, async (t: TestContext) => {
  const stage = await postgresStage(t);
  if (stage === undefined) return;
  const { lifetime, folder, startWith } = stage;
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const ca = await TestCa.create();
  const { issuer, token } = await startIssuer(t, ca);
  const claims = [{ path: 'sub', value: platformIdentity }];
  const bindings = file(
    'bindings.json',
    JSON.stringify([{ name: 'eks', issuer, clusterId, audience, claims }]),
  );
  const variables = { NODE_EXTRA_CA_CERTS: file('issuer-ca.pem', ca.certificate) };
  const startPlane = (region: string) =>
    startWith(
      variables,
      region,
      ...['-multiregion', '-region', region, '-regionGroups', 'both@east,west'],
      ...['-defaultVirtualClusterID', clusterId, '-workloadIdentityBindingsFile', bindings],
    );
  const inRegion = async (region: string) => ({ region, plane: await startPlane(region) });
  const regions = [await inRegion('east'), await inRegion('west')] as const;
  const urlOf = (plane: WeirProcess) => plane.address('control plane');
  // On a busy machine the lease may have passed to the second already.
  const leader = await leaderOf(
    regions.map(({ plane }) => plane),
    clusterId,
  );
  const [home, away] = leader === 0 ? regions : [regions[1], regions[0]];

  // What an agent gets, and where it admits.
  const exchanged = await fetch(new URL(agentTokenPath, urlOf(away.plane)), {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: tokenExchange.grantType,
      subject_token_type: tokenExchange.subjectTokenTypes[0],
      subject_token: token(platformIdentity),
      audience: `weir://${clusterId}`,
      [regionTokens.parameter]: regionTokens.wanted,
    }),
  });
  const { region, region_tokens: tokens } = (await exchanged.json()) as {
    readonly region: string;
    readonly region_tokens: Readonly<Record<string, string>>;
  };
  await logged(away.plane, issued(away, home));
  assert.deepEqual([region, Object.keys(tokens).toSorted()], [away.region, ['east', 'west']]);
  const dial = async (plane: WeirProcess, agentKey: string) => {
    const signal = new AbortController().signal;
    (await dialWebSocket({ url: urlOf(plane), clusterId, agentKey, signal })).abort();
  };
  for (const [plane, own, other] of [
    [home.plane, home.region, away.region],
    [away.plane, away.region, home.region],
  ] as const) {
    await dial(plane, tokens[own]!);
    await assert.rejects(dial(plane, tokens[other]!), { name: 'AgentKeyRefused' });
    await logged(plane, new RegExp(`another region".*"region":"${other}","own":"${own}"`));
  }

  const tokenFile = file('token', token(platformIdentity));
  const agent = await startWeir(
    [
      ...['agent', '-defaultVirtualClusterID', clusterId, '-metadataURL', urlOf(home.plane)],
      ...['-multiregion', '-region', home.region, '-availabilityZone', `${home.region}-a`],
      ...['-workloadIdentityTokenSource', 'aws', '-bucketURL', pathToFileURL(join(folder, 'bucket')).href],
      ...['-kafkaPort', '0', '-httpPort', '0', '-bindAddress', '127.0.0.1'],
      ...['-gracefulShutdownDuration', '0s'],
    ],
    ['Kafka', 'HTTP'],
    { AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile },
  );
  lifetime.after(() => agent.stop());
  await createTopic(agent.address('Kafka'), 'before', 1);
  await logged(home.plane, issued(home, away));

  const exchanges = () => away.plane.output.err.split('"message":"issued agent token"').length;
  const exchangesBefore = exchanges();
  // From here on an exchange would fail.
  rmSync(tokenFile);
  await home.plane.kill();
  await createTopic(agent.address('Kafka'), 'after', 1);
  assert.equal(await leaderOf([away.plane], clusterId), 0);
  assert.equal(exchanges(), exchangesBefore);
  assert.doesNotMatch(agent.output.err, /failed to (?:authenticate at control plane|renew agent token)/);
});
