import { encodeRecordHeader, type HeaderChange } from '@weir/wire';
import type { Access } from '../../security/access.ts';
import { type Principal, userOf } from '../../security/principal.ts';
import type { PrincipalOf } from '../../security/principals.ts';
import { RequestPrincipals } from './request-principals.ts';

export interface ImpersonationOptions {
  /** The key of the header that tells the principal of every record. */
  readonly authorHeader?: string | undefined;
  /** Those who may write for others, as `User:` and a name. */
  readonly impersonators: readonly string[];
  /** The key of the header in which they say for whom. */
  readonly impersonationHeader: string;
}

/**
 * Who the principal of a record is, what he may write, and how readers learn of him.
 *
 * The principal is whoever sent the record, unless that is an impersonator who names another one. Rules about topics then bind the one
 * who is named, record by record, and the header that names him is taken off. Nobody becomes a superuser by being named.
 *
 * Of other clients that header means nothing and stays. A header that tells the principal is nobody's but the agent's: whatever
 * a client sends under its key goes.
 */
export class Impersonation {
  readonly #options: ImpersonationOptions;
  readonly #impersonators: ReadonlySet<string>;
  readonly #impersonationKey: Buffer;
  readonly #principalHeaderKeys: readonly Buffer[];
  readonly #principalOf: PrincipalOf;

  constructor(options: ImpersonationOptions, principalOf: PrincipalOf) {
    this.#options = options;
    this.#impersonators = new Set(options.impersonators);
    this.#impersonationKey = Buffer.from(options.impersonationHeader);
    this.#principalHeaderKeys = options.authorHeader === undefined ? [] : [Buffer.from(options.authorHeader)];
    this.#principalOf = principalOf;
  }

  /** The principals of one request; `undefined` where records are stored as they come, which costs nothing. */
  of(access: Access): RequestPrincipals | undefined {
    const isImpersonator = this.#isImpersonator(access.principal);
    if (!isImpersonator && this.#options.authorHeader === undefined) return undefined;
    const removedKeys = isImpersonator
      ? [...this.#principalHeaderKeys, this.#impersonationKey]
      : this.#principalHeaderKeys;
    return new RequestPrincipals({
      access,
      impersonationHeader: isImpersonator ? this.#options.impersonationHeader : undefined,
      accessOf: (user) => access.as({ ...this.#principalOf(user), isSuperuser: false }),
      changeFor: (principal) => this.#changeFor(principal, removedKeys),
    });
  }

  #isImpersonator({ name, aliases }: Principal): boolean {
    if (this.#impersonators.size === 0) return false;
    return this.#impersonators.has(name) || aliases.some((alias) => this.#impersonators.has(alias));
  }

  #changeFor(principal: Principal, removedKeys: readonly Buffer[]): HeaderChange {
    const { authorHeader } = this.#options;
    const added =
      authorHeader === undefined ? undefined : encodeRecordHeader(authorHeader, userOf(principal));
    return { removedKeys, added };
  }
}
