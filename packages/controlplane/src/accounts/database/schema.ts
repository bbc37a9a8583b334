import type { AlertChannelKind, ClusterType, PipelineState, PipelineType } from '@weir/api';
import type { Kysely, Transaction } from 'kysely';

/**
 * The tables as TypeScript types; `migrations/` creates them. Times are milliseconds since 1970 and booleans are 0 and
 * 1, because SQLite and PostgreSQL both support these.
 */
export interface Schema {
  weir_accounts: AccountRow;
  weir_counters: CounterRow;
  weir_users: UserRow;
  weir_user_identities: UserIdentityRow;
  weir_workspaces: WorkspaceRow;
  weir_roles: RoleRow;
  weir_role_grants: RoleGrantRow;
  weir_user_roles: UserRoleRow;
  weir_invitations: InvitationRow;
  weir_setup_tokens: SetupTokenRow;
  weir_sessions: SessionRow;
  weir_api_keys: ApiKeyRow;
  weir_api_key_grants: ApiKeyGrantRow;
  weir_virtual_clusters: VirtualClusterRow;
  weir_audit_entries: AuditEntryRow;
  weir_audit_targets: AuditTargetRow;
  weir_sso_connections: SsoConnectionRow;
  weir_federations: FederationRow;
  weir_pipelines: PipelineRow;
  weir_pipeline_configurations: PipelineConfigurationRow;
  weir_tables: TableRow;
  weir_secrets: SecretRow;
  weir_event_views: EventViewRow;
  weir_alert_channels: AlertChannelRow;
  weir_alerts: AlertRow;
  weir_alert_states: AlertStateRow;
  weir_alert_notifications: AlertNotificationRow;
  weir_diagnostics: DiagnosticRow;
  weir_diagnostic_transitions: DiagnosticTransitionRow;
  weir_account_migrations: MigrationRow;
}

export type Database = Kysely<Schema>;
export type DatabaseTransaction = Transaction<Schema>;

export interface AccountRow {
  id: string;
  name: string;
  created_ms: number;
  /** Incremented by every change of the account, which serializes them. */
  revision: number;
}

export interface CounterRow {
  name: 'revocations' | 'setups';
  value: number;
}

export interface UserRow {
  id: string;
  account_id: string;
  /** As the user entered it. */
  email: string;
  /** The normalized form, which is unique. */
  email_key: string;
  name: string;
  /** In PHC format; null for users of an identity provider. */
  password_hash: string | null;
  created_ms: number;
  last_sign_in_ms: number | null;
}

interface UserIdentityRow {
  issuer: string;
  subject: string;
  user_id: string;
  created_ms: number;
}

export interface WorkspaceRow {
  id: string;
  account_id: string;
  name: string;
  created_ms: number;
  /** A deleted workspace remains as long as one of its deleted clusters does. */
  deleted_ms: number | null;
}

interface RoleRow {
  id: string;
  account_id: string;
  name: string;
  created_ms: number;
}

export interface RoleGrantRow {
  role_id: string;
  /** Or `*`. */
  workspace_id: string;
  managed_grant_name: 'admin' | 'read_records' | 'read_only';
}

interface UserRoleRow {
  user_id: string;
  role_id: string;
}

export interface InvitationRow {
  id: string;
  account_id: string;
  email: string;
  email_key: string;
  role_id: string;
  token_hash: string;
  invited_by: string;
  created_ms: number;
  expires_ms: number;
}

interface SetupTokenRow {
  token_hash: string;
  created_ms: number;
  expires_ms: number;
}

export interface SessionRow {
  id: string;
  token_hash: string;
  user_id: string;
  created_ms: number;
  last_seen_ms: number;
  expires_ms: number;
  remote_address: string;
  user_agent: string;
}

export interface ApiKeyRow {
  id: string;
  account_id: string;
  name: string;
  secret_hash: string;
  /** The last characters of the secret, so that people can identify the key. */
  secret_tail: string;
  created_ms: number;
  created_by: string;
  last_used_ms: number | null;
}

export interface ApiKeyGrantRow {
  key_id: string;
  position: number;
  principal_kind: 'app' | 'app_r' | 'agent' | 'agent_r' | '*';
  resource_kind: 'virtual_cluster' | '*';
  resource_id: string;
  workspace_id: string;
  managed_grant_name: 'read_records' | 'read_audit_log' | null;
}

export interface VirtualClusterRow {
  id: string;
  account_id: string;
  workspace_id: string;
  /** With its prefix. */
  name: string;
  type: ClusterType;
  tier: string;
  cloud_provider: string;
  /** One of the two is null. */
  region: string | null;
  region_group: string | null;
  /** A JSON object of strings. */
  tags: string;
  is_deletion_protected: 0 | 1;
  created_ms: number;
  deleted_ms: number | null;
}

export interface AuditEntryRow {
  id: string;
  account_id: string;
  time_ms: number;
  actor_kind: 'user' | 'api_key' | 'agent' | 'anonymous' | 'system';
  actor_id: string;
  actor_name: string;
  remote_address: string;
  user_agent: string;
  via: 'api' | 'mcp';
  operation: string;
  /** Empty for the account. */
  workspace_id: string;
  result: string;
  message: string;
  /** A JSON list of strings. */
  targets: string;
  /** A JSON list of `AuditChange`. */
  changes: string;
  read_records: string | null;
  /** How often it happened; more than 1 only for refused calls. */
  occurrences: number;
}

interface AuditTargetRow {
  entry_id: string;
  target_id: string;
  /** A copy of the time of its entry, for an index that finds the newest of a target. */
  time_ms: number;
}

export interface SsoConnectionRow {
  id: string;
  account_id: string;
  /** The last segment of its URLs. */
  identifier: string;
  issuer: string;
  client_id: string;
  /** Sealed by the secret box. */
  sealed_client_secret: string;
  default_role_id: string;
  has_role_mapping: 0 | 1;
  role_claim: string;
  created_ms: number;
}

export interface FederationRow {
  id: string;
  account_id: string;
  cluster_id: string;
  name: string;
  issuer: string;
  audience: string;
  /** A JSON list of `{path, value}`. */
  claim_rules: string;
  is_read_only: 0 | 1;
  lifetime_seconds: number;
  created_ms: number;
}

export interface PipelineRow {
  id: string;
  account_id: string;
  cluster_id: string;
  name: string;
  type: PipelineType;
  state: PipelineState;
  deployed_configuration_id: string | null;
  /** The counter of all its configurations. */
  last_version: number;
  created_ms: number;
}

export interface PipelineConfigurationRow {
  id: string;
  pipeline_id: string;
  version: number;
  yaml: string;
  /** A JSON list of `{name, yaml}`; null for a single document. */
  parts: string | null;
  created_ms: number;
  /** A JSON list of the secrets that it refers to; null for none. */
  secret_names: string | null;
}

export interface TableRow {
  /** A UUID. */
  id: string;
  account_id: string;
  cluster_id: string;
  name: string;
  /** The pipeline that writes it, or did last. */
  pipeline_id: string;
  source_cluster: string;
  topic: string;
  /** Sealed by the secret box if there is one; null for the bucket of the agents. */
  bucket_url: string | null;
  created_ms: number;
  /** Its files are still to be deleted. */
  deleted_ms: number | null;
  /** When a user asked for a replay of its kept records that has not ended. */
  replay_ms: number | null;
  /** JSON of the catalog that a configuration names, without secrets; null for the bucket itself. */
  catalog: string | null;
}

export interface SecretRow {
  id: string;
  account_id: string;
  cluster_id: string;
  name: string;
  /** Sealed by the secret box. */
  sealed_value: string;
  version: number;
  allows_exporters: 0 | 1;
  created_ms: number;
  created_by: string;
  updated_ms: number;
  updated_by: string;
}

export interface EventViewRow {
  id: string;
  workspace_id: string;
  /** The user who alone sees it; null for all of the workspace. */
  user_id: string | null;
  name: string;
  /** The parameters of the page as JSON. */
  search: string;
  saved_by: string;
  saved_ms: number;
}

export interface AlertChannelRow {
  id: string;
  account_id: string;
  cluster_id: string;
  name: string;
  kind: AlertChannelKind;
  /** `ChannelSettings` as JSON. */
  settings: string;
  /** `ChannelSecrets` as JSON, sealed by the secret box; null for none. */
  sealed_secrets: string | null;
  /** Attempts in a row that failed. */
  failures: number;
  failing_since_ms: number | null;
  last_error: string | null;
  delivered_ms: number | null;
  updated_ms: number;
  updated_by: string;
}

export interface AlertRow {
  id: string;
  account_id: string;
  cluster_id: string;
  name: string;
  /** `AlertSource` as JSON. */
  source: string;
  /** The saved search of the source; null if there is none. */
  view_id: string | null;
  /** A JSON list of ids. */
  channel_ids: string;
  /** Null for never. */
  repeat_minutes: number | null;
  notifies_resolved: 0 | 1;
  is_enabled: 0 | 1;
  /** `AlertMute` as JSON; null for none. */
  mute: string | null;
  updated_ms: number;
  updated_by: string;
}

/** Apart from the alert, because the leader of the cluster writes it, and users write alerts. */
interface AlertStateRow {
  alert_id: string;
  /** Incremented by every change, so that a concurrent change is refused. */
  version: number;
  /** `AlertState` as JSON. */
  state: string;
}

export interface AlertNotificationRow {
  alert_id: string;
  /** Counts from 0 within the alert. */
  number: number;
  cluster_id: string;
  time_ms: number;
  /** `AlertMessage` as JSON. */
  message: string;
  is_muted: 0 | 1;
  /** A JSON list of `AlertDelivery`. */
  deliveries: string;
  /** Whether any delivery is pending. */
  is_open: 0 | 1;
  /** Incremented by every change, so that a concurrent change is refused. */
  version: number;
}

interface DiagnosticRow {
  cluster_id: string;
  name: string;
  /** Incremented by every change, so that a concurrent change is refused. */
  version: number;
  /** A `DiagnosticRecord` as JSON. */
  record: string;
}

interface DiagnosticTransitionRow {
  cluster_id: string;
  name: string;
  number: number;
  time_ms: number;
  /** A `Transition` as JSON. */
  transition: string;
}

export interface MigrationRow {
  number: number;
  name: string;
  applied_ms: number;
}
