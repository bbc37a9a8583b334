/** The login step. */

import type { ClusterOptions, KafkaCluster } from '@weir/client';
import { KafkaConnection } from '@weir/client';
import { Failure } from '@weir/core';
import { apis, errors } from '@weir/wire';
import type { Attempt } from './connectivity.ts';
import { explained, failed, note, ok, type Step } from './step.ts';

/** Logs in as configured by the flags. */
export async function logIn(cluster: KafkaCluster, { login, tls }: ClusterOptions): Promise<Step> {
  try {
    await cluster.bootstrap();
  } catch (error) {
    const { detail, advice } = explained(error);
    return failed('SASL', detail, advice);
  }
  const who = 'username' in login! ? `as ${login.username}` : 'with a token';
  const done = `authenticated with ${login!.mechanism} ${who}`;
  const isReadable = tls === undefined && login!.mechanism !== 'SCRAM-SHA-512';
  if (!isReadable) return ok('SASL', done);
  return note('SASL', done, 'the secret is sent unencrypted: add -tls, or use SCRAM-SHA-512');
}

/** The mechanisms that a broker offers, or `undefined` if its listener takes no login or does not say. */
export async function enabledMechanisms(
  { bootstrap: [address], tls, clientId }: ClusterOptions,
  attempt: Attempt,
): Promise<readonly string[] | undefined> {
  try {
    const connection = await KafkaConnection.open({ ...attempt, address, tls, clientId });
    try {
      // The answer lists all enabled mechanisms, whether or not this one is among them.
      const body = { mechanism: 'PLAIN' };
      const { errorCode, mechanisms } = await connection.request(apis.SaslHandshake, body, attempt);
      return errorCode === errors.ILLEGAL_SASL_STATE.code ? undefined : mechanisms;
    } finally {
      connection.close();
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return undefined;
  }
}

/** The failed step for a client that did not log in where a login is required. */
export function loginWanted(mechanisms: readonly string[]): Step {
  const ways = [
    ...(mechanisms.includes('PLAIN') ? ['-username and -password'] : []),
    ...(mechanisms.includes('SCRAM-SHA-512')
      ? ['-username and -password with -sasl-mechanism=SCRAM-SHA-512']
      : []),
    ...(mechanisms.includes('OAUTHBEARER') ? ['-oauth-token-file'] : []),
  ];
  const enabled = mechanisms.length === 0 ? 'no mechanism' : mechanisms.join(', ');
  const advice =
    ways.length === 0
      ? 'this tool supports none of its mechanisms'
      : `authenticate with ${ways.join(', or ')}`;
  return failed('SASL', `the broker requires SASL and enables ${enabled}`, advice);
}
