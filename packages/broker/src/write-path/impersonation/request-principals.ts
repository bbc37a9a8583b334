import type { Access, Principal } from '@weir/security';
import { type HeaderChange, HeaderCursor, type RecordCursor } from '@weir/wire';
import { brokerLimits } from '../../limits.ts';
import { readImpersonatedUser } from './impersonated-user.ts';

/** The principal of records of one topic. */
export interface Author {
  readonly name: string;
  readonly mayWrite: boolean;
  /** Change to the headers of its records. */
  readonly change: HeaderChange;
}

interface RequestPrincipalsOptions {
  /** Access of the client. */
  readonly access: Access;
  /** The header in which the client names principals; absent for a client that may not impersonate. */
  readonly impersonationHeader: string | undefined;
  readonly accessOf: (user: string) => Access;
  readonly changeFor: (principal: Principal) => HeaderChange;
}

/** The principals of one Produce request, and its remaining budget for rewriting. */
export class RequestPrincipals {
  /** Whether every record may have its own principal, so that the client's own rights are not decisive. */
  readonly mayDiffer: boolean;
  /** Uncompressed bytes. */
  bytesLeft: number = brokerLimits.rewrittenRequestBytesMax;
  readonly #options: RequestPrincipalsOptions;

  constructor(options: RequestPrincipalsOptions) {
    this.#options = options;
    this.mayDiffer = options.impersonationHeader !== undefined;
  }

  spend(bytes: number): void {
    this.bytesLeft = Math.max(0, this.bytesLeft - bytes);
  }

  /**
   * Returns the principals of one topic. For a client that cannot impersonate, the caller has already checked its
   * right.
   */
  onTopic(topicName: string): TopicPrincipals {
    return new TopicPrincipals(this, this.#options, topicName);
  }
}

export class TopicPrincipals {
  readonly request: RequestPrincipals;
  readonly #options: RequestPrincipalsOptions;
  readonly #topicName: string;
  readonly #impersonationKey: Buffer | undefined;
  /** By user. Names repeat, and a right is checked and logged once. */
  readonly #known = new Map<string, Author>();
  #own: Author | undefined;

  constructor(request: RequestPrincipals, options: RequestPrincipalsOptions, topicName: string) {
    this.request = request;
    this.#options = options;
    this.#topicName = topicName;
    const { impersonationHeader: key } = options;
    this.#impersonationKey = key === undefined ? undefined : Buffer.from(key);
  }

  /** Returns the principal of a record, or what is wrong with its impersonation header. */
  of(record: RecordCursor): Author | string {
    if (this.#impersonationKey === undefined || record.headerCount === 0) return this.#client();
    let value: Buffer | null | undefined;
    const header = new HeaderCursor(record);
    while (header.next()) {
      if (!header.hasKey(this.#impersonationKey)) continue;
      if (value !== undefined) return this.#problem('occurs more than once');
      value = header.value;
    }
    if (value === undefined) return this.#client();
    const user = readImpersonatedUser(value);
    return user === undefined ? this.#problem('must be User:<name>') : this.#named(user);
  }

  #client(): Author {
    const { access } = this.#options;
    this.#own ??= this.#principal(access, !this.request.mayDiffer || this.#mayWrite(access));
    return this.#own;
  }

  #named(user: string): Author {
    const known = this.#known.get(user);
    if (known !== undefined) return known;
    if (this.#known.size >= brokerLimits.impersonatedNamesMax) this.#known.clear();
    const access = this.#options.accessOf(user);
    const principal = this.#principal(access, this.#mayWrite(access));
    this.#known.set(user, principal);
    return principal;
  }

  #mayWrite(access: Access): boolean {
    return access.may('WRITE', 'TOPIC', this.#topicName);
  }

  #principal({ principal }: Access, mayWrite: boolean): Author {
    return { name: principal.name, mayWrite, change: this.#options.changeFor(principal) };
  }

  #problem(problem: string): string {
    return `header ${this.#options.impersonationHeader} ${problem}`;
  }
}
