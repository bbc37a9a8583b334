import type { Impersonation } from '@weir/broker';
import type { Access, ClientSession, GuardedRequest } from '@weir/security';
import { apis } from '@weir/wire';

/** A client that writes records. */
export interface WritingClient {
  readonly session: ClientSession;
  readonly clientId: string;
}

interface WriteAccessOptions {
  readonly accessOf: (request: GuardedRequest) => Access;
  readonly impersonation: Impersonation | undefined;
}

/**
 * Returns a check whether a Produce request of a client to a topic can succeed, as far as rights go. A client that may
 * write for others has no rights of its own that would decide.
 */
export function writeAccess({ accessOf, impersonation }: WriteAccessOptions) {
  return ({ session, clientId }: WritingClient, topic: string): boolean => {
    const access = accessOf({ api: apis.Produce, correlationId: 0, clientId, session });
    if (impersonation?.of(access)?.mayDiffer === true) return true;
    // What is allowed is noted by the Produce request that follows.
    return access.mayQuietly('WRITE', 'TOPIC', topic) || access.may('WRITE', 'TOPIC', topic);
  };
}
