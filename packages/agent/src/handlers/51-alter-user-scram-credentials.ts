import { createHash, createHmac } from 'node:crypto';
import type { ScramCredential, ScramCredentialChange } from '@weir/cluster';
import { coreLimits } from '@weir/core';
import { type Apis, type ErrorName, errors, type RequestOf } from '@weir/wire';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import { agentLimits } from '../limits.ts';
import { tooManyProblem } from '../requests/entry-limit.ts';
import type { HandlerOf } from '../requests/handler.ts';
import { repeatedOf } from '../requests/repeated.ts';
import { mayOnCluster } from '../security/access.ts';
import { scramSha512 } from '../security/sasl/scram-mechanism.ts';

/**
 * AlterUserScramCredentials v0, all users in one call to the control plane. What the client sends is as good as the password, so
 * that it ends here: only the keys that RFC 5802 derives for verifying it are sent on and kept.
 *
 * - SCRAM-SHA-512 is the only mechanism; another one is UNSUPPORTED_SASL_MECHANISM.
 * - Iterations outside of 4096 to 16384, an empty name or salt and a salted password that is not one of SHA-512 are
 *   UNACCEPTABLE_CREDENTIAL.
 * - A user that is named twice is DUPLICATE_RESOURCE, answered once; the removal of what is not there is RESOURCE_NOT_FOUND.
 * - POLICY_VIOLATION when the cluster has as many credentials as it can.
 * - When the control plane cannot be reached the answer is NOT_CONTROLLER, upon which admin clients look again and retry.
 * - More users than a request may name are INVALID_REQUEST, all of them.
 * - It takes ALTER on the cluster.
 */
export const alterUserScramCredentialsHandler: HandlerOf<Apis['AlterUserScramCredentials']> = async (
  request,
  context,
) => {
  const wanted: Wanted[] = [
    ...request.deletions.map(({ name, mechanism }) => ({ name, mechanism, upsertion: undefined })),
    ...request.upsertions.map((upsertion) => ({ ...upsertion, upsertion })),
  ];
  const byUser = [...new Map(wanted.map((one) => [one.name, one])).values()];
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
  const repeated = repeatedOf(wanted.map(({ name }) => name));
  const problems = byUser.map((one) => problemOf(one, repeated));
  const changes = byUser
    .filter((_, index) => problems[index] === undefined)
    .map(({ name, upsertion }): ScramCredentialChange => {
      return { user: name, credential: upsertion === undefined ? null : credentialOf(upsertion) };
    });
  const { port } = context.cluster;
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
/** More would let one login take a processor for long. */
const iterationsMax = 16_384;
const sha512Bytes = 64;

function problemOf(
  { name, mechanism, upsertion }: Wanted,
  repeated: ReadonlySet<string>,
): { error: ErrorName; message: string } | undefined {
  const unacceptable = (message: string) => ({ error: 'UNACCEPTABLE_CREDENTIAL' as const, message });
  if (repeated.has(name)) {
    return { error: 'DUPLICATE_RESOURCE', message: 'The request changes the credentials of the user twice.' };
  }
  if (name === '' || name.length > coreLimits.principalNameCharsMax) {
    return unacceptable(`The name of a user has 1 to ${coreLimits.principalNameCharsMax} characters.`);
  }
  if (mechanism !== scramSha512) {
    return { error: 'UNSUPPORTED_SASL_MECHANISM', message: 'The only mechanism is SCRAM-SHA-512.' };
  }
  if (upsertion === undefined) return undefined;
  const { iterations, salt, saltedPassword } = upsertion;
  if (iterations < iterationsMin || iterations > iterationsMax) {
    return unacceptable(
      `There are ${iterations} iterations; ${iterationsMin} to ${iterationsMax} are allowed.`,
    );
  }
  if (salt.length === 0 || salt.length > agentLimits.scramSaltBytesMax) {
    return unacceptable(
      `The salt has ${salt.length} bytes; 1 to ${agentLimits.scramSaltBytesMax} are allowed.`,
    );
  }
  if (saltedPassword.length !== sha512Bytes) {
    return unacceptable(
      `The salted password has ${saltedPassword.length} bytes; those of SHA-512 are ${sha512Bytes}.`,
    );
  }
  return undefined;
}

function credentialOf({ iterations, salt, saltedPassword }: Upsertion): ScramCredential {
  const keyed = (text: string) => createHmac('sha512', saltedPassword).update(text).digest();
  return {
    iterations,
    // A copy, because the memory of the frame is used again.
    salt: Buffer.from(salt),
    storedKey: createHash('sha512').update(keyed('Client Key')).digest(),
    serverKey: keyed('Server Key'),
  };
}
