import type { Session } from '../accounts/users/sessions.ts';
import type { User } from '../accounts/users/users.ts';
import type { VirtualCluster } from '../accounts/workspaces/virtual-clusters.ts';
import type { OperationContext } from './handler.ts';

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

/** The context of a call over HTTP. */
export interface CallContext extends OperationContext {
  /** The address of a user or the name of a key; empty without a caller. */
  readonly actorName: string;
  /** As the caller sends it. */
  readonly userAgent: string;
  /** Of callers with a session rather than a key. */
  readonly signedIn: SignedIn | undefined;
  readonly browser: BrowserSession;
  /** The cluster of an operation of scope `cluster`; for restoring, a deleted one. */
  readonly cluster: VirtualCluster | undefined;
  /** Sets the workspace of the audit entry, if the request does not name it. */
  happensIn(workspaceId: string): void;
}
