import type { Session } from '../accounts/users/sessions.ts';
import type { User } from '../accounts/users/users.ts';
import type { VirtualCluster } from '../accounts/workspaces/virtual-clusters.ts';
import type { OperationContext } from './handler.ts';

/** What the browser of a caller keeps of a session. */
export interface BrowserSession {
  /** The token that it came with, whether or not it opens anything. */
  readonly token: string | undefined;
  /** Gives it a token to keep. */
  begin(token: string, expiresMs: number): void;
  /** Lets it forget its token. */
  end(): void;
}

/** A user who is signed in to the console. */
export interface SignedIn {
  readonly session: Session;
  readonly user: User;
}

/** What is known of a call that came over HTTP. */
export interface CallContext extends OperationContext {
  /** The address of a user, the name of a key; empty without a caller. */
  readonly actorName: string;
  /** What the caller says it is. */
  readonly userAgent: string;
  /** Of callers with a session rather than a key. */
  readonly signedIn: SignedIn | undefined;
  readonly browser: BrowserSession;
  /** The one that an operation of the scope `cluster` is about; for restoring, a deleted one. */
  readonly cluster: VirtualCluster | undefined;
  /** Tells the audit log in which workspace it happens, where the request does not say. */
  happensIn(workspaceId: string): void;
}
