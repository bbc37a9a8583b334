import type { Access, PrincipalOf } from '@weir/security';
import { type Principal, userOf } from '@weir/security';
import { encodeRecordHeader, type HeaderChange } from '@weir/wire';
import { RequestPrincipals } from './request-principals.ts';

export interface ImpersonationOptions {
  /** Key of the header that carries the principal of every record. */
  readonly authorHeader?: string | undefined;
  /** Principals that may write for others, as `User:` and a name. */
  readonly impersonators: readonly string[];
  /** Key of the header in which they name the other principal. */
  readonly impersonationHeader: string;
}

/**
 * Decides the principal of each record and stamps it into a header for readers.
 *
 * The principal is the sender of the record, unless the sender is an impersonator and names another one. Topic
 * permissions are then checked for the named principal, record by record, and the header that names it is removed. An
 * impersonated principal is never a superuser.
 *
 * From other clients the impersonation header has no meaning and stays. The author header belongs to the agent alone: a
 * client's header with that key is removed.
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

  /** Returns the principals of one request; `undefined` if records are stored as they come, which costs nothing. */
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
