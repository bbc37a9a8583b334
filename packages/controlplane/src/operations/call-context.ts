import type { Clock, Log } from '@weir/core';
import type { Actor } from '../accounts/access/permissions.ts';
import type { AuditChange } from '../accounts/audit/audit-log.ts';
import type { AuditRead } from '../accounts/audit/audit-read.ts';
import type { Session } from '../accounts/users/sessions.ts';
import type { User } from '../accounts/users/users.ts';
import type { VirtualCluster } from '../accounts/workspaces/virtual-clusters.ts';

/** The session in the browser of a caller. */
export interface BrowserSession {
  /** The token that the browser sent, valid or not. */
  readonly token: string | undefined;
  /** Sets a token. */
  begin(token: string, expiresMs: number): void;
  /** Clears the token. */
  end(): void;
}

/** A user who is signed in to the console. */
export interface SignedIn {
  readonly session: Session;
  readonly user: User;
}

/** The context of a call, over HTTP or MCP. The caller is authorized. */
export interface CallContext {
  readonly actor: Actor;
  /** The address of a user or the name of a key; empty without a caller. */
  readonly actorName: string;
  /** Of the actor. Operations without one, such as signing in, find it themselves. */
  readonly accountId: string;
  /** Of the caller, without the port. */
  readonly remoteAddress: string;
  /** As the caller sends it. */
  readonly userAgent: string;
  /** Of callers with a session rather than a key. */
  readonly signedIn: SignedIn | undefined;
  readonly browser: BrowserSession;
  /** The cluster of an operation of scope `cluster`; for restoring, a deleted one. */
  readonly cluster: VirtualCluster | undefined;
  /** Sets the workspace of the audit entry, if the request does not name it. */
  happensIn(workspaceId: string): void;
  /** Adds values that the call has changed to the audit entry. They must not contain secrets. */
  changed(changes: readonly AuditChange[]): void;
  /** Adds records that the call has read to the audit entry. */
  read(read: AuditRead): void;
  /** Aborted when the caller disconnects. */
  readonly stop: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}
