import { createHmac, timingSafeEqual } from 'node:crypto';
import { acceptedSecrets, clusterSecrets, type EntriesView } from '@weir/cluster';
import type { Principal } from '../principal.ts';

/** Users of this prefix are managed pipelines. */
const prefix = 'weir-pipeline:';

interface PipelineLoginsOptions {
  /** Secrets that only agents of the cluster know. */
  readonly agentSecrets: EntriesView;
  /** Whether an agent is in the cluster now. */
  readonly isAgent: (agentId: string) => boolean;
}

/** A user name and a password that all agents of the cluster accept. */
interface PipelineLogin {
  readonly username: string;
  readonly password: string;
}

/**
 * Logins of managed pipelines to their own cluster. An agent derives them of a secret of the cluster, which is rotated,
 * and others accept them while this agent is in the cluster: nothing has to be stored or handed over.
 *
 * The name proves itself, too: it ends with a signature. So a certificate or a token with the name of a pipeline
 * gives no rights of one.
 */
export class PipelineLogins {
  readonly #options: PipelineLoginsOptions;

  constructor(options: PipelineLoginsOptions) {
    this.#options = options;
  }

  /** `undefined` before the cluster has its secrets. */
  issue(pipelineId: string, agentId: string): PipelineLogin | undefined {
    const [secret] = this.#secrets();
    if (secret === undefined) return undefined;
    const subject = `${pipelineId}:${agentId}`;
    const username = `${prefix}${subject}:${signature(secret, 'user', subject)}`;
    return { username, password: signature(secret, 'password', subject) };
  }

  isPipeline(username: string): boolean {
    return username.startsWith(prefix);
  }

  isRight(username: string, password: string): boolean {
    return this.#secretOf(username, (secret, subject) =>
      isEqual(password, signature(secret, 'password', subject)),
    );
  }

  /** The principal of a pipeline: it may do what who configures it may do, which is everything in the cluster. */
  principalOf(username: string): Principal | undefined {
    if (!this.#secretOf(username, () => true)) return undefined;
    const name = `User:${username.slice(0, username.lastIndexOf(':'))}`;
    return { name, aliases: [], credentialName: undefined, isSuperuser: true };
  }

  /** Whether one of the secrets signed the name, of an agent that is there, and `also` holds for it. */
  #secretOf(username: string, also: (secret: Uint8Array, subject: string) => boolean): boolean {
    if (!this.isPipeline(username)) return false;
    const signedBy = username.slice(username.lastIndexOf(':') + 1);
    const subject = username.slice(prefix.length, username.lastIndexOf(':'));
    const agentId = subject.slice(subject.indexOf(':') + 1);
    return (
      this.#options.isAgent(agentId) &&
      this.#secrets().some(
        (secret) => isEqual(signedBy, signature(secret, 'user', subject)) && also(secret, subject),
      )
    );
  }

  #secrets(): readonly Uint8Array[] {
    const { byKey } = this.#options.agentSecrets;
    return acceptedSecrets(clusterSecrets.pageExchange, ({ key }) => byKey.get(key)) ?? [];
  }
}

function signature(secret: Uint8Array, what: 'user' | 'password', subject: string): string {
  return createHmac('sha256', secret).update(`weir pipeline ${what}\n${subject}`).digest('base64url');
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
