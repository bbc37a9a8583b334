import type { Migration } from './migration.ts';

/** Alerts of clusters: where they are sent, when they fire, how they are now, and what they sent. */
export const alerts: Migration = {
  number: 10,
  name: 'alerts',
  statements: [
    `CREATE TABLE weir_alert_channels (
      id text PRIMARY KEY, account_id text NOT NULL REFERENCES weir_accounts (id),
      cluster_id text NOT NULL REFERENCES weir_virtual_clusters (id) ON DELETE CASCADE, name text NOT NULL,
      kind text NOT NULL, settings text NOT NULL, sealed_secrets text, failures integer NOT NULL,
      failing_since_ms bigint, last_error text, delivered_ms bigint, updated_ms bigint NOT NULL,
      updated_by text NOT NULL, UNIQUE (cluster_id, name)
    )`,
    `CREATE TABLE weir_alerts (
      id text PRIMARY KEY, account_id text NOT NULL REFERENCES weir_accounts (id),
      cluster_id text NOT NULL REFERENCES weir_virtual_clusters (id) ON DELETE CASCADE, name text NOT NULL,
      source text NOT NULL, view_id text, channel_ids text NOT NULL, repeat_minutes integer,
      notifies_resolved integer NOT NULL, is_enabled integer NOT NULL, mute text, updated_ms bigint NOT NULL,
      updated_by text NOT NULL, UNIQUE (cluster_id, name)
    )`,
    `CREATE INDEX weir_alerts_by_view ON weir_alerts (view_id)`,
    `CREATE TABLE weir_alert_states (
      alert_id text PRIMARY KEY REFERENCES weir_alerts (id) ON DELETE CASCADE, version integer NOT NULL,
      state text NOT NULL
    )`,
    `CREATE TABLE weir_alert_notifications (
      alert_id text NOT NULL REFERENCES weir_alerts (id) ON DELETE CASCADE, number integer NOT NULL,
      cluster_id text NOT NULL, time_ms bigint NOT NULL, message text NOT NULL, is_muted integer NOT NULL,
      deliveries text NOT NULL, is_open integer NOT NULL, version integer NOT NULL, PRIMARY KEY (alert_id, number)
    )`,
    `CREATE INDEX weir_alert_notifications_by_time ON weir_alert_notifications (cluster_id, time_ms)`,
    `CREATE INDEX weir_alert_notifications_open ON weir_alert_notifications (is_open, cluster_id)`,
  ],
};
