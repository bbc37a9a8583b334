import type { Migration } from './migration.ts';

/** Saved searches for events: of a workspace, or of one user in it. Those of a user end with the user. */
export const eventViews: Migration = {
  number: 6,
  name: 'event-views',
  statements: [
    `CREATE TABLE weir_event_views (
      id text PRIMARY KEY, workspace_id text NOT NULL REFERENCES weir_workspaces (id) ON DELETE CASCADE,
      user_id text REFERENCES weir_users (id) ON DELETE CASCADE, name text NOT NULL, search text NOT NULL,
      saved_by text NOT NULL, saved_ms bigint NOT NULL
    )`,
    `CREATE INDEX weir_event_views_by_workspace ON weir_event_views (workspace_id, user_id)`,
    `CREATE INDEX weir_event_views_by_user ON weir_event_views (user_id)`,
  ],
};
