/** In the order in which they appear in entry keys. */
export const quotaEntityTypes = ['user', 'client-id', 'ip'] as const;
export type QuotaEntityType = (typeof quotaEntityTypes)[number];

/** One part of an entity. A `null` name is the default entity: all that have no quota of their own. */
export interface QuotaEntityPart {
  /** One of `quotaEntityTypes`, or any other text that a client sent. */
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
  /** `name`: this name. `default`: the default entity. `any`: both. */
  readonly match: (typeof quotaMatches)[number];
  /** `null` unless `match` is `name`. */
  readonly name: string | null;
}

export interface ClientQuotaFilter {
  /** An entity must match all parts. */
  readonly parts: readonly QuotaFilterPart[];
  /** Excludes entities with additional parts. */
  readonly isStrict: boolean;
}

export interface ClientQuotas {
  readonly entity: QuotaEntity;
  readonly quotas: Readonly<Record<string, number>>;
}

/** The stored form of a SCRAM-SHA-512 password: sufficient to verify it, not to log in elsewhere (RFC 5802). */
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

/** A credential of a cluster: a named user, who may be a superuser, to whom ACLs do not apply. */
export interface CredentialToPut {
  /** The login name: `ccun_…`, a name that the owner chose, or the `spiffe://…` of a certificate. Immutable. */
  readonly username: string;
  /** `cci_…`, used for a new credential. An existing credential retains its id. */
  readonly id: string;
  /** `ccn_…`: the display name, unique within the cluster. */
  readonly name: string;
  readonly isSuperuser: boolean;
  /** Whether a credentials file manages it; it is then removed when the file no longer names it. */
  readonly isFromFile: boolean;
  /** The stored form of the password. `null` leaves it unchanged: a new credential then has none. */
  readonly password: ScramCredential | null;
}

export interface CredentialResult {
  readonly error: 'NONE' | 'INVALID_REQUEST' | 'RESOURCE_NOT_FOUND' | 'POLICY_VIOLATION';
  /** What was wrong and what to do, for the user. */
  readonly message: string | null;
}

export interface CredentialDescription {
  readonly username: string;
  readonly id: string;
  readonly name: string;
  readonly isSuperuser: boolean;
  readonly isFromFile: boolean;
  readonly createdMs: number;
  /** Without a password it cannot log in by SASL, only by a certificate. */
  readonly hasPassword: boolean;
  /** Last known use, accurate to about a day; `null` for never. Absent in answers of leaders of earlier releases. */
  readonly lastUsedMs?: number | null | undefined;
}
