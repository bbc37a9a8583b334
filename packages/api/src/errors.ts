/** Every error of the API: its HTTP status, its default message, and whether an unchanged retry may succeed. */
export const errorTable = {
  invalid_request: { status: 400, message: 'The request is not valid.' },
  invalid_api_key: { status: 401, message: 'invalid API key' },
  forbidden: { status: 403, message: 'You do not have the role or the API key grant that this needs.' },
  not_found: { status: 404, message: 'not found' },
  method_not_allowed: { status: 405, message: 'Use POST; operations that only read accept GET too.' },
  conflict: {
    status: 409,
    message: 'The request conflicts with the current state; read it again and retry.',
  },
  payload_too_large: { status: 413, message: 'The body is too large.' },
  unsupported_media_type: { status: 415, message: 'Send the body as application/json.' },
  rate_limited: { status: 429, message: 'Too many calls; wait and try again.', isRetriable: true },
  context_canceled: { status: 499, message: 'The client closed the request.', isRetriable: true },
  internal: { status: 500, message: 'Internal error; see the log of the control plane.' },
  unavailable: { status: 503, message: 'The service is unavailable; try again.', isRetriable: true },

  already_set_up: { status: 409, message: 'The account already has a user; sign in.' },
  compaction_change: {
    status: 400,
    message: 'A topic cannot change between compacted and not compacted; create a new topic.',
  },
  deletion_protected: { status: 409, message: 'Deletion protection is enabled.' },
  duplicate_api_key_name: {
    status: 409,
    message: 'An API key with this name already exists; choose another name.',
  },
  duplicate_name: { status: 409, message: 'The name is taken.' },
  events_disabled: {
    status: 400,
    message:
      'The cluster records no events. Turn them on with update_events_state, or with weir cli events enable.',
  },
  filter_syntax: { status: 400, message: 'The filter has a syntax error.' },
  incompatible_schema: {
    status: 409,
    message: 'The schema is not compatible with earlier versions; see check_schema_compatibility.',
  },
  invalid_cluster_config: { status: 400, message: 'A cluster config has an invalid value.' },
  invalid_credentials: { status: 401, message: 'The e-mail address or the password is wrong.' },
  invalid_kafka_credential: {
    status: 403,
    message: 'The user name or the password of the Kafka credential is wrong.',
  },
  invalid_pipeline_configuration: { status: 400, message: 'The configuration of the pipeline is not valid.' },
  invalid_schema: { status: 400, message: 'The schema is not valid for its type.' },
  invalid_token: {
    status: 401,
    message: 'The token is invalid, was already used, or has expired; request a new one.',
  },
  invalid_topic_config: { status: 400, message: 'A topic config has an invalid value.' },
  kafka_access_denied: { status: 403, message: 'An ACL denies this to the Kafka credential.' },
  kafka_credential_required: {
    status: 403,
    message: 'The cluster authorizes reads and writes by Kafka credential; provide one.',
  },
  last_admin: { status: 409, message: 'The account must keep at least one administrator.' },
  limit_exceeded: { status: 409, message: 'A limit of the cluster or of the account has been reached.' },
  name_mismatch: {
    status: 400,
    message: 'The name given to confirm does not match; enter the name of what you delete.',
  },
  no_pipeline_engine: { status: 409, message: 'This release cannot run pipelines of this type.' },
  no_query_engine: {
    status: 503,
    message: 'No agent of the cluster runs queries. Start one without -disableQueryEngine.',
  },
  no_schema_registry: { status: 400, message: 'A cluster of this type has no schema registry.' },
  no_sealing_keys: {
    status: 409,
    message:
      'The control plane encrypts secrets with a sealing key, and on PostgreSQL it does not create one by itself. Write 64 random hex digits (openssl rand -hex 32) into a file that only its owner may read, start every control-plane process with -sealingKeysFile and the path of that file, and try again.',
  },
  not_restorable: {
    status: 409,
    message: 'It cannot be restored: its retention has ended, or its name is in use.',
  },
  record_refused: { status: 409, message: 'The topic rejected the record.' },
  role_in_use: { status: 409, message: 'The role is in use.' },
  secret_in_use: { status: 409, message: 'A configuration refers to the secret; change it first.' },
  sso_already_configured: {
    status: 409,
    message: 'The account already has a single sign-on connection; update it.',
  },
  too_many_queries: {
    status: 429,
    message: 'Too many queries are running on the agents of the cluster; try again in a few seconds.',
    isRetriable: true,
  },
  topic_already_exists: { status: 409, message: 'A topic with this name already exists.' },
  unsupported_cluster_config: { status: 400, message: 'Unknown cluster config.' },
  unsupported_cluster_type: { status: 400, message: 'Clusters of this type do not support this operation.' },
  user_already_exists: { status: 409, message: 'A user with this e-mail address already exists.' },
  window_too_large: {
    status: 400,
    message: 'A search for events covers at most 24 hours; choose a shorter time range.',
  },
  workspace_not_empty: { status: 409, message: 'The workspace still has clusters; delete them first.' },
} as const satisfies Record<string, ErrorRow>;

interface ErrorRow {
  readonly status: number;
  readonly message: string;
  readonly isRetriable?: true;
}

export type ErrorCode = keyof typeof errorTable;

export const errorCodes = Object.keys(errorTable) as ErrorCode[];

/** Errors that any operation may return, so operations do not list them. */
export const commonErrors = [
  'invalid_request',
  'invalid_api_key',
  'forbidden',
  'method_not_allowed',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  'context_canceled',
  'internal',
  'unavailable',
] as const satisfies readonly ErrorCode[];

/** Errors that an operation lists itself. */
export type OwnErrorCode = Exclude<ErrorCode, (typeof commonErrors)[number]>;

/** The common errors that require an identified caller. */
const errorsOfIdentity: readonly ErrorCode[] = ['invalid_api_key', 'forbidden'];

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}

/** Returns every error that an operation may return. */
export function errorsOf(operation: { scope: string; errors: readonly OwnErrorCode[] }): ErrorCode[] {
  const common: readonly ErrorCode[] =
    operation.scope === 'public'
      ? commonErrors.filter((code) => !errorsOfIdentity.includes(code))
      : commonErrors;
  return [...common, ...operation.errors];
}

/** The wire format. */
interface ErrorEnvelope {
  readonly error: string;
  readonly message: string;
}

interface ApiErrorOptions {
  readonly cause?: unknown;
  /** When to retry; sent as `Retry-After`. */
  readonly retryAfterSeconds?: number | undefined;
}

/** An error of the API, thrown by the server of an operation and again by the client that called it. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message?: string, options: ApiErrorOptions = {}) {
    super(
      message ?? errorTable[code].message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return errorTable[this.code].status;
  }

  /** Whether a retry may succeed. */
  get isRetriable(): boolean {
    const row: ErrorRow = errorTable[this.code];
    return row.isRetriable === true;
  }

  get envelope(): ErrorEnvelope {
    return { error: this.code, message: this.message };
  }
}

/** Returns the code for a response whose body has none: from a proxy, or from a newer server. */
export function codeOfStatus(status: number): ErrorCode {
  if (status === 502 || status === 504) return 'unavailable';
  const known = errorCodes.find((code) => errorTable[code].status === status);
  return known ?? (status >= 400 && status < 500 ? 'invalid_request' : 'internal');
}
