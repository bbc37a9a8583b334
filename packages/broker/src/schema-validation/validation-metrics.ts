import type { MetricRow } from '@weir/core';

/** Why a record is invalid, as in the metric. */
export const invalidReasons = {
  /** The payload does not begin with a magic byte and an id, and no header names the schema. */
  wireFormat: 'wire_format',
  unknownSchema: 'unknown_schema',
  /** The schema is not registered under the subject that the strategy gives. */
  subject: 'subject',
  payload: 'payload',
  /** Checking the records of the request takes more work than is allowed. */
  tooCostly: 'too_costly',
  /** The registry has the schema, and this release cannot parse it. */
  unreadableSchema: 'unreadable_schema',
  /** The schema is not known and the registry could not be asked; only where invalid records are accepted. */
  unchecked: 'unchecked',
} as const;
export type InvalidReason = (typeof invalidReasons)[keyof typeof invalidReasons];

export const invalidRecordsRow = {
  name: 'schema_validation_invalid_record_count',
  kind: 'counter',
  help: 'Records that fail schema validation: rejected, or accepted if the topic only warns.',
  labels: ['topic', 'reason'],
} as const satisfies MetricRow;
