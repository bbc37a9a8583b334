import type { MutationOptions } from './port.ts';

/** What an agent asks of its cluster about those who use it: what they may take, and by what they are known. */
export interface PrincipalsPort {
  /** Sets and removes quotas. Each entity is answered for itself, all of its changes are made or none. */
  alterClientQuotas(
    entities: readonly ClientQuotasToAlter[],
    options: MutationOptions,
  ): Promise<AlterClientQuotasResult[]>;

  describeClientQuotas(filter: ClientQuotaFilter): Promise<ClientQuotas[]>;

  /** Sets and removes credentials. No user may be named twice. */
  alterScramCredentials(changes: readonly ScramCredentialChange[]): Promise<ScramCredentialResult[]>;

  /** In the order of the users, `null` for those that have none; without users all that there are. Secrets are never told. */
  describeScramCredentials(users: readonly string[]): Promise<(ScramCredentialDescription | null)[]>;
}

/** In the order in which they stand in keys of records. */
export const quotaEntityTypes = ['user', 'client-id', 'ip'] as const;
export type QuotaEntityType = (typeof quotaEntityTypes)[number];

/** One part of an entity; a name of `null` is everybody who has no quota of his own. */
export interface QuotaEntityPart {
  /** One of `quotaEntityTypes`, or whatever a client made up. */
  readonly type: string;
  readonly name: string | null;
}

export type QuotaEntity = readonly QuotaEntityPart[];

export interface QuotaChange {
  readonly key: string;
  /** `null` removes. */
  readonly value: number | null;
}

export interface ClientQuotasToAlter {
  readonly entity: QuotaEntity;
  readonly changes: readonly QuotaChange[];
}

export interface AlterClientQuotasResult {
  readonly error: 'NONE' | 'INVALID_REQUEST' | 'POLICY_VIOLATION';
  /** What was wrong and what to do, for the user. */
  readonly message: string | null;
}

export const quotaMatches = ['name', 'default', 'any'] as const;

export interface QuotaFilterPart {
  readonly type: QuotaEntityType;
  /** `name`: this name. `default`: the entity of everybody else. `any`: both. */
  readonly match: (typeof quotaMatches)[number];
  /** `null` unless the match is a name. */
  readonly name: string | null;
}

export interface ClientQuotaFilter {
  /** An entity has to fit all of them. */
  readonly parts: readonly QuotaFilterPart[];
  /** Leaves out entities with further parts. */
  readonly isStrict: boolean;
}

export interface ClientQuotas {
  readonly entity: QuotaEntity;
  readonly quotas: Readonly<Record<string, number>>;
}

/** What is kept of a SCRAM-SHA-512 password: enough to verify it, and not enough to log in elsewhere (RFC 5802). */
export interface ScramCredential {
  readonly iterations: number;
  readonly salt: Uint8Array;
  readonly storedKey: Uint8Array;
  readonly serverKey: Uint8Array;
}

export interface ScramCredentialChange {
  readonly user: string;
  /** `null` removes. */
  readonly credential: ScramCredential | null;
}

export interface ScramCredentialResult {
  readonly error: 'NONE' | 'RESOURCE_NOT_FOUND' | 'POLICY_VIOLATION';
  readonly message: string | null;
}

export interface ScramCredentialDescription {
  readonly user: string;
  readonly iterations: number;
}
