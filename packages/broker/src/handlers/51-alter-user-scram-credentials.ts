import { createHash, createHmac } from 'node:crypto';
import type { ScramCredential, ScramCredentialChange } from '@weir/cluster';
import { problemOfPrincipalName } from '@weir/core';
import { mayOnCluster, scramSha512 } from '@weir/security';
import { type Apis, type ErrorName, errors, type RequestOf } from '@weir/wire';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import { brokerLimits } from '../limits.ts';
import { tooManyProblem } from '../requests/entry-limit.ts';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * AlterUserScramCredentials v0, with one call to the control plane for all users. The salted password is equivalent to
 * the password and does not leave the agent: only the verification keys of RFC 5802 are sent on and stored.
 *
 * - SCRAM-SHA-512 is the only mechanism; any other is UNSUPPORTED_SASL_MECHANISM.
 * - UNACCEPTABLE_CREDENTIAL for iterations outside of 4096 to 16384, an empty name, and an empty salted password. As in
 *   Kafka, it need not have the length of SHA-512: it is a key of HMAC, whatever made it; and the salt may be empty.
 * - A user named twice is DUPLICATE_RESOURCE, answered once, unless what it is first named for has a mistake of its
 *   own; deleting a credential that does not exist is RESOURCE_NOT_FOUND.
 * - POLICY_VIOLATION if the cluster has the maximum number of credentials.
 * - If the control plane is unavailable, the error is NOT_CONTROLLER, and admin clients refresh metadata and retry.
 * - If the request has too many users, all of them are INVALID_REQUEST.
 * - Requires ALTER on the cluster.
 */
export const alterUserScramCredentialsHandler: HandlerOf<Apis['AlterUserScramCredentials']> = async (
  request,
  context,
) => {
  const wanted: Wanted[] = [
    ...request.deletions.map(({ name, mechanism }) => ({ name, mechanism, upsertion: undefined })),
    ...request.upsertions.map((upsertion) => ({ ...upsertion, upsertion })),
  ];
  const byUser: Wanted[] = [];
  const repeated = new Set<string>();
  const users = new Set<string>();
  for (const one of wanted) {
    if (users.has(one.name)) repeated.add(one.name);
    else byUser.push(one);
    users.add(one.name);
  }
  const allRefused = (error: ErrorName, errorMessage: string) => {
    const { code: errorCode } = errors[error];
    return {
      throttleTimeMs: 0,
      results: byUser.map(({ name }) => ({ user: name, errorCode, errorMessage })),
    };
  };
  if (!mayOnCluster(context.access, 'ALTER')) {
    return allRefused('CLUSTER_AUTHORIZATION_FAILED', errors.CLUSTER_AUTHORIZATION_FAILED.message);
  }
  const tooMany = tooManyProblem(wanted.length);
  if (tooMany !== undefined) return allRefused('INVALID_REQUEST', tooMany);
  const own = byUser.map(problemOf);
  // To remove what does not exist is a mistake of its own.
  const removed = byUser.filter(
    ({ name, upsertion }, index) => repeated.has(name) && upsertion === undefined && own[index] === undefined,
  );
  const { port } = context.cluster;
  const there =
    removed.length === 0
      ? []
      : await ifAvailable(port.describeScramCredentials(removed.map(({ name }) => name)));
  if (there === undefined) return allRefused('NOT_CONTROLLER', errors.NOT_CONTROLLER.message);
  const absent = new Set(removed.flatMap(({ name }, index) => (there[index] === null ? [name] : [])));
  const problems = byUser.map(({ name }, index) => {
    if (own[index] !== undefined || !repeated.has(name)) return own[index];
    return absent.has(name) ? notFound : duplicate;
  });
  const changes = byUser
    .filter((_, index) => problems[index] === undefined)
    .map(({ name, upsertion }): ScramCredentialChange => {
      return { user: name, credential: upsertion === undefined ? null : credentialOf(upsertion) };
    });
  const results = changes.length === 0 ? [] : await ifAvailable(port.alterScramCredentials(changes));
  let next = 0;
  return {
    throttleTimeMs: 0,
    results: byUser.map(({ name }, index) => {
      const { error, message } = problems[index] ??
        results?.[next++] ?? { error: 'NOT_CONTROLLER' as const, message: errors.NOT_CONTROLLER.message };
      return { user: name, errorCode: errors[error].code, errorMessage: message };
    }),
  };
};

type Upsertion = RequestOf<Apis['AlterUserScramCredentials']>['upsertions'][number];

interface Wanted {
  readonly name: string;
  readonly mechanism: number;
  /** `undefined` for a deletion. */
  readonly upsertion: Upsertion | undefined;
}

const iterationsMin = 4096;
/** Bounds the CPU time of one login. */
const iterationsMax = 16_384;

interface Problem {
  readonly error: ErrorName;
  readonly message: string;
}

const notFound: Problem = {
  error: 'RESOURCE_NOT_FOUND',
  message: errors.RESOURCE_NOT_FOUND.message,
};

const duplicate: Problem = { error: 'DUPLICATE_RESOURCE', message: 'Duplicate user in the request.' };

function problemOf({ name, mechanism, upsertion }: Wanted): Problem | undefined {
  const unacceptable = (message: string): Problem => ({ error: 'UNACCEPTABLE_CREDENTIAL', message });
  if (name === '') return unacceptable('The user name is empty.');
  // What an earlier release accepted can be deleted.
  const problem = upsertion === undefined ? undefined : problemOfPrincipalName(name);
  if (problem !== undefined) return unacceptable(`The user name ${problem}.`);
  if (mechanism !== scramSha512) {
    return { error: 'UNSUPPORTED_SASL_MECHANISM', message: 'Only SCRAM-SHA-512 is supported.' };
  }
  if (upsertion === undefined) return undefined;
  const { iterations, salt, saltedPassword } = upsertion;
  if (iterations < iterationsMin || iterations > iterationsMax) {
    return unacceptable(
      `Iterations must be between ${iterationsMin} and ${iterationsMax}, got ${iterations}.`,
    );
  }
  if (salt.length > brokerLimits.scramSaltBytesMax) {
    return unacceptable(
      `Salt must have at most ${brokerLimits.scramSaltBytesMax} bytes, got ${salt.length}.`,
    );
  }
  if (saltedPassword.length === 0 || saltedPassword.length > brokerLimits.scramSaltedPasswordBytesMax) {
    return unacceptable(
      `Salted password must have 1 to ${brokerLimits.scramSaltedPasswordBytesMax} bytes, got ${saltedPassword.length}.`,
    );
  }
  return undefined;
}

function credentialOf({ iterations, salt, saltedPassword }: Upsertion): ScramCredential {
  const keyed = (text: string) => createHmac('sha512', saltedPassword).update(text).digest();
  return {
    iterations,
    // A copy, because the memory of the frame is reused.
    salt: Buffer.from(salt),
    storedKey: createHash('sha512').update(keyed('Client Key')).digest(),
    serverKey: keyed('Server Key'),
  };
}
